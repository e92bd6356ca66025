package agentcore

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/store"
)

func openParams(session, cwd string) string {
	return fmt.Sprintf(`{"sessionId":%q,"cwd":%q,"mcpServers":[]}`, session, cwd)
}

func TestAC28_Resume(t *testing.T) {
	t.Parallel()
	f := calling(shellCall("true"))
	core := newCore(t, &setup{Options: fakeOptions(f)})
	dir := t.TempDir()
	p := start(t, &setup{core: core, answer: allowing})
	s := p.session(dir)
	p.prompt(s, "one")
	set(p, s, "reasoning_effort", "high")
	set(p, s, "mode", "auto")
	p.ok("session/close", `{"sessionId":"`+s+`"}`)
	p = start(t, &setup{core: core})
	result := p.ok("session/resume", fmt.Sprintf(`{"sessionId":%q,"cwd":%q}`, s, dir+"/."))
	// AC-32: the selections are those that were left.
	if got := values(options(t, result)); got != "model=test/fake;reasoning_effort=high;mode=auto;" {
		t.Errorf("options %s", got)
	}
	if !strings.Contains(string(result), `"currentModeId":"auto"`) || strings.Contains(string(result), "sessionId") {
		t.Errorf("result %s", result)
	}
	if got := p.prompt(s, "two"); got != "end_turn" {
		t.Errorf("stop reason %q", got)
	}
	if d := cmp.Diff([]string{"agent_message_chunk"}, kinds(p)); d != "" {
		t.Errorf("updates (-want +got):\n%s", d)
	}
	var roles []string
	requests := f.seen()
	for _, m := range requests[len(requests)-1].Messages {
		roles = append(roles, string(m.Role))
	}
	if d := cmp.Diff([]string{"system", "user", "assistant", "tool", "assistant", "user"}, roles); d != "" {
		t.Errorf("history (-want +got):\n%s", d)
	}
}

func TestAC28_Refusals(t *testing.T) {
	t.Parallel()
	core := newCore(t, &setup{})
	p := start(t, &setup{core: core})
	child, err := core.opts.Store.Create(t.Context(), store.Header{ID: "child", Parent: "p", Cwd: "/"})
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = child.Close()
	dir := t.TempDir()
	active, idle := p.session("/"), p.idle(dir)
	for _, method := range []string{"session/resume", "session/load"} {
		p.refused(method, openParams("nobody", "/"), -32002, "unknown_session")
		p.refused(method, openParams("child", "/"), -32602, "not_top_level")
		p.refused(method, openParams(idle, "/"), -32602, "cwd_mismatch")
		p.refused(method, openParams(idle, "x"), -32602, "cwd_not_absolute")
		p.refused(method, `[]`, -32602, "invalid_params")
	}
	p.refused("session/resume", openParams(active, "/"), -32602, "session_active")
	p.refused("session/load", fmt.Sprintf(`{"sessionId":%q,"cwd":%q}`, idle, dir), -32602, "mcp_invalid")
	p.ok("session/resume", openParams(idle, dir))
}

// visible are the updates that tell the conversation, as a replay has to tell it
// again: chunks joined by message, calls with their last state.
func visible(p *peer) []string {
	var list []string
	for _, f := range p.all() {
		u := f.update()
		kind, _ := u["sessionUpdate"].(string)
		switch {
		case strings.HasSuffix(kind, "_chunk") && kind != "user_message_chunk":
			raw, _ := json.Marshal(u["content"])
			list = append(list, fmt.Sprint(kind, u["messageId"], string(raw)))
		case kind == "tool_call":
			list = append(list, fmt.Sprint(kind, u["toolCallId"], u["title"], u["kind"], u["rawInput"]))
		case kind == "tool_call_update" && u["status"] != "in_progress":
			raw, _ := json.Marshal(u)
			list = append(list, string(raw))
		}
	}
	return list
}

const twoTurns = `
turns:
  - steps:
    - thought: hm
      text: I write.
      calls: [{tool: write_file, args: {path: a.txt, content: "x\n"}}, {tool: read_file, args: {path: missing}}]
    - text: done
  - steps: [{text: more}]
`

func TestAC29_LoadReplaysTheConversation(t *testing.T) {
	t.Parallel()
	core := newCore(t, &setup{script: twoTurns})
	dir := t.TempDir()
	p := start(t, &setup{core: core, answer: allowing})
	s := p.session(dir)
	p.prompt(s, "one")
	p.prompt(s, "two")
	live := visible(p)
	p.ok("session/close", `{"sessionId":"`+s+`"}`)

	p = start(t, &setup{core: core})
	id := p.send("session/load", openParams(s, dir))
	p.response(id)
	p.find("the plan", func(f *frame) bool { return f.update()["sessionUpdate"] == "plan" })
	if d := cmp.Diff(live, visible(p)); d != "" {
		t.Errorf("replay (-live +replayed):\n%s", d)
	}
	text, ids := textOf(p.updates("user_message_chunk"))
	if text != "onetwo" || len(ids) != 2 {
		t.Errorf("user messages %q with ids %q", text, ids)
	}
	// AC-66: the history comes ahead of the response, the plan (AC-65) behind it.
	if got := order(p, "plan"); len(got) < 2 || got[len(got)-2] != "response "+id {
		t.Errorf("order %v, want the plan behind the response", got)
	}
	if last := p.all()[len(p.all())-1]; last.update()["sessionUpdate"] != "plan" {
		t.Errorf("the last frame is %s", last.raw)
	}
}

func TestAC29_ReplayOfImages(t *testing.T) {
	t.Parallel()
	o := fakeOptions(&fake{stream: sayOK})
	o.DefaultModel = "test/other"
	p := start(t, &setup{Options: o})
	s := p.session("/")
	p.ok("session/prompt", `{"sessionId":"`+s+`","prompt":[{"type":"text","text":"see"},`+imageBlock("image/x", b64(png))+`]}`)
	p.ok("session/close", `{"sessionId":"`+s+`"}`)
	p.ok("session/load", openParams(s, "/"))
	got := p.updates("user_message_chunk")
	want := map[string]any{"type": "image", "mimeType": "image/png", "data": b64(png)}
	if len(got) != 2 || cmp.Diff(want, got[1]["content"]) != "" || got[0]["messageId"] != got[1]["messageId"] {
		t.Errorf("replayed are %v, want text and image of one message", got)
	}
}

func TestAC30_LoadOfAnActiveSession(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := calling(fileCall("delete_file", "missing"))
		p := start(t, &setup{Options: fakeOptions(f)})
		s := p.session("/")
		prompt := p.send("session/prompt", promptParams(s, "go"))
		asked := p.request("session/request_permission", 1)
		p.refused("session/load", openParams(s, "/"), -32600, "prompt_in_progress")
		p.reply(asked, `{"outcome":{"outcome":"selected","optionId":"reject_once"}}`)
		p.response(prompt)
		head := `{"sessionId":"` + s + `","cwd":"/","mcpServers":`
		p.refused("session/load", head+`[],"additionalDirectories":[]}`, -32602, "session_active")
		p.refused("session/load", head+`[{"name":"x","command":"y","args":[],"env":[]}]}`, -32602, "session_active")
		p.refused("session/load", head+`7}`, -32602, "invalid_params")
		before := len(visible(p))
		if got := values(options(t, p.ok("session/load", openParams(s, "/")))); got != "model=test/fake;reasoning_effort=provider default;mode=manual;" {
			t.Errorf("options %s", got)
		}
		if all := visible(p); cmp.Diff(all[:before], all[before:]) != "" || before == 0 {
			t.Errorf("replayed are %v, want %v", all[before:], all[:before])
		}
		if got := p.prompt(s, "again"); got != "end_turn" {
			t.Errorf("stop reason %q", got)
		}
	})
}

func TestAC32_WhatIsGoneFallsBack(t *testing.T) {
	t.Parallel()
	memory := store.NewMemory()
	o := fakeOptions(&fake{stream: sayOK})
	o.Store = memory
	p := start(t, &setup{Options: o})
	byModel, byEffort := p.session("/"), p.session("/")
	set(p, byModel, "model", "test/other")
	set(p, byEffort, "reasoning_effort", "low")
	for _, s := range []string{byModel, byEffort} {
		p.ok("session/close", `{"sessionId":"`+s+`"}`)
	}
	o = fakeOptions(&fake{stream: sayOK})
	o.Store = memory
	o.Models.Entries = o.Models.Entries[:1]
	o.Models.Entries[0].Efforts = []string{"high"}
	o.Models.Entries[0].DefaultEffort = "high"
	p = start(t, &setup{Options: o})
	for _, s := range []string{byModel, byEffort} {
		if got := values(options(t, p.ok("session/resume", openParams(s, "/")))); got != "model=test/fake;reasoning_effort=high;mode=manual;" {
			t.Errorf("options %s", got)
		}
	}
}

func TestAC33_OneOfTwoResumes(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{Options: Options{DefaultModel: "offline/echo"}})
	s := p.idle("/")
	for _, method := range []string{"session/resume", "session/load"} {
		first := p.send(method, openParams(s, "/"))
		second := p.send("session/resume", openParams(s, "/"))
		if f := p.response(first); f.Error != nil {
			t.Errorf("the first one: %s", f.raw)
		}
		if f := p.response(second); f.Error == nil || f.Error.Code != -32602 || f.reason() != "session_active" {
			t.Errorf("the second one: %s", f.raw)
		}
		p.prompt(s, "go")
		p.ok("session/close", `{"sessionId":"`+s+`"}`)
	}
}

// interrupted stores what is left of a session whose process died.
func interrupted(t *testing.T, core *Core, records ...record) string {
	t.Helper()
	h, err := core.opts.Store.Create(t.Context(), store.Header{ID: "dead", Cwd: "/"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		raw, err := json.Marshal(&records[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Append(raw); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = h.Close()
	return "dead"
}

func TestAC19_InterruptedTurnIsClosedOnce(t *testing.T) {
	t.Parallel()
	f := &fake{stream: sayOK}
	core := newCore(t, &setup{Options: fakeOptions(f)})
	s := interrupted(t, core,
		record{Type: recordUser, ID: "m1", Text: "go"},
		record{Type: recordAssistant, ID: "m2", Text: "two calls", Calls: []recordCall{{"c1", "shell", "{}"}, {"c2", "shell", "{}"}}},
		record{Type: recordTool, ID: "c1", Text: "fine", Tool: &recordedTool{Name: "shell", Kind: "execute"}},
	)
	p := start(t, &setup{core: core})
	for range 2 {
		p.ok("session/load", openParams(s, "/"))
		p.ok("session/close", `{"sessionId":"`+s+`"}`)
		if info, err := core.opts.Store.Stat(t.Context(), s); err != nil || info.Records != 5 {
			t.Errorf("stored are %d records, %v, want 5", info.Records, err)
		}
	}
	p.ok("session/resume", openParams(s, "/"))
	p.prompt(s, "again")
	var got []string
	for _, m := range f.seen()[0].Messages[1:] {
		got = append(got, fmt.Sprint(m.Role, " ", m.CallID, m.Text))
	}
	want := []string{
		"user go", "assistant two calls", "tool c1fine", "tool c2interrupted: the agent ended before this call did",
		"assistant (the turn was interrupted)", "user again",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("history (-want +got):\n%s", d)
	}
	closed := p.updates("tool_call_update")
	if last := closed[len(closed)-1]; last["toolCallId"] != "c2" || last["status"] != "failed" {
		t.Errorf("the last replayed call is %v, want c2 failed", last)
	}
}

func TestRefusedTurnStaysOutOfTheHistory(t *testing.T) {
	t.Parallel()
	f := &fake{}
	f.stream = func(_ context.Context, n int, _ *model.Request, yield func(model.Chunk, error) bool) {
		if n == 1 {
			yield(model.Chunk{Text: "no", End: model.EndRefusal}, nil)
			return
		}
		yield(model.Chunk{Text: "ok", End: model.EndStop}, nil)
	}
	p := start(t, &setup{Options: fakeOptions(f)})
	s := p.session("/")
	p.prompt(s, "refused")
	p.ok("session/close", `{"sessionId":"`+s+`"}`)
	p.ok("session/resume", openParams(s, "/"))
	p.prompt(s, "next")
	if got := f.seen()[1]; len(got.Messages) != 2 || got.Turn != 2 {
		t.Errorf("turn %d has the history %v, want the second one without the refused", got.Turn, got.Messages)
	}
}

func TestTodosComeBack(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{script: "turns: [{steps: [{todos: [{content: one, status: pending}]}, {text: done}]}]"})
	s := p.session("/")
	p.prompt(s, "go")
	p.ok("session/close", `{"sessionId":"`+s+`"}`)
	p.ok("session/load", openParams(s, "/"))
	p.find("the plan", func(*frame) bool { return len(updatesOf(p.frames, "plan")) == 3 })
	if last := p.updates("plan")[2]["entries"].([]any); len(last) != 1 {
		t.Errorf("the plan after load is %v", last)
	}
}

func TestAC78_ResumeWithOtherRoots(t *testing.T) {
	t.Parallel()
	a, b := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(a, "f"), "x")
	writeFile(t, filepath.Join(b, "f"), "x")
	calls := []model.Call{fileCall("read_file", filepath.Join(b, "f")), fileCall("read_file", filepath.Join(a, "f"))}
	p := start(t, &setup{Options: fakeOptions(calling(calls...)), answer: allowing})
	var res struct{ SessionID string }
	if err := json.Unmarshal(p.ok("session/new", fmt.Sprintf(`{"cwd":"/bin","mcpServers":[],"additionalDirectories":[%q]}`, a)), &res); err != nil {
		t.Fatal(err)
	}
	s := res.SessionID
	p.ok("session/close", `{"sessionId":"`+s+`"}`)
	p.ok("session/resume", fmt.Sprintf(`{"sessionId":%q,"cwd":"/bin","additionalDirectories":[%q]}`, s, b))
	p.prompt(s, "inside")
	if n := count(p, "session/request_permission"); n != 0 {
		t.Errorf("reading inside the new root was asked for %d times", n)
	}
	p.prompt(s, "outside")
	if n := count(p, "session/request_permission"); n != 1 {
		t.Errorf("reading in the former root was asked for %d times", n)
	}
	p.ok("session/close", `{"sessionId":"`+s+`"}`)
	if d := cmp.Diff([]string{b}, listed(p, `{}`)[0].Dirs); d != "" {
		t.Errorf("listed roots (-want +got):\n%s", d)
	}
}
