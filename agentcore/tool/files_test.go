package tool_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFile(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "line %04d of a long file\n", i+1)
	}
	f := newFolder(t, map[string]string{
		"lf.txt": "one\ntwo\nthree\n", "open.txt": "one\ntwo", "crlf.txt": "\ufeffone\r\ntwo\r\n", "empty.txt": "",
		"bad.txt": "a\xff\xc3b\x00", "many.txt": many.String(), "wide.txt": strings.Repeat("é", 50_000), "bin": "PNG\x00\x01",
	})
	f.write("bad.txt", "a\xff\xc3b")
	tests := []struct {
		args obj
		want string
	}{
		{obj{"path": "lf.txt"}, "one\ntwo\nthree\n"},
		{obj{"path": "open.txt"}, "one\ntwo"},
		{obj{"path": "crlf.txt"}, "one\ntwo\n"},
		{obj{"path": "empty.txt"}, "[the file is empty]"},
		{obj{"path": "bad.txt"}, "a\ufffdb"},
		{obj{"path": "lf.txt", "line": 2}, "two\nthree\n"},
		{obj{"path": "lf.txt", "line": 2, "limit": 1}, "two\n[lines 2 to 2; more from line 3]"},
		{obj{"path": "lf.txt", "line": 3, "limit": 5}, "three\n"},
		{obj{"path": "lf.txt", "line": 4}, "[the file has 3 lines]"},
		{obj{"path": "open.txt", "line": 2}, "two"},
		{obj{"path": "many.txt", "line": 4999}, "line 4999 of a long file\nline 5000 of a long file\n"},
	}
	for _, tt := range tests {
		if got := f.mustRun("read_file", tt.args); got != tt.want {
			t.Errorf("%v:\n got %q\nwant %q", tt.args, got, tt.want)
		}
	}
	got := f.mustRun("read_file", obj{"path": "many.txt"})
	if !strings.HasSuffix(got, "line 2621 of a long file\n[lines 1 to 2621; more from line 2622]") {
		t.Errorf("long file ends with %q", got[len(got)-80:])
	}
	got = f.mustRun("read_file", obj{"path": "wide.txt"})
	if want := strings.Repeat("é", 32<<10) + "\n[line 1 is cut after 64 KiB]"; got != want {
		t.Errorf("wide line: %d bytes, ends with %q", len(got), got[len(got)-40:])
	}
	f.mustFail("read_file", obj{"path": "bin"}, "binary")
	f.mustFail("read_file", obj{"path": "none"}, "reading none: no such file")
	f.mustFail("read_file", obj{"path": "."}, "use list_dir")
}

func TestReadFileStopsWithTheContext(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a": "x\n"})
	ctx, cancel := context.WithCancel(t.Context())
	p := f.plan("read_file", obj{"path": "a"})
	cancel()
	if r := p.Run(ctx, nil); !r.IsError || !strings.Contains(r.Text, "canceled") {
		t.Errorf("got %+v", r)
	}
}

func TestListDir(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"b.txt": "", "a/x": "", ".hidden": ""})
	f.link("b.txt", "link")
	if got, want := f.mustRun("list_dir", obj{}), ".hidden\na/\nb.txt\nlink -> b.txt\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := os.Remove(filepath.Join(f.root, "a/x")); err != nil {
		t.Fatal(err)
	}
	if got := f.mustRun("list_dir", obj{"path": "a"}); got != "[the folder is empty]" {
		t.Errorf("got %q", got)
	}
	f.mustFail("list_dir", obj{"path": "b.txt"}, "not a directory")
	for i := range 1003 {
		f.write(fmt.Sprintf("big/%04d", i), "")
	}
	got := f.mustRun("list_dir", obj{"path": "big"})
	if !strings.HasSuffix(got, "0999\n[3 more entries]") {
		t.Errorf("big folder ends with %q", got[len(got)-30:])
	}
}

func TestAC62_WriteFileCarriesADiff(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"old.txt": "one\n"})
	path := filepath.Join(f.root, "old.txt")
	p := f.plan("write_file", obj{"path": "old.txt", "content": "two\n"})
	if len(p.Diffs) != 1 || p.Diffs[0].Path != path || *p.Diffs[0].OldText != "one\n" || p.Diffs[0].NewText != "two\n" {
		t.Errorf("planned diffs: %+v", p.Diffs)
	}
	if f.content("old.txt") != "one\n" {
		t.Error("planning wrote the file")
	}
	r := p.Run(context.Background(), nil)
	if r.IsError || len(r.Diffs) != 1 || *r.Diffs[0].OldText != "one\n" || r.Diffs[0].NewText != "two\n" {
		t.Errorf("result: %+v", r)
	}
	fresh := f.plan("write_file", obj{"path": "a/b/new.txt", "content": "x"})
	if len(fresh.Diffs) != 1 || fresh.Diffs[0].OldText != nil {
		t.Errorf("diff of a new file: %+v", fresh.Diffs)
	}
	if r := fresh.Run(context.Background(), nil); r.IsError || f.content("a/b/new.txt") != "x" {
		t.Errorf("result: %+v", r)
	}
}

func TestF21c_WriteFileKeepsLineEndsAndByteOrderMark(t *testing.T) {
	t.Parallel()
	tests := []struct{ old, content, want string }{
		{"a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"},
		{"\ufeffa\r\n", "x\n", "\ufeffx\r\n"},
		{"\ufeffa\n", "\ufeffx\n", "\ufeffx\n"},
		{"a\nb\nc\r\n", "x\n", "x\n"},
		{"a\nb\n", "x\r\n", "x\r\n"},
	}
	for _, tt := range tests {
		f := newFolder(t, map[string]string{"f": tt.old})
		f.mustRun("write_file", obj{"path": "f", "content": tt.content})
		if got := f.content("f"); got != tt.want {
			t.Errorf("%q over %q: got %q, want %q", tt.content, tt.old, got, tt.want)
		}
	}
}

func TestWritesKeepModeAndLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"run.sh": "a\n", "to.txt": "x\n"})
	script := filepath.Join(f.root, "run.sh")
	if err := os.Chmod(script, 0o750); err != nil {
		t.Fatal(err)
	}
	f.link("to.txt", "link")
	f.mustRun("write_file", obj{"path": "run.sh", "content": "b\n"})
	f.mustRun("edit_file", obj{"path": "link", "oldText": "x", "newText": "y"})
	if info, err := os.Stat(script); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode: %v, %v", info.Mode(), err)
	}
	if f.content("to.txt") != "y\n" {
		t.Error("an edit through a link did not reach its target")
	}
	if got, want := f.mustRun("list_dir", obj{}), "link -> to.txt\nrun.sh\nto.txt\n"; got != want {
		t.Errorf("folder: got %q, want %q", got, want)
	}
	f.mustFail("write_file", obj{"path": ".", "content": "x"}, "folder")
	f.write("bin", "\x00\x01")
	f.mustFail("write_file", obj{"path": "bin", "content": "x"}, "binary")
}

func TestChangeBetweenCheckAndRunIsNotOverwritten(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a": "one\n"})
	plans := []string{"a", "new"}
	for _, name := range plans {
		p := f.plan("write_file", obj{"path": name, "content": "mine\n"})
		f.write(name, "theirs\n")
		if r := p.Run(context.Background(), nil); !r.IsError || !strings.Contains(r.Text, "has changed") {
			t.Errorf("%s: got %+v", name, r)
		}
		if got := f.content(name); got != "theirs\n" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestDeleteFile(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a": "x", "d/b": "x"})
	f.link("a", "link")
	f.mustRun("delete_file", obj{"path": "link"})
	if f.exists("link") || !f.exists("a") {
		t.Error("not the link but its target was deleted")
	}
	f.mustFail("delete_file", obj{"path": "d"}, "folder")
	f.mustFail("delete_file", obj{"path": "none"}, "no such file")
	f.mustRun("delete_file", obj{"path": "a"})
	if f.exists("a") {
		t.Error("the file is still there")
	}
}

func TestMoveFile(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a": "A", "b": "B", "d/x": "X"})
	p := f.plan("move_file", obj{"from": "a", "to": "n/m/c"})
	if len(p.Locations) != 2 || p.Outside {
		t.Errorf("got locations %v, outside %v", p.Locations, p.Outside)
	}
	if !f.plan("move_file", obj{"from": "a", "to": "../c"}).Outside {
		t.Error("a target outside the roots is not outside")
	}
	f.mustRun("move_file", obj{"from": "a", "to": "n/m/c"})
	if f.exists("a") || f.content("n/m/c") != "A" {
		t.Error("the file was not moved")
	}
	f.mustFail("move_file", obj{"from": "n/m/c", "to": "b"}, "set overwrite")
	f.mustFail("move_file", obj{"from": "b", "to": "d"}, "folder")
	f.mustFail("move_file", obj{"from": "d", "to": "d/e/f"}, "moving d to d/e/f")
	f.mustRun("move_file", obj{"from": "n/m/c", "to": "b", "overwrite": true})
	f.mustRun("move_file", obj{"from": "d", "to": "e"})
	if f.content("b") != "A" || f.content("e/x") != "X" || f.exists("d") {
		t.Error("overwriting or moving a folder did not work")
	}
	f.mustFail("move_file", obj{"from": "none", "to": "c"}, "no such file")
}

func TestSpecialFilesAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	f := newFolder(t, nil)
	f.mustFail("read_file", obj{"path": "/dev/zero"}, "not a regular file")
}
