//go:build unix

package controller

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// The test binary plays the agents of the process tests: the variable names the
// one it is to be.
const playVariable = "CONTROLLER_TEST_AGENT"

func TestMain(m *testing.M) {
	if name := os.Getenv(playVariable); name != "" {
		os.Exit(playAgents[name]())
	}
	code := m.Run()
	if left := leftGoroutines(); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "goroutines are left:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// playAgents are the process agents; each returns its exit status.
var playAgents = map[string]func() int{
	"good":   func() int { serveStdio("", nil); return 0 },
	"exits":  func() int { fmt.Fprintln(os.Stderr, "npm error code ENOTEMPTY"); return 1 },
	"dies":   func() int { serveStdio("session/prompt", func() { fmt.Fprintln(os.Stderr, "out of luck") }); return 3 },
	"leaves": func() int { serveStdio("session/prompt", func() {}); return 0 },
	"no newline": func() int {
		serveStdio("session/prompt", func() { fmt.Print(`{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`) })
		return 0
	},
	"cut": func() int {
		serveStdio("session/prompt", func() { fmt.Print(`{"jsonrpc":"2.0","id":2,"result":{"stopRea`) })
		return 0
	},
	"chatty": func() int {
		fmt.Fprint(os.Stderr, strings.Repeat("log line\n", 200_000))
		serveStdio("", nil)
		return 0
	},
	"stubborn": func() int { return stubborn(true) },
	"child":    func() int { return stubborn(false) },
	"grandchild": func() int {
		serveStdio("session/prompt", func() { spawn("child") })
		return 0
	},
	"suicide": func() int {
		serveStdio("session/prompt", func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) })
		return 0
	},
	"env": func() int {
		cwd, _ := os.Getwd()
		fmt.Fprintf(os.Stderr, "%v %s %q", os.Environ(), cwd, os.Args[1:])
		return 4
	},
}

// serveStdio answers initialize, session/new and session/prompt until stdin ends
// or the method last comes, in whose place it does f.
func serveStdio(last string, f func()) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			return
		}
		if m.Method == last {
			fmt.Println(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"so far"}}}}`)
			f()
			return
		}
		result := map[string]string{
			"initialize": `{"protocolVersion":1}`, "session/new": `{"sessionId":"s-1"}`, "session/prompt": `{"stopReason":"end_turn"}`,
		}[m.Method]
		if m.ID != nil {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", m.ID, result)
		}
	}
}

// spawn starts this binary as another agent on the same stdio.
func spawn(name string) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), playVariable+"="+name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err == nil {
		if file := os.Getenv("PIDS"); file != "" {
			f, _ := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			fmt.Fprintln(f, cmd.Process.Pid)
			_ = f.Close()
		}
	}
}

// stubborn ignores SIGTERM and the end of stdin; with a child of the same kind.
func stubborn(family bool) int {
	signal.Ignore(syscall.SIGTERM)
	if family {
		spawn("child")
		serveStdio("", nil)
	}
	time.Sleep(time.Minute)
	return 0
}

// playing starts this binary as one of the agents.
func commandFor(t *testing.T, name string) *Command {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the process agents need unix")
	}
	return &Command{
		Argv: []string{os.Args[0]},
		// Neither the race detector's second of rest at the exit nor a word
		// about coverage is the agent's.
		Env:    []string{playVariable + "=" + name, "PIDS=" + filepath.Join(t.TempDir(), "pids"), "GORACE=atexit_sleep_ms=0", "GOCOVERDIR=" + t.TempDir()},
		Ladder: &Ladder{Close: 200 * time.Millisecond, Term: 200 * time.Millisecond},
	}
}

// start connects to a process agent and opens a session.
func start(t *testing.T, cmd *Command, opts *Options) (*Conn, *Session) {
	t.Helper()
	c, err := Connect(t.Context(), cmd, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	s, err := c.NewSession(t.Context(), SessionParams{Cwd: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

func TestCT01_CommandSpeaksOnStdio(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	c, s := start(t, commandFor(t, "good"), opts)
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Error(err)
	}
	_ = c.Close(t.Context())
	end := only[event.AgentEnd](t, rec)
	if end.ExitCode == nil || *end.ExitCode != 0 || end.Signal != "" || end.Stderr != "" {
		t.Errorf("agent.end %+v", end)
	}
	if argv := only[event.AgentStart](t, rec).Command; len(argv) != 1 || argv[0] != os.Args[0] {
		t.Errorf("command %q", argv)
	}
}

func TestCT01_ArgvEnvironmentAndFolderAreExact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spaced := filepath.Join(dir, "with space")
	if err := os.Symlink(os.Args[0], spaced); err != nil {
		t.Skip(err)
	}
	cmd := commandFor(t, "env")
	cmd.Argv, cmd.Dir = []string{"./with space", "a b", "$HOME", `"`}, dir
	cmd.Env = []string{playVariable + "=env", "ONLY=this"}
	_, err := Connect(t.Context(), cmd, nil)
	f := failure(t, err, event.ClassStart, "agent_exited")
	want := fmt.Sprintf(`[%s=env ONLY=this] %s ["a b" "$HOME" "\""]`, playVariable, dir)
	if !strings.Contains(string(f.Data), mustJSON(want)) {
		t.Errorf("data %s\nlack %s", f.Data, mustJSON(want))
	}
}

func mustJSON(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return strings.Trim(string(raw), `"`)
}

func TestF03_AgentThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, []byte("#!/no/such/interpreter\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		cmd    Command
		reason string
		want   []string
	}{
		{"no such command", Command{Argv: []string{"no-such-agent"}, Path: "/usr/bin::/bin"}, "command_not_found", []string{"no-such-agent", "/usr/bin::/bin"}},
		{"no such file", Command{Argv: []string{dir + "/none"}}, "command_not_found", []string{dir + "/none", "does not exist"}},
		{"not executable", Command{Argv: []string{plain}}, "command_not_found", []string{plain, "not executable"}},
		{"a folder", Command{Argv: []string{dir}}, "command_not_found", []string{"is a folder"}},
		{"no such folder", Command{Argv: []string{os.Args[0]}, Dir: dir + "/none"}, "no_such_folder", []string{dir + "/none"}},
		{"does not run", Command{Argv: []string{broken}}, "agent_not_started", []string{broken}},
		{"empty", Command{}, "no_command", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts, rec := options()
			_, err := Connect(t.Context(), &tc.cmd, opts)
			f := failure(t, err, event.ClassStart, tc.reason)
			for _, w := range tc.want {
				if !strings.Contains(f.Message, w) {
					t.Errorf("message %q lacks %q", f.Message, w)
				}
			}
			if rec.types() != "" {
				t.Errorf("events %s", rec.types())
			}
		})
	}
}

func TestLookupTakesThePathGiven(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tool"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, found := range map[string]bool{dir: true, "/none" + string(os.PathListSeparator) + dir: true, "/none": false, "": false} {
		cmd := &Command{Argv: []string{"tool"}, Path: path}
		if program, f := cmd.lookup(); (f == nil) != found || found && program != filepath.Join(dir, "tool") {
			t.Errorf("on %q: %q, %v", path, program, f)
		}
	}
}

func TestF03_AgentExitsBeforeInitialize(t *testing.T) {
	t.Parallel()
	cmd := commandFor(t, "exits")
	_, err := Connect(t.Context(), cmd, nil)
	f := failure(t, err, event.ClassStart, "agent_exited")
	for _, w := range []string{os.Args[0], "exit status 1", "npm error code ENOTEMPTY"} {
		if !strings.Contains(f.Message, w) {
			t.Errorf("message %q lacks %q", f.Message, w)
		}
	}
	if !strings.Contains(string(f.Data), `"exitCode":1`) || !strings.Contains(string(f.Data), "ENOTEMPTY") {
		t.Errorf("data %s", f.Data)
	}
}

func TestCT54_ConnectionLostInMidPrompt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ agent, message, data string }{
		{"dies", "exit status 3; stderr: out of luck", `"exitCode":3`},
		{"leaves", "exit status 0", `"exitCode":0`},
		{"suicide", "ended by signal: killed", `"signal":"killed"`},
		{"cut", "exit status 0", `"exitCode":0`},
	} {
		t.Run(tc.agent, func(t *testing.T) {
			t.Parallel()
			opts, rec := options()
			c, s := start(t, commandFor(t, tc.agent), opts)
			turn, err := s.Prompt(t.Context(), say("hi"))
			f := failure(t, err, event.ClassProtocol, "connection_lost")
			if !strings.Contains(f.Message, tc.message) || !strings.Contains(string(f.Data), tc.data) {
				t.Errorf("message %q, data %s", f.Message, f.Data)
			}
			if turn.Text != "so far" || turn.StopReason != "" {
				t.Errorf("turn %+v", turn)
			}
			_, again := s.Prompt(t.Context(), say("again"))
			f = failure(t, again, event.ClassProtocol, "connection_lost")
			if !strings.Contains(f.Message, tc.message) {
				t.Errorf("the next prompt fails with %q", f.Message)
			}
			_ = c.Close(t.Context())
			only[event.TurnEnd](t, rec)
			only[event.AgentEnd](t, rec)
			if end := only[event.SessionEnd](t, rec); end.Reason != "lost" {
				t.Errorf("session.end has reason %q", end.Reason)
			}
			if tc.agent == "cut" && !warned(rec, "stray_output") {
				t.Error("the cut frame is not reported")
			}
		})
	}
}

func TestF01_LastLineWithoutNewline(t *testing.T) {
	t.Parallel()
	opts, _ := options()
	_, s := start(t, commandFor(t, "no newline"), opts)
	if turn, err := s.Prompt(t.Context(), say("hi")); err != nil || turn.StopReason != "end_turn" {
		t.Errorf("stop reason %q: %v", turn.StopReason, err)
	}
}

func TestStderrIsAlwaysDrained(t *testing.T) {
	t.Parallel()
	cmd := commandFor(t, "chatty")
	var n counter
	cmd.Stderr = &n
	c, s := start(t, cmd, nil)
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Error(err)
	}
	_ = c.Close(t.Context())
	if n != 9*200_000 {
		t.Errorf("%d bytes were copied", n)
	}
}

type counter int

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

func TestGrandchildThatHoldsStdoutDoesNotHoldTheRun(t *testing.T) {
	t.Parallel()
	cmd := commandFor(t, "grandchild")
	opts, _ := options()
	c, s := start(t, cmd, opts)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	turn, err := s.Prompt(ctx, say("hi"))
	failure(t, err, event.ClassProtocol, "connection_lost")
	if turn.Text != "so far" {
		t.Errorf("text %q", turn.Text)
	}
	_ = c.Close(t.Context())
	nobodyLeft(t, cmd)
}

func TestCT56_StubbornAgentAndItsChildAreGone(t *testing.T) {
	t.Parallel()
	cmd := commandFor(t, "stubborn")
	opts, rec := options()
	c, s := start(t, cmd, opts)
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Error(err)
	}
	_ = c.Close(t.Context())
	if end := only[event.AgentEnd](t, rec); end.Signal != "killed" || end.ExitCode != nil {
		t.Errorf("agent.end %+v", end)
	}
	nobodyLeft(t, cmd)
}

func TestCT56_TheEndOfTheContextHurries(t *testing.T) {
	t.Parallel()
	cmd := commandFor(t, "stubborn")
	cmd.Ladder = &Ladder{Close: time.Minute, Term: 10 * time.Second}
	c, _ := start(t, cmd, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	begin := time.Now()
	_ = c.Close(ctx)
	if d := time.Since(begin); d > 8*time.Second {
		t.Errorf("took %s", d)
	}
	nobodyLeft(t, cmd)
}

func TestKillEndsTheGroupAtOnce(t *testing.T) {
	t.Parallel()
	cmd := commandFor(t, "stubborn")
	cmd.Ladder = nil
	c, _ := start(t, cmd, nil)
	c.Kill()
	<-c.link.Exited()
	_ = c.Close(t.Context())
	nobodyLeft(t, cmd)
}

// nobodyLeft checks that the children which the agent noted are gone.
func nobodyLeft(t *testing.T, cmd *Command) {
	t.Helper()
	raw, err := os.ReadFile(strings.TrimPrefix(cmd.Env[1], "PIDS="))
	if err != nil {
		t.Fatal("the agent had no child: the test shows nothing")
	}
	for line := range strings.Lines(string(raw)) {
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		if running(pid) {
			t.Errorf("process %d is left", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// running says whether a process is more than a zombie that waits for init.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !os.IsNotExist(err) && syscall.Kill(pid, 0) == nil
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	tl := newTail(nil)
	for i := range 100_000 {
		fmt.Fprintf(tl, "line %d\n", i)
	}
	if len(tl.buf) > 3*tailKept {
		t.Errorf("%d bytes are kept", len(tl.buf))
	}
	end := tl.end(50)
	if !strings.HasPrefix(end, "line ") || !strings.HasSuffix(end, "line 99999\n") || len(end) > 50 {
		t.Errorf("end is %q", end)
	}
	if got := newTail(nil); got.end(10) != "" {
		t.Error("an empty tail has an end")
	}
}

func TestDrainReadsEverythingBeforeItGivesUp(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	d := newDrain(r)
	want := strings.Repeat("x", 10_000)
	if _, err := io.WriteString(w, want); err != nil {
		t.Fatal(err)
	}
	d.writerGone()
	var got []byte
	buf := make([]byte, 100)
	for {
		n, err := d.Read(buf)
		got = append(got, buf[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if string(got) != want {
		t.Errorf("%d bytes were read, want %d", len(got), len(want))
	}
}
