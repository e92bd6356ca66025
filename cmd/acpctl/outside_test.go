package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// runAcpctl runs the test binary as acpctl in dir and returns stdout and the exit
// code.
func runAcpctl(t *testing.T, dir string, args ...string) ([]byte, int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), runAsAcpctl+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if t.Failed() || cmd.ProcessState.ExitCode() != 0 {
		t.Logf("stderr: %s", stderr.String())
	}
	return out, cmd.ProcessState.ExitCode()
}

// eventTypes reads the types of an event stream, in order.
func eventTypes(t *testing.T, stream []byte) []string {
	t.Helper()
	var types []string
	for line := range bytes.Lines(stream) {
		var e struct{ Type string }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		types = append(types, e.Type)
	}
	return types
}

// TestCT61_OutsideAgent runs one recipe against the bundled agent and against the
// example agent of the SDK, an agent that this project did not write, as a
// subprocess: both give the same event types in the same order. The bundled
// agent tells more about a session (options, modes, plans); that is left out of
// the comparison.
func TestCT61_OutsideAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("the example agent takes its time")
	}
	dir := t.TempDir()
	agent := filepath.Join(dir, "example-agent")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", agent, "github.com/coder/acp-go-sdk/example/agent")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the example agent: %v: %s", err, out)
	}
	repo := filepath.Join(dir, "repo")
	if err := copyRepo(repo); err != nil {
		t.Fatal(err)
	}
	inside, code := runAcpctl(t, repo, "run", "examples/outside-agent.yaml", "-o", "ndjson")
	if code != 0 {
		t.Fatalf("bundled agent: exit code %d: %s", code, inside)
	}
	outside, code := runAcpctl(t, repo, "run", "examples/outside-agent.yaml", "-o", "ndjson", "--agent", "'"+agent+"'")
	if code != 0 {
		t.Fatalf("example agent: exit code %d: %s", code, outside)
	}
	want, got := common(eventTypes(t, inside)), common(eventTypes(t, outside))
	if !slices.Equal(want, got) {
		t.Errorf("event types differ\nbundled %v\noutside %v", want, got)
	}
}

// common leaves out what only some agents tell about a session.
func common(types []string) []string {
	return slices.DeleteFunc(types, func(s string) bool {
		return slices.Contains([]string{"config", "mode", "plan", "commands", "info", "usage"}, s)
	})
}
