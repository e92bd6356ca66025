package event_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

func ExampleProjector() {
	p := event.NewProjector(nil)
	p.BeginTurn()
	var bodies []event.Body
	for _, update := range []string{
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hel"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"lo."}}`,
	} {
		bodies = append(bodies, p.Update(json.RawMessage(update))...)
	}
	bodies = append(bodies, p.EndTurn(false)...)
	for i, body := range bodies {
		e := event.Event{Seq: int64(i + 1), Time: time.Unix(0, 0), Turn: 1, Body: body}
		line, err := e.AppendJSON(nil)
		fmt.Println(string(line), err)
	}
	fmt.Println(p.TurnText())
	// Output:
	// {"v":1,"seq":1,"time":"1970-01-01T00:00:00.000Z","type":"message","turn":1,"role":"agent","text":"Hello."} <nil>
	// Hello.
}

func ExampleParse() {
	e, err := event.Parse([]byte(`{"v":1,"seq":9,"time":"2026-01-02T03:04:05.678Z","type":"warning","code":"junk","message":"a banner"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	switch body := e.Body.(type) {
	case event.Warning:
		fmt.Println(e.Seq, body.Code, body.Message)
	default:
		fmt.Println(e.Type())
	}
	// Output: 9 junk a banner
}
