//go:build unix

package controller

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
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
