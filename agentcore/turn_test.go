package agentcore

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/model"
)

// retryScript fails once in the middle of a message.
const retryScript = `
turns:
  - steps:
    - {text: [half, " an answer"], error: {reason: provider_overloaded, retryable: true}}
    - {thought: hm, text: [whole, " answer"]}
`

// textOf joins the text of message chunks, and returns their ids.
func textOf(updates []map[string]any) (text string, ids []string) {
	for _, u := range updates {
		content, _ := u["content"].(map[string]any)
		part, _ := content["text"].(string)
		text += part
		if id, _ := u["messageId"].(string); len(ids) == 0 || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
	}
	return text, ids
}

// kinds are the kinds of all updates of a turn in order, without the plan that
// comes with the session.
func kinds(p *peer) []string {
	p.find("the plan", func(f *frame) bool { return f.update()["sessionUpdate"] == "plan" })
	var list []string
	for _, f := range p.all() {
		if u := f.update(); u != nil {
			kind, _ := u["sessionUpdate"].(string)
			if status, ok := u["status"].(string); ok {
				kind += " " + status
			}
			list = append(list, kind)
		}
	}
	return list[1:]
}

func TestAC49_UpdatesComeBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	st := setup{script: editScript, answer: allowing}
	p := start(t, &st)
	s := p.session(t.TempDir())
	p.prompt(s, "go")
	all := p.all()
	if last := all[len(all)-1]; !strings.Contains(last.raw, `"stopReason":"end_turn"`) {
		t.Errorf("the last frame is %s, want the answer", last.raw)
	}
	want := []string{
		"tool_call pending", "tool_call_update in_progress", "tool_call_update completed",
		"tool_call pending", "tool_call_update in_progress", "tool_call_update completed", "plan", "agent_message_chunk",
	}
	if d := cmp.Diff(want, kinds(p)); d != "" {
		t.Errorf("updates (-want +got):\n%s", d)
	}
}

func TestAC50_OnePromptAtATime(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	p := start(t, &setup{Options: fakeOptions(&fake{stream: func(_ context.Context, _ int, req *model.Request, yield func(model.Chunk, error) bool) {
		if req.Session == "sess_1" {
			<-gate
		}
		yield(model.Chunk{Text: "ok", End: model.EndStop}, nil)
	}})})
	a, b := p.session(t.TempDir()), p.session(t.TempDir())
	first := p.send("session/prompt", promptParams(a, "one"))
	p.refused("session/prompt", promptParams(a, "two"), -32600, "prompt_in_progress")
	if got := p.prompt(b, "other session"); got != "end_turn" {
		t.Errorf("the other session's turn ended with %q", got)
	}
	close(gate)
	if got := stopReason(t, p.response(first)); got != "end_turn" {
		t.Errorf("the first prompt ended with %q", got)
	}
}

// fakeOptions offer one model test/fake.
func fakeOptions(f *fake) Options {
	return Options{
		Models: &model.Catalog{Entries: []model.Entry{
			{Provider: "test", ID: "fake", Efforts: []string{"low", "high"}, Model: f},
			{Provider: "test", ID: "other", Vision: true, Model: f},
		}},
		DefaultModel: "test/fake",
	}
}

func TestAC57_DiscardedAttemptsLeaveNoUpdate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &setup{script: retryScript})
		p.prompt(p.session(t.TempDir()), "go")
		if d := cmp.Diff([]string{"agent_thought_chunk", "agent_message_chunk"}, kinds(p)); d != "" {
			t.Errorf("updates (-want +got):\n%s", d)
		}
		if text, ids := textOf(p.updates("agent_message_chunk")); text != "whole answer" || len(ids) != 1 {
			t.Errorf("text %q with ids %q, want one whole answer", text, ids)
		}
	})
}

func TestAC58_Streaming(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := setup{script: retryScript, init: optedIn}
		st.Stream = true
		core := newCore(t, &st)
		st.core = core
		p := start(t, &st)
		s := p.session(t.TempDir())
		p.prompt(s, "go")
		text, ids := textOf(p.updates("agent_message_chunk"))
		if text != "half an answerwhole answer" || len(ids) != 2 || len(p.updates("agent_message_chunk")) != 4 {
			t.Fatalf("text %q with ids %q", text, ids)
		}
		discarded := p.find("the retraction", func(f *frame) bool { return f.Method == attemptDiscardedMethod })
		if !strings.Contains(discarded.raw, `"messageIds":["`+ids[0]+`"]`) || !strings.Contains(discarded.raw, `"sessionId":"`+s+`"`) {
			t.Errorf("retraction %s, want message %s", discarded.raw, ids[0])
		}
		log := storedLog(t, core, p, s)
		if strings.Contains(log, `"`+ids[0]+`"`) || !strings.Contains(log, `"id":"`+ids[1]+`","text":"whole answer"`) {
			t.Errorf("stored are %s, want only %s", log, ids[1])
		}
	})
}

// storedLog closes a session and returns its records.
func storedLog(t *testing.T, core *Core, p *peer, session string) string {
	t.Helper()
	p.ok("session/close", `{"sessionId":"`+session+`"}`)
	h, err := core.opts.Store.Open(context.Background(), session)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var b strings.Builder
	for raw, err := range h.Read(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	return b.String()
}

func TestAC59_IDsAreTheStoredOnes(t *testing.T) {
	t.Parallel()
	st := setup{script: editScript, answer: allowing}
	core := newCore(t, &st)
	st.core = core
	p := start(t, &st)
	s := p.session(t.TempDir())
	p.prompt(s, "go")
	log := storedLog(t, core, p, s)
	seen := map[string]bool{}
	for _, u := range append(p.updates("agent_message_chunk"), p.updates("tool_call")...) {
		id, _ := u["messageId"].(string)
		if id == "" {
			id, _ = u["toolCallId"].(string)
		}
		if seen[id] || !strings.Contains(log, `"id":"`+id+`"`) {
			t.Errorf("id %q of %v is used twice or not stored in\n%s", id, u, log)
		}
		seen[id] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d ids, want 3", len(seen))
	}
}

func TestAC63_UsageIsSentWhereItWasMeasured(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{script: `
turns:
  - steps: [{text: a}]
  - steps: [{text: b, usage: {input: 10}}]
  - steps: [{text: c, usage: {contextUsed: 100}}]
  - steps: [{text: d, usage: {contextUsed: 100, contextSize: 1000}}]
`})
	s := p.session(t.TempDir())
	for range 4 {
		p.prompt(s, "go")
	}
	want := []map[string]any{{"sessionUpdate": "usage_update", "used": 100.0, "size": 1000.0}}
	if d := cmp.Diff(want, p.updates("usage_update")); d != "" {
		t.Errorf("usage (-want +got):\n%s", d)
	}
}

func TestAC63_CostNeedsACurrency(t *testing.T) {
	t.Parallel()
	u := model.Usage{ContextUsed: 1, CostAmount: 2}
	entry := model.Entry{ContextSize: 10}
	if got := usageUpdates(&u, &entry)[0]; got["cost"] != nil || got["size"] != 10 {
		t.Errorf("without currency: %v", got)
	}
	u.CostCurrency = "EUR"
	if got := usageUpdates(&u, &entry)[0]["cost"]; cmp.Diff(map[string]any{"amount": 2.0, "currency": "EUR"}, got) != "" {
		t.Errorf("cost %v", got)
	}
}

func TestAC64_PlansAreWholeLists(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{script: `
turns:
  - steps:
    - todos: [{content: one, status: pending}]
    - todos: [{content: one, status: completed}, {content: two, status: in_progress, priority: high}]
    - todos: [{content: one, status: completed}, {content: two, status: in_progress, priority: high}]
    - text: done
`})
	p.prompt(p.session(t.TempDir()), "go")
	var sizes []int
	for _, u := range p.updates("plan") {
		entries, _ := u["entries"].([]any)
		sizes = append(sizes, len(entries))
	}
	if d := cmp.Diff([]int{0, 1, 2}, sizes); d != "" {
		t.Errorf("sizes of the plans (-want +got):\n%s", d)
	}
	last := p.updates("plan")[2]["entries"].([]any)[1]
	if d := cmp.Diff(map[string]any{"content": "two", "priority": "high", "status": "in_progress"}, last); d != "" {
		t.Errorf("entry (-want +got):\n%s", d)
	}
}

func TestAC66_UpdatesOfANewSessionFollowItsResponse(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	for range 50 {
		p.session("/")
	}
	known := map[string]bool{}
	for _, f := range p.all() {
		var v struct{ SessionID string }
		if f.update() != nil {
			if err := json.Unmarshal(f.Params, &v); err != nil || !known[v.SessionID] {
				t.Fatalf("an update before its session's response: %s", f.raw)
			}
		} else if len(f.Result) > 0 && json.Unmarshal(f.Result, &v) == nil {
			known[v.SessionID] = true
		}
	}
}

func TestAC74_Endings(t *testing.T) {
	t.Parallel()
	st := setup{script: `
turns:
  - steps: [{text: a, end: end_turn}]
  - steps: [{text: b, end: max_tokens}]
  - steps: [{text: c, end: refusal}]
  - steps: [{calls: [{tool: list_dir, args: {}}]}, {calls: [{tool: list_dir, args: {}}]}, {text: d}]
  - steps: [{text: e, end: strange}]
  - steps: [{error: {reason: provider_auth}}]
`}
	st.MaxSteps = 2
	p := start(t, &st)
	s := p.session(t.TempDir())
	for _, want := range []string{"end_turn", "max_tokens", "refusal", "max_turn_requests"} {
		f := p.call("session/prompt", promptParams(s, "go"))
		if got := string(f.Result); got != `{"stopReason":"`+want+`"}` {
			t.Errorf("result %s, want %s alone", got, want)
		}
	}
	p.refused("session/prompt", promptParams(s, "go"), -32603, "provider_error")
	p.refused("session/prompt", promptParams(s, "go"), -32603, "provider_auth")
}

func TestAC75_HistoryAfterBadEndings(t *testing.T) {
	t.Parallel()
	f := &fake{}
	f.stream = func(_ context.Context, n int, _ *model.Request, yield func(model.Chunk, error) bool) {
		switch n {
		case 1:
			yield(model.Chunk{Text: "x"}, &model.Error{Reason: model.ReasonProvider, Message: "broken"})
		case 2:
			yield(model.Chunk{Text: "no", End: model.EndRefusal}, nil)
		case 3:
			panic("a model went mad")
		case 4:
			yield(model.Chunk{Call: &model.Call{Name: "list_dir", Args: []byte("{}")}, End: model.EndMaxTokens}, nil)
		default:
			yield(model.Chunk{Text: "good", End: model.EndStop}, nil)
		}
	}
	p := start(t, &setup{Options: fakeOptions(f)})
	s := p.session(t.TempDir())
	p.refused("session/prompt", promptParams(s, "one"), -32603, "provider_error")
	p.prompt(s, "refused")
	p.refused("session/prompt", promptParams(s, "three"), -32603, "internal_error")
	p.prompt(s, "four")
	p.prompt(s, "five")
	var got []string
	for _, m := range f.seen()[4].Messages[1:] {
		got = append(got, string(m.Role)+": "+m.Text)
	}
	want := []string{
		"user: one", "assistant: (the turn ended with an error)", "user: three", "assistant: (the turn ended with an error)",
		"user: four", "assistant: (the answer was cut off before it began)", "user: five",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("history (-want +got):\n%s", d)
	}
}

func TestAC75_RetriesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{stream: func(_ context.Context, _ int, _ *model.Request, yield func(model.Chunk, error) bool) {
			yield(model.Chunk{}, &model.Error{Reason: model.ReasonOverloaded, Retryable: true})
		}}
		p := start(t, &setup{Options: fakeOptions(f)})
		p.refused("session/prompt", promptParams(p.session(t.TempDir()), "go"), -32603, "provider_overloaded")
		if n := len(f.seen()); n != maxAttempts {
			t.Errorf("%d attempts, want %d", n, maxAttempts)
		}
	})
}
