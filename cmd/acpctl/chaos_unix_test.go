//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// chaosRecipe allows one of the two commands that the agent asks for, and ends
// every turn after a second.
const chaosRecipe = `version: 1
agent: {command: [%q, "-chaos", "%d"], env: {%s: agent, CHAOS_MARK: %q}}
limits: {time: 1s, grace: 300ms}
permissions:
  allow: ["execute(ok now)"]
  deny: ["execute(bad *)"]
questions: {default: decline}
steps:
  - prompt: go
`

// TestChaosProcess runs the program against agents that do random wrong things,
// as processes, some of them interrupted. CHAOS_PROCESSES and CHAOS_SEED choose
// how many and which; make chaos has many.
func TestChaosProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	t.Parallel()
	count, seed := 6, 1
	for name, v := range map[string]*int{"CHAOS_PROCESSES": &count, "CHAOS_SEED": &seed} {
		if s := os.Getenv(name); s != "" {
			n, err := strconv.Atoi(s)
			if err != nil {
				t.Fatal(err)
			}
			*v = n
		}
	}
	for i := range count {
		run := seed*1_000_000 + i
		t.Run(strconv.Itoa(run), func(t *testing.T) {
			t.Parallel()
			chaosProcess(t, run)
		})
	}
}

func chaosProcess(t *testing.T, run int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The mark stands in the agent's environment, so that what is left can be found.
	dir, mark := t.TempDir(), fmt.Sprintf("%d-%d", os.Getpid(), run)
	recipe := fmt.Sprintf(chaosRecipe, self, run, runAsAcpctl, mark)
	if err := os.WriteFile(filepath.Join(dir, "r.yaml"), []byte(recipe), 0o600); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(run), 1))
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "run", "r.yaml", "-o", "ndjson")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), runAsAcpctl+"=1", "HOME="+dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if rng.IntN(3) == 0 {
		sig := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[rng.IntN(2)]
		timer := time.AfterFunc(time.Duration(rng.IntN(1200))*time.Millisecond, func() { _ = cmd.Process.Signal(sig) })
		defer timer.Stop()
	}
	err = cmd.Wait()
	switch exit := new(exec.ExitError); {
	case ctx.Err() != nil:
		t.Errorf("run %d did not end", run)
	case err != nil && !errors.As(err, &exit):
		t.Error(err)
	}
	if problem := chaosStream(stdout.Bytes(), cmd.ProcessState.ExitCode()); problem != "" {
		t.Errorf("run %d: %s\nstdout: %s\nstderr: %s", run, problem, stdout.Bytes(), stderr.Bytes())
	}
	if left := withEnv("CHAOS_MARK=" + mark); left != "" {
		t.Errorf("run %d left processes: %s", run, left)
	}
	if bytes.Contains(stderr.Bytes(), []byte("goroutine ")) || bytes.Contains(stderr.Bytes(), []byte("DATA RACE")) {
		t.Errorf("run %d: %s", run, stderr.Bytes())
	}
}

// chaosStream says what is wrong with the events of a run.
func chaosStream(out []byte, code int) string {
	results, last := 0, ""
	for line := range bytes.Lines(out) {
		var e struct {
			Type     string
			ExitCode *int
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Sprintf("a line is no JSON: %s", line)
		}
		last = e.Type
		if e.Type == "result" {
			results++
			if e.ExitCode == nil || *e.ExitCode != code {
				return fmt.Sprintf("the exit code is %d: %s", code, line)
			}
		}
	}
	if code == 2 {
		return "nothing was started"
	}
	if results != 1 || last != "result" {
		return fmt.Sprintf("%d results, the last line is %q, exit code %d", results, last, code)
	}
	return ""
}

// withEnv lists the processes that have an entry in their environment.
func withEnv(entry string) string {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	var left string
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err == nil && bytes.Contains(env, append([]byte(entry), 0)) {
			cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
			left += fmt.Sprintf("%s %q ", filepath.Dir(f), cmdline)
		}
	}
	return left
}
