package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.go": "1\n2\n", "sub/b.go": "1\n", "sub/c.txt": "1\n", ".git/x.go": "1\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		in   countInput
		want countOutput
	}{
		{"all", countInput{Folder: "."}, countOutput{Files: 3, Lines: 4}},
		{"suffix", countInput{Folder: ".", Suffix: ".go"}, countOutput{Files: 2, Lines: 3}},
		{"below", countInput{Folder: "sub"}, countOutput{Files: 2, Lines: 2}},
	}
	for _, tt := range tests {
		got, err := count(dir, tt.in)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %+v, %v; want %+v", tt.name, got, err, tt.want)
		}
	}
	for _, folder := range []string{"..", "/etc", "sub/../../x"} {
		if _, err := count(dir, countInput{Folder: folder}); err == nil {
			t.Errorf("folder %q: no error", folder)
		}
	}
	if _, err := count(dir, countInput{Folder: "missing"}); err == nil {
		t.Error("missing folder: no error")
	}
}
