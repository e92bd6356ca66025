package agentcore

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/store"
	"github.com/acpctl/acpctl/agentcore/tool"
)

func TestAC60_ToolCallFrames(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{script: `
turns:
  - steps:
    - calls:
      - {tool: read_file, args: {path: a.txt}}
      - {tool: read_file, args: {wrong: 1}}
      - {tool: nothing, args: {}}
    - text: done
`})
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.txt"), "hello\n")
	p.prompt(p.session(dir), "go")
	calls := p.updates("tool_call")
	if len(calls) != 3 {
		t.Fatalf("%d tool calls, want 3", len(calls))
	}
	want := map[string]any{
		"sessionUpdate": "tool_call", "toolCallId": "call_1", "title": "read_file", "name": "read_file", "kind": "read", "status": "pending",
		"rawInput":  map[string]any{"path": "a.txt"},
		"locations": []any{map[string]any{"path": filepath.Join(dir, "a.txt")}},
	}
	if d := cmp.Diff(want, calls[0]); d != "" {
		t.Errorf("tool_call (-want +got):\n%s", d)
	}
	for i, status := range []string{"completed", "failed", "failed"} {
		id := calls[i]["toolCallId"]
		last := map[string]any{}
		for _, u := range p.updates("tool_call_update") {
			if u["toolCallId"] == id {
				last = u
			}
		}
		if last["status"] != status || last["content"] == nil {
			t.Errorf("call %v ended with %v, want %s", id, last, status)
		}
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAC62_EditsCarryDiffs(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{script: editScript, answer: allowing})
	dir := t.TempDir()
	p.prompt(p.session(dir), "go")
	path := filepath.Join(dir, "a.txt")
	diff := map[string]any{"type": "diff", "path": path, "newText": "x\n"}
	for _, u := range p.updates("tool_call_update") {
		content, _ := u["content"].([]any)
		if u["status"] != "completed" || u["toolCallId"] != "call_1" {
			continue
		}
		if len(content) != 2 || cmp.Diff(diff, content[1]) != "" {
			t.Errorf("content %v, want the diff %v", content, diff)
		}
		if d := cmp.Diff([]any{map[string]any{"path": path}}, u["locations"]); d != "" {
			t.Errorf("locations (-want +got):\n%s", d)
		}
	}
	asked := p.request("session/request_permission", 1)
	if !strings.Contains(asked.raw, `"type":"diff"`) {
		t.Errorf("the permission request has no diff: %s", asked.raw)
	}
}

// talking is a tool that shows its progress.
type talking struct {
	runs func() // nil: nothing more
}

func (talking) Spec() tool.Spec {
	return tool.Spec{Name: "talk", Kind: tool.KindThink, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (tk talking) Plan(*tool.Workspace, json.RawMessage) (*tool.Plan, error) {
	return &tool.Plan{Title: "talk", Kind: tool.KindThink, Run: func(_ context.Context, show func(tool.Progress)) tool.Result {
		if tk.runs != nil {
			tk.runs()
		}
		if show != nil {
			show(tool.Progress{Text: "half"})
		}
		return tool.Result{Text: "whole", RawOutput: json.RawMessage(`{"n":1}`)}
	}}, nil
}

func TestAC58_ProgressOfToolsIsStreamed(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		st := setup{Options: fakeOptions(calling(model.Call{Name: "talk", Args: []byte("{}")}))}
		st.Stream = stream
		core := newCore(t, &st)
		core.builtin = append(core.builtin, talking{})
		p := start(t, &setup{core: core})
		p.prompt(p.session("/"), "go")
		var got []string
		for _, u := range p.updates("tool_call_update") {
			raw, _ := json.Marshal([]any{u["status"], u["content"], u["rawOutput"]})
			got = append(got, string(raw))
		}
		want := []string{
			`["in_progress",null,null]`,
			`["in_progress",[{"content":{"text":"half","type":"text"},"type":"content"}],null]`,
			`["completed",[{"content":{"text":"whole","type":"text"},"type":"content"}],{"n":1}]`,
		}
		if !stream {
			want = append(want[:1], want[2])
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("streaming %v: updates (-want +got):\n%s", stream, d)
		}
	}
}

func TestAC75_EveryCallHasAResult(t *testing.T) {
	t.Parallel()
	f := &fake{stream: func(_ context.Context, n int, _ *model.Request, yield func(model.Chunk, error) bool) {
		if n == 1 {
			call := model.Call{Name: "talk", Args: []byte("{}")}
			_ = yield(model.Chunk{Call: &call}, nil) && yield(model.Chunk{Call: &call, End: model.EndToolCalls}, nil)
			return
		}
		yield(model.Chunk{Text: "ok", End: model.EndStop}, nil)
	}}
	faulty := &faultyStore{Store: store.NewMemory()}
	st := setup{Options: fakeOptions(f)}
	st.Store = faulty
	core := newCore(t, &st)
	core.builtin = append(core.builtin, talking{runs: func() { faulty.failing.Store(true) }})
	p := start(t, &setup{core: core})
	s := p.session("/")
	p.refused("session/prompt", promptParams(s, "go"), -32603, "storage_error")
	faulty.failing.Store(false)
	p.prompt(s, "again")
	var got []string
	for _, m := range f.seen()[1].Messages[1:] {
		got = append(got, string(m.Role)+" "+m.Text)
	}
	want := []string{"user go", "assistant ", "tool whole", "tool not run: the turn has ended", "assistant (the turn ended with an error)", "user again"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("history (-want +got):\n%s", d)
	}
}

func TestPanicOfAToolFailsItsCallAlone(t *testing.T) {
	t.Parallel()
	f := calling(model.Call{Name: "talk", Args: []byte("{}")})
	core := newCore(t, &setup{Options: fakeOptions(f)})
	core.builtin = append(core.builtin, talking{runs: func() { panic("a tool went mad") }})
	p := start(t, &setup{core: core})
	if got := p.prompt(p.session("/"), "go"); got != "end_turn" || ends(p) != "failed" {
		t.Errorf("stop reason %q, call %s", got, ends(p))
	}
}
