package agentcore

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/model"
)

// calling is a model that makes the given calls, one turn after the other, and then
// says ok.
func calling(calls ...model.Call) *fake {
	return &fake{stream: func(_ context.Context, _ int, req *model.Request, yield func(model.Chunk, error) bool) {
		if req.Step == 1 && req.Turn <= len(calls) {
			yield(model.Chunk{Call: &calls[req.Turn-1], End: model.EndToolCalls}, nil)
			return
		}
		yield(model.Chunk{Text: "ok", End: model.EndStop}, nil)
	}}
}

func shellCall(command string) model.Call {
	raw, _ := json.Marshal(map[string]string{"command": command})
	return model.Call{Name: "shell", Args: raw}
}

func fileCall(name, path string) model.Call {
	raw, _ := json.Marshal(map[string]string{"path": path, "content": "x\n"})
	if name != "write_file" {
		raw, _ = json.Marshal(map[string]string{"path": path})
	}
	return model.Call{Name: name, Args: raw}
}

// ends are the last statuses of all calls in order.
func ends(p *peer) string {
	var list []string
	for _, u := range p.updates("tool_call_update") {
		if s := u["status"]; s != "in_progress" {
			list = append(list, fmt.Sprint(s))
		}
	}
	return strings.Join(list, " ")
}

func TestAC44_Modes(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	writeFile(t, outside, "x")
	calls := []model.Call{
		fileCall("read_file", "a"), fileCall("write_file", "b"), shellCall("true"), fileCall("delete_file", "a"),
		fileCall("read_file", outside),
		{Name: "todo_write", Args: []byte(`{"todos":[]}`)},
		{Name: "grep", Args: []byte(`{"pattern":"x"}`)},
	}
	for mode, want := range map[string]string{
		"manual": "write_file shell delete_file read_file",
		"auto":   "shell delete_file read_file",
		"bypass": "read_file",
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "a"), "x")
		p := start(t, &setup{Options: fakeOptions(calling(calls...)), answer: allowing})
		s := p.session(dir)
		set(p, s, "mode", mode)
		for range calls {
			p.prompt(s, "go")
		}
		var asked []string
		for _, f := range p.all() {
			if f.Method == "session/request_permission" {
				var v struct{ ToolCall struct{ Title string } }
				_ = json.Unmarshal(f.Params, &v)
				asked = append(asked, v.ToolCall.Title)
			}
		}
		if got := strings.Join(asked, " "); got != want {
			t.Errorf("%s asked for %q, want %q", mode, got, want)
		}
		if got := ends(p); strings.Contains(got, "failed") {
			t.Errorf("%s: calls ended with %s", mode, got)
		}
	}
}

func TestAC44_BothWaysOfSetting(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	s := p.session("/")
	if got := string(p.ok("session/set_mode", `{"sessionId":"`+s+`","modeId":"auto"}`)); got != `{}` {
		t.Errorf("result of set_mode %s", got)
	}
	set(p, s, "mode", "bypass")
	p.refused("session/set_mode", `{"sessionId":"`+s+`","modeId":"bogus"}`, -32602, "unknown_value")
	p.refused("session/set_mode", `{"sessionId":"nobody","modeId":"auto"}`, -32002, "unknown_session")
	if d := cmp.Diff([]string{"current_mode_update", "config_option_update", "current_mode_update"}, kinds(p)); d != "" {
		t.Errorf("updates (-want +got):\n%s", d)
	}
	modes := p.updates("current_mode_update")
	if modes[0]["currentModeId"] != "auto" || modes[1]["currentModeId"] != "bypass" {
		t.Errorf("mode updates %v", modes)
	}
	raw, _ := json.Marshal(p.updates("config_option_update")[0])
	if got := options(t, raw); len(got) != 3 || got[2].CurrentValue != "auto" {
		t.Errorf("option update %s", raw)
	}
}

func TestAC44_ModeCountsAtOnceAndForOneSession(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{script: `
turns:
  - steps:
    - calls: [{tool: shell, args: {command: "true"}}]
    - calls: [{tool: shell, args: {command: "true"}}]
    - text: done
`})
	a, b := p.session(t.TempDir()), p.session(t.TempDir())
	running := p.send("session/prompt", promptParams(a, "go"))
	asked := p.request("session/request_permission", 1)
	p.ok("session/set_mode", `{"sessionId":"`+a+`","modeId":"bypass"}`)
	p.reply(asked, `{"outcome":{"outcome":"selected","optionId":"allow_once"}}`)
	p.response(running)
	if n := count(p, "session/request_permission"); n != 1 || ends(p) != "completed completed" {
		t.Errorf("%d questions, calls ended with %s", n, ends(p))
	}
	other := p.send("session/prompt", promptParams(b, "go"))
	for n := range 2 {
		p.reply(p.request("session/request_permission", 2+n), `{"outcome":{"outcome":"selected","optionId":"reject_once"}}`)
	}
	p.response(other)
}

func TestClientNamesKindsThatAreAlwaysAskedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a"), "x")
	calls := []model.Call{fileCall("read_file", "a"), fileCall("read_file", "a"), shellCall("true")}
	p := start(t, &setup{Options: fakeOptions(calling(calls...)), answer: allowing})
	var res struct{ SessionID string }
	raw := p.ok("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[],"_meta":{"chrys":{"ask":["read"]}}}`, dir))
	if err := json.Unmarshal(raw, &res); err != nil {
		t.Fatal(err)
	}
	set(p, res.SessionID, "mode", "bypass")
	for range calls {
		p.prompt(res.SessionID, "go")
	}
	if n := count(p, "session/request_permission"); n != 2 {
		t.Errorf("%d questions, want one for each reading call", n)
	}
	if asked := p.request("session/request_permission", 1); strings.Contains(asked.raw, "allow_always") {
		t.Errorf("a lasting permission is offered where each call has to be asked for: %s", asked.raw)
	}
}

func TestAC61_CallIsShownBeforeItsPermissionRequest(t *testing.T) {
	t.Parallel()
	loops := 500
	if testing.Short() {
		loops = 50
	}
	f := &fake{stream: func(_ context.Context, _ int, req *model.Request, yield func(model.Chunk, error) bool) {
		if req.Step > loops {
			yield(model.Chunk{Text: "ok", End: model.EndStop}, nil)
			return
		}
		call := fileCall("delete_file", "missing")
		yield(model.Chunk{Call: &call, End: model.EndToolCalls}, nil)
	}}
	st := setup{Options: fakeOptions(f), answer: allowing}
	st.MaxSteps = loops + 1
	p := start(t, &st)
	p.prompt(p.session(t.TempDir()), "go")
	shown, asked := map[string]bool{}, 0
	for _, f := range p.all() {
		if u := f.update(); u["sessionUpdate"] == "tool_call" {
			shown[u["toolCallId"].(string)] = true
		}
		if f.Method == "session/request_permission" {
			var v struct{ ToolCall struct{ ToolCallID string } }
			if err := json.Unmarshal(f.Params, &v); err != nil || !shown[v.ToolCall.ToolCallID] {
				t.Fatalf("asked before the call was shown: %s", f.raw)
			}
			asked++
		}
	}
	if asked != loops {
		t.Errorf("%d questions, want %d", asked, loops)
	}
}

func TestAC68_PermissionRequest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, &setup{Options: fakeOptions(calling(fileCall("write_file", "a"))), answer: allowing})
	p.prompt(p.session(dir), "go")
	var got any
	if err := json.Unmarshal(p.request("session/request_permission", 1).Params, &got); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a")
	want := map[string]any{
		"sessionId": "sess_1",
		"toolCall": map[string]any{
			"toolCallId": "call_1", "title": "write_file", "name": "write_file", "kind": "edit", "status": "pending",
			"rawInput":  map[string]any{"path": "a", "content": "x\n"},
			"locations": []any{map[string]any{"path": path}},
			"content":   []any{map[string]any{"type": "diff", "path": path, "newText": "x\n"}},
		},
		"options": []any{
			map[string]any{"optionId": "allow_once", "name": "Allow", "kind": "allow_once"},
			map[string]any{"optionId": "allow_always", "name": "Allow write_file in this session", "kind": "allow_always"},
			map[string]any{"optionId": "reject_once", "name": "Reject", "kind": "reject_once"},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
}

func TestAC68_WhatIsNoAllowanceRejects(t *testing.T) {
	t.Parallel()
	for _, members := range []string{
		`"result":{"outcome":{"outcome":"selected","optionId":"reject_once"}}`,
		`"result":{"outcome":{"outcome":"selected","optionId":"unknown"}}`,
		`"result":{"outcome":{"outcome":"selected","optionId":"cancelled"}}`,
		`"result":{"outcome":{"outcome":"selected"}}`,
		`"result":{"outcome":{"outcome":"strange","optionId":"allow_once"}}`,
		`"result":{"outcome":"selected"}`,
		`"result":null`,
		`"result":[]`,
		`"error":{"code":-32603,"message":"no"}`,
	} {
		f := calling(fileCall("write_file", "a"))
		p := start(t, &setup{Options: fakeOptions(f), answer: func(*frame) string { return members }})
		dir := t.TempDir()
		if got := p.prompt(p.session(dir), "go"); got != "end_turn" {
			t.Errorf("%s: stop reason %q", members, got)
		}
		told := f.seen()[1].Messages[3]
		if ends(p) != "failed" || !told.IsError || !strings.Contains(told.Text, "denied") {
			t.Errorf("%s: call ended with %s, the model was told %+v", members, ends(p), told)
		}
		if got, _ := filepath.Glob(filepath.Join(dir, "*")); len(got) != 0 {
			t.Errorf("%s: the tool ran", members)
		}
	}
}

func TestAC68_CancelledOutcomeEndsTheTurn(t *testing.T) {
	t.Parallel()
	f := calling(fileCall("write_file", "a"))
	p := start(t, &setup{Options: fakeOptions(f), answer: func(*frame) string { return `"result":{"outcome":{"outcome":"cancelled"}}` }})
	if got := p.prompt(p.session(t.TempDir()), "go"); got != "cancelled" {
		t.Errorf("stop reason %q", got)
	}
	if ends(p) != "failed" || len(f.seen()) != 1 {
		t.Errorf("call ended with %s after %d model requests", ends(p), len(f.seen()))
	}
}

func TestAC68_AllowAlwaysLastsForTheSession(t *testing.T) {
	t.Parallel()
	calls := []model.Call{shellCall("true"), shellCall("echo"), fileCall("write_file", "a")}
	always := func(*frame) string { return `"result":{"outcome":{"outcome":"selected","optionId":"allow_always"}}` }
	p := start(t, &setup{Options: fakeOptions(calling(calls...)), answer: always})
	s := p.session(t.TempDir())
	for range calls {
		p.prompt(s, "go")
	}
	if n := count(p, "session/request_permission"); n != 2 {
		t.Errorf("%d questions, want one for each of the two tools", n)
	}
	p.prompt(p.session(t.TempDir()), "go")
	if n := count(p, "session/request_permission"); n != 3 {
		t.Errorf("%d questions, want another session to ask again", n)
	}
}

func TestAC69_PermissionWaitIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := calling(fileCall("delete_file", "missing"))
		p := start(t, &setup{Options: fakeOptions(f)})
		s, other := p.session(t.TempDir()), p.session(t.TempDir())
		begun := time.Now()
		running := p.send("session/prompt", promptParams(s, "go"))
		asked := p.request("session/request_permission", 1)
		set(p, other, "mode", "bypass")
		if got := p.prompt(other, "go"); got != "end_turn" {
			t.Errorf("the other session ended with %q", got)
		}
		if got := stopReason(t, p.response(running)); got != "end_turn" {
			t.Errorf("stop reason %q", got)
		}
		if waited := time.Since(begun); waited != 10*time.Minute {
			t.Errorf("waited %v, want 10 min", waited)
		}
		withdrawn := p.find("$/cancel_request", func(f *frame) bool { return f.Method == "$/cancel_request" })
		if !strings.Contains(withdrawn.raw, `"requestId":`+string(asked.ID)) {
			t.Errorf("withdrawn %s, want request %s", withdrawn.raw, asked.ID)
		}
		frames := len(p.all())
		p.reply(asked, `{"outcome":{"outcome":"selected","optionId":"allow_once"}}`)
		synctest.Wait()
		if n := len(p.all()); n != frames {
			t.Errorf("the late answer led to %d frames", n-frames)
		}
		if got := p.prompt(s, "again"); got != "end_turn" {
			t.Errorf("stop reason %q after the late answer", got)
		}
	})
}
