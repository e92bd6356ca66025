//go:build unix

package tool_test

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

	"github.com/acpctl/acpctl/agentcore/tool"
)

func TestShell(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"sub/x.txt": "in sub\n"})
	f.ws.Environ = append(f.ws.Environ, "SEEN=yes", "PWD=/wrong")
	tests := []struct {
		args    obj
		want    string
		raw     string
		isError bool
	}{
		{obj{"command": "echo out; echo err >&2"}, "out\nerr\n[exit code 0]", `{"exitCode":0}`, false},
		{obj{"command": "printf x; exit 3"}, "x\n[exit code 3]", `{"exitCode":3}`, true},
		{obj{"command": "true"}, "[exit code 0]", `{"exitCode":0}`, false},
		{obj{"command": "cat x.txt", "cwd": "sub"}, "in sub\n[exit code 0]", `{"exitCode":0}`, false},
		{obj{"command": `echo "$SEEN $PWD"`}, "yes " + f.root + "\n[exit code 0]", `{"exitCode":0}`, false},
		{obj{"command": "cat"}, "[exit code 0]", `{"exitCode":0}`, false}, // no input
		{obj{"command": `printf 'a\377\303b'`}, "a\ufffdb\n[exit code 0]", `{"exitCode":0}`, false},
		{obj{"command": "kill -9 $$"}, "[ended by signal: killed]", `{"signal":"signal: killed"}`, true},
		{obj{"command": "sleep 60", "timeoutMs": 50}, "[time limit of 50ms reached, the command was ended]", `{"timedOut":true}`, true},
	}
	for _, tt := range tests {
		r := f.run("shell", tt.args)
		if r.Text != tt.want || r.IsError != tt.isError || string(r.RawOutput) != tt.raw {
			t.Errorf("%v:\n got %q, error %v, raw %s\nwant %q, error %v, raw %s", tt.args, r.Text, r.IsError, r.RawOutput, tt.want, tt.isError, tt.raw)
		}
	}
	f.mustFail("shell", obj{"command": "true", "cwd": "none"}, "running in none: no such file")
	f.mustFail("shell", obj{"command": "true", "cwd": "sub/x.txt"}, "not a folder")
	if p := f.plan("shell", obj{"command": "true", "cwd": ".."}); !p.Outside || p.Kind != "execute" {
		t.Errorf("got outside %v, kind %s", p.Outside, p.Kind)
	}
}

func TestShellOutputKeepsBothEnds(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	r := f.run("shell", obj{"command": `echo first; i=0; while [ $i -lt 2000 ]; do echo "éééééééééééééééééééééééééééééééééééééééééé"; i=$((i+1)); done; echo last`})
	if !strings.HasPrefix(r.Text, "first\n") || !strings.HasSuffix(r.Text, "\nlast\n[exit code 0]") || !strings.Contains(r.Text, " bytes left out]\n") {
		t.Errorf("got %q ... %q", r.Text[:40], r.Text[len(r.Text)-40:])
	}
	if len(r.Text) > 65<<10 || strings.Contains(r.Text, "\ufffd") {
		t.Errorf("%d bytes, or a character was cut", len(r.Text))
	}
	if string(r.RawOutput) != `{"exitCode":0,"truncated":true}` {
		t.Errorf("raw output %s", r.RawOutput)
	}
}

func TestShellReportsProgress(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var seen []string
	p := f.plan("shell", obj{"command": "echo early; while [ ! -e go ]; do sleep 0.05; done; echo late"})
	r := p.Run(ctx, func(p tool.Progress) {
		seen = append(seen, p.Text)
		f.write("go", "")
	})
	if len(seen) == 0 || seen[0] != "early\n" || r.Text != "early\nlate\n[exit code 0]" {
		t.Errorf("progress %q, result %q", seen, r.Text)
	}
}

// started waits for a file with a process id in it.
func (f *folder) started(name string) int {
	f.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		b, _ := os.ReadFile(filepath.Join(f.root, name))
		if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil {
			return pid
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			f.Fatalf("%s was not written", name)
		}
	}
}

// gone reports whether a process has ended; one that nobody has waited for yet
// counts as ended.
func gone(t *testing.T, pid int) bool {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 200 {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil && strings.Contains(string(stat), ") Z ") {
			return true
		}
		<-tick.C
	}
	return false
}

func TestShellCancelEndsTheWholeGroup(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"willing":  `sleep 90 & echo $! > pid; wait`,
		"stubborn": `trap "" TERM; sh -c 'trap "" TERM; echo $$ > pid.tmp; mv pid.tmp pid; while :; do sleep 0.1; done' & while :; do sleep 0.1; done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			p := f.plan("shell", obj{"command": command})
			done := make(chan tool.Result, 1)
			go func() { done <- p.Run(ctx, nil) }()
			pid := f.started("pid")
			cancel()
			if r := <-done; !r.IsError || !strings.Contains(r.Text, "[cancelled]") {
				t.Errorf("got %+v", r)
			}
			if !gone(t, pid) {
				t.Errorf("process %d is still there", pid)
			}
		})
	}
}

func TestShellLeavesNothingInTheBackground(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	r := f.run("shell", obj{"command": `sleep 90 & echo $! > pid; echo done`})
	if r.Text != "done\n[exit code 0]" {
		t.Errorf("got %q", r.Text)
	}
	if pid := f.started("pid"); !gone(t, pid) {
		t.Errorf("process %d is still there", pid)
	}
}

// A process that left the group keeps the pipe open; the call ends all the same.
func TestShellDoesNotWaitForWhoLeftTheGroup(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/bin/setsid"); err != nil {
		t.Skip(err)
	}
	f := newFolder(t, nil)
	r := f.run("shell", obj{"command": `setsid sleep 5 & sleep 0.2; echo done`})
	if r.Text != "done\n[exit code 0]" {
		t.Errorf("got %q", r.Text)
	}
}

func TestShellDoesNotStartWhenCancelled(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := f.plan("shell", obj{"command": "echo x > made"}).Run(ctx, nil)
	if !r.IsError || r.Text != "[cancelled]" || f.exists("made") {
		t.Errorf("got %+v", r)
	}
}

func TestReadingAFifoDoesNotBlock(t *testing.T) {
	t.Parallel()
	f := newFolder(t, nil)
	if err := syscall.Mkfifo(filepath.Join(f.root, "fifo"), 0o644); err != nil {
		t.Skip(err)
	}
	f.mustFail("read_file", obj{"path": "fifo"}, "not a regular file")
	if got := f.mustRun("grep", obj{"pattern": "x"}); got != "[nothing found]" {
		t.Errorf("got %q", got)
	}
}
