//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// durable runs the program with a store of its own.
type durable struct {
	t    *testing.T
	self string
	dir  string
	env  []string
}

func newDurable(t *testing.T, env ...string) *durable {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return &durable{t, self, dir, append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, runAsAcpctl + "=1", "ACPCTL_EPHEMERAL=", "ACPCTL_TEST_IDS=random",
	}, env...)}
}

func (d *durable) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(d.t.Context(), d.self, args...)
	cmd.Dir, cmd.Env = d.dir, d.env
	return cmd
}

// killed runs the program until an event of the type comes, waits a little, and
// kills it.
func (d *durable) killed(at string, wait time.Duration, args ...string) {
	d.t.Helper()
	cmd := d.command(args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && !strings.Contains(lines.Text(), `"type":"`+at+`"`) {
	}
	timer := time.NewTimer(wait)
	<-timer.C
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()
}

// results counts the tool calls and their results in a history as the provider
// gets it, and says what is not well-formed about it.
func results(messages []any) (interrupted int, problem string) {
	open := map[string]bool{}
	for _, m := range messages {
		message, _ := m.(map[string]any)
		if message["role"] == "tool" {
			id := fmt.Sprint(message["tool_call_id"])
			if !open[id] {
				return 0, "a result without its call, or twice: " + id
			}
			delete(open, id)
			if strings.Contains(fmt.Sprint(message["content"]), "interrupted") {
				interrupted++
			}
			continue
		}
		if len(open) > 0 {
			return 0, fmt.Sprintf("calls without results before %v", message["role"])
		}
		calls, _ := message["tool_calls"].([]any)
		for _, c := range calls {
			call, _ := c.(map[string]any)
			open[fmt.Sprint(call["id"])] = true
		}
	}
	if len(open) > 0 {
		return 0, "calls without results at the end"
	}
	return interrupted, ""
}

// toolModel is an endpoint whose model makes two calls, then answers; it keeps the
// last request.
func toolModel(t *testing.T) (url string, last func() []any) {
	t.Helper()
	var mu sync.Mutex
	var messages []any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Messages []any }
		_ = json.NewDecoder(r.Body).Decode(&body)
		mu.Lock()
		messages = body.Messages
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		if end, _ := body.Messages[len(body.Messages)-1].(map[string]any); end["role"] == "user" && end["content"] == "work" {
			fmt.Fprintf(w, "data: %s\n\n", `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"shell","arguments":"{\"command\":\"sleep 0.3\"}"}},{"index":1,"id":"b","function":{"name":"shell","arguments":"{\"command\":\"sleep 0.2\"}"}}]},"finish_reason":"tool_calls"}]}`)
			return
		}
		fmt.Fprintf(w, "data: %s\n\n", `{"choices":[{"delta":{"content":"fine"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []any {
		mu.Lock()
		defer mu.Unlock()
		return messages
	}
}

// TestF15_KilledInATool kills the process while the first of two calls runs: both
// have a result that says so when the session goes on, once.
func TestF15_KilledInATool(t *testing.T) {
	t.Parallel()
	url, last := toolModel(t)
	d := newDurable(t, "OPENAI_BASE_URL="+url)
	args := []string{"prompt", "--no-stdin", "--model", "openai/m", "--allow", "execute", "-o", "ndjson"}
	d.killed("tool.start", 50*time.Millisecond, append(args, "work")...)
	for range 2 {
		out, err := d.command(append(args, "-c", "continue")...).CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte(`"text":"fine"`)) {
			t.Fatalf("%v: %s", err, out)
		}
		if n, problem := results(last()); problem != "" || n != 2 {
			t.Errorf("%d interrupted calls, %s: %v", n, problem, last())
		}
	}
}

// TestKilledAnywhere kills the process at random points of runs with tool calls:
// every session that is listed can be gone on with, and its history is
// well-formed. KILLS chooses how many; make chaos has more.
func TestKilledAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	t.Parallel()
	kills := 8
	if s := os.Getenv("KILLS"); s != "" {
		if _, err := fmt.Sscan(s, &kills); err != nil {
			t.Fatal(err)
		}
	}
	url, last := toolModel(t)
	d := newDurable(t, "OPENAI_BASE_URL="+url)
	args := []string{"prompt", "--no-stdin", "--model", "openai/m", "--allow", "execute", "-o", "ndjson"}
	rng := rand.New(rand.NewPCG(7, 7))
	points := []string{"run.start", "session.start", "turn.start", "tool.start", "tool.end", "permission"}
	for range kills {
		d.killed(points[rng.IntN(len(points))], time.Duration(rng.IntN(250))*time.Millisecond, append(args, "work")...)
	}
	out, err := d.command("sessions", "list", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for line := range bytes.Lines(out) {
		var s struct{ SessionID string }
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		listed++
		if out, err := d.command(append(args, "--resume", s.SessionID, "go on")...).CombinedOutput(); err != nil {
			t.Errorf("%s cannot be gone on with: %v: %s", s.SessionID, err, out)
		}
		if _, problem := results(last()); problem != "" {
			t.Errorf("%s: %s", s.SessionID, problem)
		}
	}
	if listed == 0 {
		t.Error("no session was kept")
	}
}

// TestF22_OneOwnerAtATime has three processes in one session: one works, the
// others are told at once, and a killed owner holds up nobody.
func TestF22_OneOwnerAtATime(t *testing.T) {
	t.Parallel()
	url, _ := toolModel(t)
	d := newDurable(t, "OPENAI_BASE_URL="+url)
	args := []string{"prompt", "--no-stdin", "--model", "openai/m", "--allow", "execute", "-o", "ndjson"}
	out, err := d.command(append(args, "begin")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var result struct{ SessionID string }
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &result); err != nil || result.SessionID == "" {
		t.Fatalf("%s: %v", out, err)
	}
	again := append(append([]string{}, args...), "--resume", result.SessionID)
	owner := d.command(append(again, "work")...)
	events, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	seen := bufio.NewScanner(events)
	seen.Buffer(nil, 1<<20)
	for seen.Scan() && !strings.Contains(seen.Text(), `"type":"turn.start"`) {
	}
	for range 2 {
		cmd := d.command(append(again, "other")...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 4 || !bytes.Contains(out, []byte("session_in_use")) {
			t.Errorf("exit code %d: %s", code, out)
		}
	}
	_ = owner.Process.Signal(syscall.SIGKILL)
	_ = owner.Wait()
	if out, err := d.command(append(again, "go on")...).CombinedOutput(); err != nil {
		t.Errorf("behind a killed owner: %v: %s", err, out)
	}
	logs, _ := filepath.Glob(filepath.Join(d.dir, ".local/state/acpctl/sessions/*.jsonl"))
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		for line := range bytes.Lines(text) {
			if !json.Valid(line) {
				t.Errorf("%s: %s", log, line)
			}
		}
	}
}
