//go:build unix

package controller

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// playing starts this binary as one of the agents.
func commandFor(t *testing.T, name string) *Command {
	t.Helper()
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
	t.Cleanup(func() { _ = c.Close(context.WithoutCancel(t.Context())) })
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
			if tc.agent == "cut" && !warned(rec, "junk") {
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

func TestGrandchildThatHoldsStdoutDoesNotHoldTheRun(t *testing.T) {
	t.Parallel()
	cmd := commandFor(t, "grandchild")
	opts, _ := options()
	c, s := start(t, cmd, opts)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	turn, err := s.Prompt(ctx, say("hi"))
	fails(t, err, event.ClassProtocol, "connection_lost")
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
