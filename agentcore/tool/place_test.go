package tool_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDecision43_OutsideIsJudgedOnTheResolvedPath(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"in.txt": "x", "sub/deep.txt": "x"})
	f.link("../outside", "out")
	f.link("../outside/new.txt", "dangling")
	f.link("sub", "inner")
	f.link("loop", "loop")
	tests := []struct {
		path    string
		outside bool
		shown   string // relative to the root's parent
	}{
		{"in.txt", false, "root/in.txt"},
		{"./sub/./deep.txt", false, "root/sub/deep.txt"},
		{"sub/../in.txt", false, "root/in.txt"},
		{"new/folder/file", false, "root/new/folder/file"},
		{"inner/deep.txt", false, "root/inner/deep.txt"},
		{"inner/../in.txt", false, "root/in.txt"},
		{"..", true, ""},
		{"../root/in.txt", false, "root/in.txt"},
		{"../outside/x", true, "outside/x"},
		{"../rootless", true, "rootless"},
		{"out/x", true, "root/out/x"},
		{"out/../in.txt", true, "in.txt"}, // the link is followed before the ".."
		{"out/../root/in.txt", false, "root/in.txt"},
		{"dangling", true, "root/dangling"},
		{"in.txt/below", false, "root/in.txt/below"},
	}
	for _, tt := range tests {
		p := f.plan("read_file", obj{"path": tt.path})
		if p.Outside != tt.outside {
			t.Errorf("%s: outside: got %v, want %v", tt.path, p.Outside, tt.outside)
		}
		if want := filepath.Join(filepath.Dir(f.root), tt.shown); p.Locations[0].Path != want {
			t.Errorf("%s: location: got %s, want %s", tt.path, p.Locations[0].Path, want)
		}
	}
	if _, err := f.tryPlan("read_file", obj{"path": "loop"}); err == nil || !strings.Contains(err.Error(), "too many links") {
		t.Errorf("link loop: got %v", err)
	}
}

func TestRootMayBeReachedThroughALink(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.txt": "x"})
	alias := filepath.Join(filepath.Dir(f.root), "alias")
	if err := os.Symlink(f.root, alias); err != nil {
		t.Skip(err)
	}
	f.ws.Cwd, f.ws.Roots = alias, []string{alias}
	p := f.plan("read_file", obj{"path": "a.txt"})
	if p.Outside || p.Locations[0].Path != filepath.Join(alias, "a.txt") {
		t.Errorf("got outside %v, location %s", p.Outside, p.Locations[0].Path)
	}
	if got := f.mustRun("read_file", obj{"path": filepath.Join(f.root, "a.txt")}); got != "x" {
		t.Errorf("got %q", got)
	}
}

func TestLinkPutThereAfterTheCheckIsNotFollowed(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]obj{
		"read_file":   {"path": "sub/x.txt"},
		"write_file":  {"path": "sub/x.txt", "content": "new"},
		"edit_file":   {"path": "sub/x.txt", "oldText": "inside", "newText": "new"},
		"delete_file": {"path": "sub/x.txt"},
		"move_file":   {"from": "sub/x.txt", "to": "y.txt"},
		"list_dir":    {"path": "sub"},
		"glob":        {"path": "sub", "pattern": "*"},
		"grep":        {"path": "sub", "pattern": "."},
		"shell":       {"cwd": "sub", "command": "cat x.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, map[string]string{"sub/x.txt": "inside", "other/x.txt": "inside"})
			secret := filepath.Join(f.outside, "x.txt")
			if err := os.WriteFile(secret, []byte("inside"), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, target := range []string{f.outside, "other"} { // also within the roots: rules may differ
				p := f.plan(name, args)
				if err := os.RemoveAll(filepath.Join(f.root, "sub")); err != nil {
					t.Fatal(err)
				}
				f.link(target, "sub")
				if r := p.Run(context.Background(), nil); !r.IsError || !strings.Contains(r.Text, "leads elsewhere") {
					t.Errorf("link to %s: got %v, %q", target, r.IsError, r.Text)
				}
				if err := os.Remove(filepath.Join(f.root, "sub")); err != nil {
					t.Fatal(err)
				}
				f.write("sub/x.txt", "inside")
			}
			if b, err := os.ReadFile(secret); err != nil || string(b) != "inside" {
				t.Errorf("the file outside: %q, %v", b, err)
			}
			if f.exists("y.txt") || f.content("other/x.txt") != "inside" {
				t.Error("something was changed")
			}
		})
	}
}

func TestOutsideIsReachedOnceAllowed(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"in.txt": "x\n"})
	path := filepath.Join(f.outside, "o.txt")
	p := f.plan("write_file", obj{"path": path, "content": "one\n"})
	if !p.Outside || p.Diffs != nil {
		t.Errorf("got outside %v, diffs %v", p.Outside, p.Diffs)
	}
	if r := p.Run(context.Background(), nil); r.IsError || len(r.Diffs) != 1 {
		t.Fatalf("got %+v", r)
	}
	f.mustRun("edit_file", obj{"path": path, "oldText": "one", "newText": "two"})
	if got := f.mustRun("read_file", obj{"path": path}); got != "two\n" {
		t.Errorf("got %q", got)
	}
	if got := f.mustRun("glob", obj{"path": f.outside, "pattern": "*"}); got != path+"\n" {
		t.Errorf("got %q", got)
	}
	m := f.plan("move_file", obj{"from": path, "to": "moved.txt"})
	if !m.Outside {
		t.Error("moving from outside is not outside")
	}
	if r := m.Run(context.Background(), nil); r.IsError || f.content("moved.txt") != "two\n" {
		t.Errorf("got %+v", r)
	}
}
