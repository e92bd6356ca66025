package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"
)

// ErrVersion is the error of [Parse] for a line of another version of the stream.
var ErrVersion = errors.New("unsupported version of the event stream")

// UnknownTypeError is the error of [Parse] for a line whose type this version
// does not know. Newer streams of the same version may have such lines: skip them.
type UnknownTypeError struct{ Name string }

// Error names the type.
func (e *UnknownTypeError) Error() string { return fmt.Sprintf("unknown event type %q", e.Name) }

// Parse reads one line of the stream back, as [Event.AppendJSON] wrote it; a
// newline at its end is allowed. Writing the event again gives the same bytes,
// but for fields that this version does not know: they are dropped.
//
// Numbers inside inputs and outputs are [json.Number]. Errors: an
// [*UnknownTypeError], [ErrVersion], else the line is no event.
func Parse(line []byte) (*Event, error) {
	var env struct {
		V         int       `json:"v"`
		Seq       int64     `json:"seq"`
		Time      time.Time `json:"time"`
		Type      string    `json:"type"`
		Run       string    `json:"run"`
		Step      string    `json:"step"`
		Item      *int      `json:"item"`
		Index     *int      `json:"index"`
		SessionID string    `json:"sessionId"`
		Turn      int       `json:"turn"`
	}
	if err := json.Unmarshal(line, &env); err != nil {
		return nil, fmt.Errorf("reading an event: %w", err)
	}
	if env.V != Version {
		return nil, fmt.Errorf("reading an event: %w: %d", ErrVersion, env.V)
	}
	kind, ok := bodyTypes()[env.Type]
	if !ok {
		return nil, &UnknownTypeError{Name: env.Type}
	}
	body := reflect.New(kind)
	if err := decode(line, body.Interface()); err != nil {
		return nil, fmt.Errorf("reading an event of type %s: %w", env.Type, err)
	}
	return &Event{
		Seq: env.Seq, Time: env.Time.UTC(), Run: env.Run, Step: env.Step,
		Item: env.Item, Index: env.Index, SessionID: env.SessionID, Turn: env.Turn,
		Body: body.Elem().Interface().(Body),
	}, nil
}

// bodyTypes maps the names of the types to their Go types.
var bodyTypes = sync.OnceValue(func() map[string]reflect.Type {
	m := make(map[string]reflect.Type)
	for _, b := range Bodies() {
		m[b.Type()] = reflect.TypeOf(b)
	}
	return m
})

// decode reads one JSON value and keeps the spelling of free numbers.
func decode(doc []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}
