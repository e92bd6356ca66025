package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExamples validates and runs every recipe of examples, keyless and offline,
// and holds its exit code against what the recipe is there to show.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the example server")
	}
	want := map[string]int{"uncovered.yaml": 5} // all others end well
	repo := filepath.Join(t.TempDir(), "repo")
	if err := copyRepo(repo); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(repo, "examples", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasSuffix(name, ".script.yaml") {
			continue
		}
		ran++
		if _, code := runAcpctl(t, repo, "validate", "examples/"+name); code != 0 {
			t.Errorf("%s does not validate: exit code %d", name, code)
		}
		out, code := runAcpctl(t, repo, "run", "examples/"+name, "-o", "ndjson")
		if r := lastResult(t, out); code != want[name] || r.ExitCode != code {
			t.Errorf("%s: exit code %d, result %d, want %d", name, code, r.ExitCode, want[name])
		}
	}
	if ran < 6 {
		t.Errorf("%d examples ran", ran)
	}
}
