package acptest

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// play runs Main in this process and returns what it wrote.
func play(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(args, strings.NewReader(stdin), &out, &errs)
	return out.String(), errs.String(), code
}

func writeScenario(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scenario")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestMainFlood(t *testing.T) {
	t.Parallel()
	stdin := strings.Join(conversation, "\n") + "\n"
	out, _, code := play(t, stdin, "-flood", "1000", "-size", "80")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if code != 0 || len(lines) != 1003 {
		t.Fatalf("code %d, %d lines", code, len(lines))
	}
	var chunk struct {
		Params struct {
			Update struct{ Content struct{ Text string } }
		}
	}
	if err := json.Unmarshal([]byte(lines[2]), &chunk); err != nil || len(chunk.Params.Update.Content.Text) != 80 {
		t.Errorf("%v: %s", err, lines[2])
	}
	if !contains([]byte(lines[1002]), []byte(`{"id":2,"result":{"stopReason":"end_turn"}}`)) {
		t.Errorf("the last line is %s", lines[1002])
	}
	if out, _, _ := play(t, stdin, "-big", "100000"); strings.Count(out, "\n") != 4 || len(out) < 100_000 {
		t.Errorf("-big wrote %d bytes", len(out))
	}
}

func TestMainCodes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, stdin    string
		args           []string
		stdout, stderr string
		code           int
	}{
		{"polite without input", "", nil, "", "", 0},
		{"plain", strings.Join(conversation, "\n"), []string{"-plain"}, "*", "", 0},
		{"exit", "", []string{writeScenario(t, "line a\nexit 7")}, "a\n", "", 7},
		{"partial", "", []string{writeScenario(t, "line a\npartial b")}, "a\nb", "", 0},
		{"CRLF and no last newline", "\r\n" + initialize + "\r", []string{writeScenario(t, "> initialize")}, "", "the client sent", 3},
		{"last line without a newline", initialize, []string{writeScenario(t, "> initialize\nline ok")}, "ok\n", "", 0},
		{"mismatch", initialize, []string{writeScenario(t, "> session/new")}, "", "unexpected frame", 3},
		{"no such file", "", []string{"no-such-file"}, "", "no-such-file", 2},
		{"bad scenario", "", []string{writeScenario(t, "bad")}, "", "unknown instruction", 2},
		{"bad flag", "", []string{"-x"}, "", "usage:", 2},
		{"two files", "", []string{"a", "b"}, "", "usage:", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := play(t, tt.stdin, tt.args...)
			if code != tt.code || !strings.Contains(stderr, tt.stderr) || tt.stderr == "" && stderr != "" {
				t.Errorf("code %d, want %d; stderr %q", code, tt.code, stderr)
			}
			if tt.stdout != "*" && tt.stdout != stdout {
				t.Errorf("stdout: %s", cmp.Diff(tt.stdout, stdout))
			}
		})
	}
}

// TestProcess plays what only a process can do: it survives the end of its input
// and SIGTERM, and leaves a child behind.
func TestProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs signals and sleep")
	}
	pidFile := filepath.Join(t.TempDir(), "pid")
	scenario := writeScenario(t, "ignore eof\nignore term\nspawn "+pidFile+" sleep 600\nline ready\n> initialize")
	cmd := exec.Command(os.Args[0], "play", scenario)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	ready := make([]byte, len("ready\n"))
	if _, err := io.ReadFull(stdout, ready); err != nil || string(ready) != "ready\n" {
		t.Fatalf("got %q, %v", ready, err)
	}
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	child, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Kill() })
	_ = stdin.Close()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the agent is gone: %v", err)
	}
	if err := child.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the child is gone: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := child.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(stdout); err != nil { // the child had it too
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the agent ended by %v, want the kill", err)
	}
}
