package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acpctl/acpctl/agentcore/tool"
)

// folder is a workspace with one root in a temporary folder, and a folder beside
// it that is outside.
type folder struct {
	*testing.T
	ws            *tool.Workspace
	root, outside string
}

func newFolder(t *testing.T, files map[string]string) *folder {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &folder{T: t, root: filepath.Join(base, "root"), outside: filepath.Join(base, "outside")}
	for _, dir := range []string{f.root, f.outside} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		f.write(name, content)
	}
	f.ws = &tool.Workspace{Cwd: f.root, Roots: []string{f.root}, Environ: []string{"PATH=" + os.Getenv("PATH")}, Todos: &tool.Todos{}}
	return f
}

func (f *folder) write(name, content string) {
	f.Helper()
	path := filepath.Join(f.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		f.Fatal(err)
	}
}

func (f *folder) link(target, name string) {
	f.Helper()
	if err := os.Symlink(target, filepath.Join(f.root, name)); err != nil {
		f.Skipf("links are not possible here: %v", err)
	}
}

func (f *folder) content(name string) string {
	f.Helper()
	b, err := os.ReadFile(filepath.Join(f.root, name))
	if err != nil {
		f.Fatal(err)
	}
	return string(b)
}

func (f *folder) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(f.root, name))
	return err == nil
}

func (f *folder) plan(name string, args any) *tool.Plan {
	f.Helper()
	p, err := f.tryPlan(name, args)
	if err != nil {
		f.Fatalf("planning %s: %v", name, err)
	}
	return p
}

func (f *folder) tryPlan(name string, args any) (*tool.Plan, error) {
	f.Helper()
	raw, isRaw := args.(string)
	if !isRaw {
		encoded, err := json.Marshal(args)
		if err != nil {
			f.Fatal(err)
		}
		raw = string(encoded)
	}
	for _, t := range tool.Builtin() {
		if t.Spec().Name == name {
			return t.Plan(f.ws, json.RawMessage(raw))
		}
	}
	f.Fatalf("no tool %s", name)
	return nil, nil
}

func (f *folder) run(name string, args any) tool.Result {
	f.Helper()
	return f.plan(name, args).Run(context.Background(), nil)
}

// mustRun is run for a call that has to succeed; it returns the text.
func (f *folder) mustRun(name string, args any) string {
	f.Helper()
	r := f.run(name, args)
	if r.IsError {
		f.Fatalf("%s: %s", name, r.Text)
	}
	return r.Text
}

// mustFail is run for a call that has to fail with a text that has want in it.
func (f *folder) mustFail(name string, args any, want string) {
	f.Helper()
	if r := f.run(name, args); !r.IsError || !strings.Contains(r.Text, want) {
		f.Errorf("%s: got error %v, %q; want a failure with %q", name, r.IsError, r.Text, want)
	}
}

type obj map[string]any

func TestSpecsAreCompleteAndOpenToModels(t *testing.T) {
	t.Parallel()
	want := "read_file list_dir glob grep write_file edit_file delete_file move_file shell todo_write"
	var names []string
	for _, b := range tool.Builtin() {
		s := b.Spec()
		names = append(names, s.Name)
		var schema struct {
			Type                 string
			Properties           map[string]any
			AdditionalProperties *bool
		}
		if err := json.Unmarshal(s.Schema, &schema); err != nil {
			t.Errorf("%s: schema: %v", s.Name, err)
		}
		if schema.Type != "object" || len(schema.Properties) == 0 || schema.AdditionalProperties == nil || *schema.AdditionalProperties {
			t.Errorf("%s: schema is not a closed object: %s", s.Name, s.Schema)
		}
		if s.Description == "" || s.Kind == "" {
			t.Errorf("%s: description or kind is missing", s.Name)
		}
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("tools\n got %s\nwant %s", got, want)
	}
}

func TestArgumentsAreCheckedStrictly(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	tests := []struct{ tool, args, want string }{
		{"read_file", `{"path":`, "not valid JSON"},
		{"read_file", ``, "missing property 'path'"},
		{"read_file", `[]`, "want object"},
		{"read_file", `{"path":7}`, "'/path'"},
		{"read_file", `{"path":""}`, "'/path'"},
		{"read_file", `{"path":"a","line":0}`, "'/line'"},
		{"read_file", `{"path":"a","lines":3}`, "'lines' not allowed"},
		{"read_file", `{"PATH":"a"}`, "missing property 'path'"},
		{"read_file", `{"path":"a\u0000b"}`, "NUL"},
		{"edit_file", `{"path":"a","oldText":"x"}`, "missing property 'newText'"},
		{"edit_file", `{"path":"a","oldText":"x\r\ny","newText":"x\ny"}`, "the same"},
		{"move_file", `{"from":"a","to":"./a"}`, "the same"},
		{"glob", `{"pattern":"[a"}`, "not valid"},
		{"glob", `{"pattern":"/etc/*"}`, "relative"},
		{"glob", `{"pattern":"../*"}`, "lead out"},
		{"grep", `{"pattern":"("}`, "not valid"},
		{"grep", `{"pattern":"a","limit":2001}`, "'/limit'"},
		{"shell", `{"command":"true","timeoutMs":600001}`, "'/timeoutMs'"},
		{"todo_write", `{"todos":[{"content":"a","status":"done"}]}`, "'/todos/0/status'"},
	}
	for _, tt := range tests {
		_, err := f.tryPlan(tt.tool, tt.args)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: got error %v, want one with %q", tt.tool, tt.args, err, tt.want)
		}
	}
}

func TestAC60_PlanIsWhatTheToolCallShows(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a/b.txt": "x"})
	args := `{ "path": "a/b.txt", "line": 3 }`
	p := f.plan("read_file", args)
	if p.Title != "read_file" || p.Kind != "read" || string(p.RawInput) != args {
		t.Errorf("got title %q, kind %q, raw input %s", p.Title, p.Kind, p.RawInput)
	}
	want := tool.Location{Path: filepath.Join(f.root, "a/b.txt"), Line: 3}
	if len(p.Locations) != 1 || p.Locations[0] != want {
		t.Errorf("got locations %v, want %v", p.Locations, want)
	}
}

func TestTodos(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	got := f.mustRun("todo_write", `{"todos":[{"content":"read","status":"completed","priority":"high"},{"content":"write","status":"pending"}]}`)
	if got != "2 to-dos, 1 completed" {
		t.Errorf("got %q", got)
	}
	want := []tool.Todo{{Content: "read", Priority: "high", Status: "completed"}, {Content: "write", Priority: "medium", Status: "pending"}}
	list := f.ws.Todos.List()
	if len(list) != 2 || list[0] != want[0] || list[1] != want[1] {
		t.Errorf("got %v, want %v", list, want)
	}
	if f.ws.Todos.Replace(want) {
		t.Error("the same list counts as a change")
	}
	f.mustRun("todo_write", `{"todos":[]}`)
	if list := f.ws.Todos.List(); list == nil || len(list) != 0 {
		t.Errorf("got %v, want an empty list", list)
	}
	f.ws.Todos = nil
	f.mustFail("todo_write", `{"todos":[]}`, "no to-do list")
}
