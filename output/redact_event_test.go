package output

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/controller/event"
)

const token = "ghp_0123456789"

// shown masks a sequence of events and prints what comes of each.
func shown(r *Redactor, events ...event.Event) []string {
	var list []string
	for _, e := range events {
		for _, m := range r.Events(e) {
			line, err := m.AppendJSON(nil)
			if err != nil {
				line = []byte(err.Error())
			}
			_, rest, _ := strings.Cut(string(line), `"type":`)
			list = append(list, rest)
		}
	}
	return list
}

func in(session string, b event.Body) event.Event { return event.Event{SessionID: session, Body: b} }

func TestRO41_RedactEventFields(t *testing.T) {
	t.Parallel()
	code := 7
	failure := &event.Failure{Class: event.ClassAgent, Message: token, Hints: []string{"see " + token}, Data: json.RawMessage(`{"k":"` + token + `"}`), Err: errors.New(token)}
	for name, e := range map[string]event.Event{
		"lists and maps": in("s", event.RunStart{Inputs: map[string]any{token: []any{token, json.Number("1")}}, Cwd: "/" + token}),
		"tool":           in("s", event.ToolEnd{ToolCall: event.ToolCall{Command: "curl " + token, Paths: []string{token}, RawInput: json.RawMessage(`["` + token + `"]`)}}),
		"pointers":       in(token, event.Result{Error: failure, Question: &event.Question{Message: token}, Steps: map[string]*event.StepResult{"a": {Reason: token, ExitCode: &code}}}),
		"escaped":        in("s", event.Update{Update: json.RawMessage(`{"a":"\u0067hp_0123456789","b":"A\u00e9"}`)}),
		"ext (F19)":      in("s", event.Ext{Method: "_vendor/mcp_updated", Params: json.RawMessage(`{"env":[{"value":"` + token + `"}]}`)}),
		"step":           {Step: token, Body: event.StepStart{}},
	} {
		before, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(shown(NewRedactor([]string{token}), e), "")
		if strings.Contains(got, token) || strings.Contains(got, `\u0067`) || !strings.Contains(got, mask) || !json.Valid([]byte(`{"type":`+got)) {
			t.Errorf("%s: %s", name, got)
		}
		if after, _ := e.AppendJSON(nil); string(after) != string(before) {
			t.Errorf("%s: the event itself was changed", name)
		}
	}
	if failure.Err.Error() != token || failure.Message != token {
		t.Error("the failure itself was changed")
	}
}

func TestRO41_RedactEventLeavesTheRest(t *testing.T) {
	t.Parallel()
	r := NewRedactor([]string{token})
	raw := json.RawMessage(` {"b" : 1e3, "a":"A\u00e9","` + token + `":[true,null]}`)
	got := r.Events(in("s", event.Update{Update: raw}))[0].Body.(event.Update).Update
	if want := ` {"b" : 1e3, "a":"A\u00e9","***":[true,null]}`; string(got) != want {
		t.Errorf("raw %s, want %s", got, want)
	}
	if got := r.raw([]byte(`{"cut":"` + token)); string(got) != `{"cut":"***` {
		t.Errorf("broken JSON: %s", got)
	}
	n := NewRedactor([]string{"1234567"})
	if got := n.raw([]byte(`[-1234567.5,123456]`)); string(got) != `["***",123456]` {
		t.Errorf("numbers: %s", got)
	}
	inputs := n.Events(event.Event{Body: event.RunStart{Inputs: map[string]any{"pin": json.Number("1234567")}}})[0].Body.(event.RunStart).Inputs
	if diff := cmp.Diff(map[string]any{"pin": mask}, inputs); diff != "" {
		t.Error(diff)
	}
}

func TestRO60_RedactSplitSecret(t *testing.T) {
	t.Parallel()
	said := func(s string) event.Body { return event.MessageDelta{Role: "agent", MessageID: "m", Text: s} }
	thought := func(s string) event.Body { return event.ThoughtDelta{Text: s} }
	for _, c := range []struct {
		name   string
		events []event.Event
		want   []string
	}{
		{
			"split in three",
			[]event.Event{in("a", said("my ghp_01")), in("a", said("2345")), in("a", said("6789 is")), in("a", event.Message{Role: "agent", Text: "my " + token + " is"})},
			[]string{
				`"message.delta","sessionId":"a","role":"agent","messageId":"m","text":"my "}`,
				`"message.delta","sessionId":"a","role":"agent","messageId":"m","text":"*** is"}`,
				`"message","sessionId":"a","role":"agent","text":"my *** is"}`,
			},
		},
		{
			"a prefix alone comes before what ends the message",
			[]event.Event{in("a", said("my ghp_")), in("a", event.ContextUsage{}), in("a", event.TurnEnd{Text: "x"})},
			[]string{
				`"message.delta","sessionId":"a","role":"agent","messageId":"m","text":"my "}`,
				`"usage","sessionId":"a","used":0,"size":0}`,
				`"message.delta","sessionId":"a","role":"agent","messageId":"m","text":"ghp_"}`,
				`"turn.end","sessionId":"a","text":"x","durationMs":0}`,
			},
		},
		{
			"messages do not mix",
			[]event.Event{in("a", thought("ghp_0123")), in("a", said("456789")), in("b", said("ghp_")), in("a", said("!")), in("b", said("0123456789"))},
			[]string{
				`"thought.delta","sessionId":"a","text":"ghp_0123"}`,
				`"message.delta","sessionId":"a","role":"agent","messageId":"m","text":"456789"}`,
				`"message.delta","sessionId":"a","role":"agent","messageId":"m","text":"!"}`,
				`"message.delta","sessionId":"b","role":"agent","messageId":"m","text":"***"}`,
			},
		},
		{
			"the result ends all",
			[]event.Event{in("b", thought("ghp")), in("a", said("g")), {Body: event.Mode{}}, {Body: event.AgentEnd{}}},
			[]string{
				`"mode","modeId":""}`,
				`"message.delta","sessionId":"a","role":"agent","messageId":"m","text":"g"}`,
				`"thought.delta","sessionId":"b","text":"ghp"}`,
				`"agent.end"}`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, shown(NewRedactor([]string{token}), c.events...)); diff != "" {
				t.Errorf("events differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRO60_RedactWhereATextWasCut(t *testing.T) {
	t.Parallel()
	r := NewRedactor([]string{token})
	call := event.ToolCall{Output: "out ghp_01", OutputCut: true}
	for _, b := range []event.Body{event.ToolStart{ToolCall: call}, event.ToolUpdate{ToolCall: call}, event.ToolEnd{ToolCall: call}} {
		if got := shown(r, in("s", b))[0]; !strings.Contains(got, `"out ***"`) {
			t.Errorf("cut output: %s", got)
		}
	}
	call.OutputCut = false
	if got := shown(r, in("s", event.ToolEnd{ToolCall: call}))[0]; !strings.Contains(got, `"out ghp_01"`) {
		t.Errorf("whole output: %s", got)
	}
	tail := "56789" + strings.Repeat("x", stderrTail)
	if got := shown(r, event.Event{Body: event.AgentEnd{Stderr: tail}})[0]; !strings.Contains(got, `"***xxx`) {
		t.Errorf("cut stderr: %.40s", got)
	}
}
