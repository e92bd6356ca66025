package tool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func searchFolder(t *testing.T) *folder {
	t.Helper()
	f := newFolder(t, map[string]string{
		"main.go": "package main\n\nfunc main() {}\n", "sub/a.go": "package sub // Main\r\n", "sub/a.txt": "main\n",
		"sub/deep/b.go": "package deep\n", ".git/config": "main\n", ".github/x.yml": "main: 1\n", "bin.go": "main\x00",
		"wide.txt": strings.Repeat("x", 70_000) + " needle " + strings.Repeat("y", 500) + "\n",
	})
	if err := os.WriteFile(filepath.Join(f.outside, "o.go"), []byte("main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.link("../outside", "link")
	return f
}

func TestGlob(t *testing.T) {
	t.Parallel()
	f := searchFolder(t)
	tests := []struct {
		args obj
		want string
	}{
		{obj{"pattern": "*.go"}, "bin.go\nmain.go\n"},
		{obj{"pattern": "**/*.go"}, "bin.go\nmain.go\nsub/a.go\nsub/deep/b.go\n"},
		{obj{"pattern": "**/*.{txt,yml}"}, ".github/x.yml\nsub/a.txt\nwide.txt\n"},
		{obj{"pattern": "*.go", "path": "sub"}, "sub/a.go\n"},
		{obj{"pattern": "**/b.go", "path": "./sub/"}, "./sub/deep/b.go\n"},
		{obj{"pattern": "link"}, "link\n"},
		{obj{"pattern": "sub"}, "[no file matches]"},
		{obj{"pattern": "**/config"}, "[no file matches]"},
	}
	for _, tt := range tests {
		if got := f.mustRun("glob", tt.args); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.args, got, tt.want)
		}
	}
	f.mustFail("glob", obj{"pattern": "*", "path": "none"}, "searching none: no such file")
}

func TestGrep(t *testing.T) {
	t.Parallel()
	f := searchFolder(t)
	tests := []struct {
		args obj
		want string
	}{
		{obj{"pattern": "main"}, ".github/x.yml:1:main: 1\nmain.go:1:package main\nmain.go:3:func main() {}\nsub/a.txt:1:main\n"},
		{obj{"pattern": "MAIN$", "ignoreCase": true}, "main.go:1:package main\nsub/a.go:1:package sub // Main\nsub/a.txt:1:main\n"},
		{obj{"pattern": "package", "glob": "*.go", "path": "sub"}, "sub/a.go:1:package sub // Main\nsub/deep/b.go:1:package deep\n"},
		{obj{"pattern": "package", "glob": "deep/*.go", "path": "sub"}, "sub/deep/b.go:1:package deep\n"},
		{obj{"pattern": "main", "filesOnly": true}, ".github/x.yml\nmain.go\nsub/a.txt\n"},
		{obj{"pattern": "main", "path": "main.go"}, "main.go:1:package main\nmain.go:3:func main() {}\n"},
		{obj{"pattern": "main", "limit": 2}, ".github/x.yml:1:main: 1\nmain.go:1:package main\n[more than 2 matches; narrow the search or raise limit]"},
		{obj{"pattern": "absent"}, "[nothing found]"},
	}
	for _, tt := range tests {
		if got := f.mustRun("grep", tt.args); got != tt.want {
			t.Errorf("%v:\n got %q\nwant %q", tt.args, got, tt.want)
		}
	}
	want := "wide.txt:1:" + strings.Repeat("x", 400) + "...\n"
	if got := f.mustRun("grep", obj{"pattern": "needle y+$"}); got != want {
		t.Errorf("wide line: got %d bytes", len(got))
	}
	f.mustFail("grep", obj{"pattern": "x", "path": "none"}, "no such file")
}

func TestSearchResultsAreBounded(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	for i := range 1001 {
		f.write(fmt.Sprintf("%04d.txt", i), "hit\n")
	}
	got := f.mustRun("glob", obj{"pattern": "*.txt"})
	if !strings.HasSuffix(got, "0999.txt\n[more than 1000 files match; narrow the pattern]") {
		t.Errorf("glob ends with %q", got[len(got)-80:])
	}
	got = f.mustRun("grep", obj{"pattern": "hit"})
	if strings.Count(got, "hit\n") != 200 || !strings.Contains(got, "[more than 200 matches") {
		t.Errorf("grep: %d answers", strings.Count(got, "hit\n"))
	}
}
