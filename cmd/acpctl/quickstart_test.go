package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acpctl/acpctl/controller/event"
)

// lastResult parses the last line of a stream as its result.
func lastResult(t *testing.T, stream []byte) event.Result {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(stream), []byte("\n"))
	e, err := event.Parse(lines[len(lines)-1])
	if err != nil {
		t.Fatal(err)
	}
	r, ok := e.Body.(event.Result)
	if !ok {
		t.Fatalf("the last event is %s", e.Type())
	}
	return r
}

// TestQuickstart runs the quickstart, then once without each of its allow rules:
// such a run ends with 5 and names exactly the rule that is missing.
func TestQuickstart(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the example server")
	}
	repo := filepath.Join(t.TempDir(), "repo")
	if err := copyRepo(repo); err != nil {
		t.Fatal(err)
	}
	out, code := runAcpctl(t, repo, "run", "examples/quickstart.yaml", "-o", "ndjson")
	r := lastResult(t, out)
	if code != 0 || r.ExitCode != 0 || r.Status != "ok" || len(r.Denials) != 1 {
		t.Fatalf("exit code %d: %+v", code, r)
	}
	var output struct {
		Module string
		Files  int
	}
	if err := json.Unmarshal(r.Output, &output); err != nil || output.Module != "github.com/acpctl/acpctl" || output.Files < 10 {
		t.Errorf("output %s, %v", r.Output, err)
	}
	report, err := os.ReadFile(filepath.Join(repo, "examples/out/report.md"))
	if err != nil || !bytes.Contains(report, []byte("# Go files")) {
		t.Errorf("report: %q, %v", report, err)
	}
	recipe, err := os.ReadFile(filepath.Join(repo, "examples/quickstart.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []string{"mcp(repostat/count_lines)", "edit(./examples/out/report.md)"} {
		without := strings.Replace(string(recipe), "    - "+rule+"\n", "", 1)
		if without == string(recipe) {
			t.Fatalf("the quickstart has no rule %s", rule)
		}
		if err := os.WriteFile(filepath.Join(repo, "examples/without.yaml"), []byte(without), 0o600); err != nil {
			t.Fatal(err)
		}
		out, code := runAcpctl(t, repo, "run", "examples/without.yaml", "-o", "ndjson")
		var suggested []string
		for _, u := range lastResult(t, out).Uncovered {
			suggested = append(suggested, u.Suggest...)
		}
		if suggested = slices.Compact(suggested); !slices.Equal(suggested, []string{rule}) || code != 5 {
			t.Errorf("without %s: exit code %d, suggested %q", rule, code, suggested)
		}
	}
}
