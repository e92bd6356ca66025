//go:build unix

package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shortGrace is the grace of the tests.
const shortGrace = 400 * time.Millisecond

// stepEnv is all that the scripts of the tests need.
func stepEnv() []string { return []string{"PATH=" + os.Getenv("PATH"), "NAME=value"} }

func TestRunStep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		name, script   string
		code           int
		stdout, stderr string
	}{
		{"output", "echo out; echo err >&2", 0, "out\n", "err\n"},
		{"exit code", "exit 3", 3, "", ""},
		{"signal", "kill -TERM $$", 128 + 15, "", ""},
		{"folder and environment", `cat here; echo "$NAME${HOME-none}"`, 0, "filevaluenone\n", ""},
		{"no stdin", "cat; echo end", 0, "end\n", ""},
		{"one argument", "echo \"$0:$#\"; echo 'a b'\n", 0, "sh:0\na b\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := os.WriteFile(filepath.Join(dir, "here"), []byte("file"), 0o600); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr, truncated, err := new(commander).Run(t.Context(), c.script, dir, stepEnv())
			if err != nil || truncated {
				t.Fatal(err, truncated)
			}
			if code != c.code || string(stdout) != c.stdout || string(stderr) != c.stderr {
				t.Errorf("%d, %q, %q; want %d, %q, %q", code, stdout, stderr, c.code, c.stdout, c.stderr)
			}
		})
	}
}

// TestRunStepHasNoTerminal: nobody answers a question that a command asks there.
func TestRunStepHasNoTerminal(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("the session of a process is read from /proc")
	}
	script := `cut -d ' ' -f 6 /proc/$$/stat; echo $$`
	_, stdout, _, _, err := new(commander).Run(t.Context(), script, t.TempDir(), stepEnv())
	session, pid, _ := strings.Cut(strings.TrimSpace(string(stdout)), "\n")
	if err != nil || session != pid {
		t.Errorf("session %s of process %s, %v", session, pid, err)
	}
}

func TestRunStepWithoutEnvironment(t *testing.T) {
	t.Setenv("ACPCTL_TEST_SECRET", "x")
	_, stdout, _, _, err := new(commander).Run(t.Context(), `echo "${ACPCTL_TEST_SECRET-none}"`, t.TempDir(), nil)
	if err != nil || string(stdout) != "none\n" {
		t.Errorf("%q, %v", stdout, err)
	}
}

func TestRunStepThatDoesNotStart(t *testing.T) {
	t.Parallel()
	c := new(commander)
	if _, _, _, _, err := c.Run(t.Context(), "true", filepath.Join(t.TempDir(), "none"), stepEnv()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("over")
	cancel(cause)
	if _, _, _, _, err := c.Run(ctx, "true", t.TempDir(), stepEnv()); !errors.Is(err, cause) {
		t.Errorf("ended context: %v", err)
	}
	c.Kill()
	if _, _, _, _, err := c.Run(t.Context(), "true", t.TempDir(), stepEnv()); !errors.Is(err, errStepsKilled) {
		t.Errorf("after Kill: %v", err)
	}
}

func TestRunStepOutputIsCapped(t *testing.T) {
	t.Parallel()
	script := "head -c 17000000 /dev/zero; head -c 1100000 /dev/zero >&2; exit 4"
	code, stdout, stderr, truncated, err := new(commander).Run(t.Context(), script, t.TempDir(), stepEnv())
	if err != nil || code != 4 || !truncated || len(stdout) != maxStepStdout || len(stderr) != maxStepStderr {
		t.Errorf("code %d, %d and %d bytes, truncated %v, %v", code, len(stdout), len(stderr), truncated, err)
	}
}

// endWhenReady ends a context when the script has printed its process id, and
// returns that.
func endWhenReady(t *testing.T, dir string, end func()) <-chan int {
	t.Helper()
	pids := make(chan int, 1)
	go func() {
		for {
			data, _ := os.ReadFile(filepath.Join(dir, "pid"))
			if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && strings.HasSuffix(string(data), "\n") {
				pids <- pid
				end()
				return
			}
			if t.Context().Err() != nil {
				return
			}
			time.Sleep(2 * time.Millisecond)
		}
	}()
	return pids
}

// gone fails the test when a process is still there after a while: SIGKILL takes
// effect later than it is sent. One that waits to be reaped counts as gone.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if syscall.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d is left", pid)
}

func TestRunStepEndsWithTheContext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script, stdout string
		atLeast, atMost      time.Duration
	}{
		{"at SIGTERM", `trap 'echo bye; exit 7' TERM; echo $$ >pid; while :; do sleep 0.05; done`, "bye\n", 0, 20 * shortGrace},
		{"the rest of the group at SIGKILL", `(trap '' TERM; sh -c 'echo $$ >pid; while :; do sleep 0.05; done' >/dev/null) & echo on; wait`, "on\n", shortGrace, 20 * shortGrace},
		{"who ignores SIGTERM", `trap '' TERM; echo on; echo $$ >pid; while :; do sleep 0.05; done`, "on\n", shortGrace, 20 * shortGrace},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cause := errors.New("interrupted")
			ctx, cancel := context.WithCancelCause(t.Context())
			var ended time.Time
			pids := endWhenReady(t, dir, func() { ended = time.Now(); cancel(cause) })
			_, stdout, _, _, err := (&commander{grace: shortGrace}).Run(ctx, c.script, dir, stepEnv())
			if !errors.Is(err, cause) || string(stdout) != c.stdout {
				t.Errorf("%q, %v", stdout, err)
			}
			if d := time.Since(ended); d < c.atLeast-50*time.Millisecond || d > c.atMost+time.Second {
				t.Errorf("took %v", d)
			}
			gone(t, <-pids)
		})
	}
}

func TestRunStepIsNotHeldByWhatItLeaves(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pids := endWhenReady(t, dir, func() {})
	begin := time.Now()
	code, stdout, _, _, err := (&commander{grace: shortGrace}).Run(t.Context(), `(echo $$ >/dev/null; exec sh -c 'echo $$ >pid; sleep 60') & echo on; while [ ! -s pid ]; do sleep 0.01; done; exit 5`, dir, stepEnv())
	if err != nil || code != 5 || string(stdout) != "on\n" {
		t.Errorf("%d, %q, %v", code, stdout, err)
	}
	if d := time.Since(begin); d > 20*shortGrace {
		t.Errorf("took %v", d)
	}
	gone(t, <-pids)
}

func TestRunStepsKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := &commander{grace: shortGrace}
	pids := endWhenReady(t, dir, c.Kill)
	code, _, _, _, err := c.Run(t.Context(), `trap '' TERM; echo $$ >pid; while :; do sleep 0.05; done`, dir, stepEnv())
	if err != nil || code != 128+9 {
		t.Errorf("%d, %v", code, err)
	}
	gone(t, <-pids)
}
