//go:build unix

package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acpctl/acpctl/agentcore/mcp"
	"github.com/acpctl/acpctl/agentcore/tool"
)

// mount connects and closes with the test.
func mount(t *testing.T, o *mcp.Options, servers ...mcp.Server) *mcp.Mount {
	t.Helper()
	m, err := mcp.Connect(t.Context(), servers, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func find(t *testing.T, m *mcp.Mount, name string) tool.Tool {
	t.Helper()
	for _, tt := range m.Tools() {
		if tt.Spec().Name == name {
			return tt
		}
	}
	t.Fatalf("no tool %s", name)
	return nil
}

func call(ctx context.Context, t *testing.T, m *mcp.Mount, name, args string) tool.Result {
	t.Helper()
	p, err := find(t, m, name).Plan(nil, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return p.Run(ctx, nil)
}

// state is what the tool "where" tells of its server.
type state struct {
	Cwd string
	Env []string
	Pid int
}

func where(t *testing.T, m *mcp.Mount, server string) state {
	t.Helper()
	var s state
	if err := json.Unmarshal([]byte(call(t.Context(), t, m, "mcp__"+server+"__where", "{}").Text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// eventually waits for a condition that other goroutines or processes bring about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("never: %s", what)
		}
	}
}

// gone reports whether a process has ended; one that nobody has waited for yet
// counts as ended.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestAC51_StdioServerGetsFolderAndCleanEnvironment(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	m := mount(t, o, testServer("srv", "ok"))
	s := where(t, m, "srv")
	if want, _ := filepath.EvalSymlinks(o.Cwd); s.Cwd != want {
		t.Errorf("folder: got %s, want %s", s.Cwd, want)
	}
	for _, line := range s.Env {
		name, _, _ := strings.Cut(line, "=")
		if kept := tool.ServerEnviron([]string{line}); len(kept) == 0 && name != "DECLARED" && name != serverMode && name != "PWD" {
			t.Errorf("the server sees %s", name)
		}
	}
	if !slices.Contains(s.Env, "DECLARED=yes") || !slices.ContainsFunc(s.Env, func(l string) bool { return strings.HasPrefix(l, "PATH=") }) {
		t.Errorf("PATH or a declared variable is missing: %q", s.Env)
	}
}

func TestBareCommandIsLookedUpOnPath(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "my-server")); err != nil {
		t.Fatal(err)
	}
	s := testServer("srv", "ok")
	s.Command = "my-server"
	o := testOptions(t)
	o.Environ = append(o.Environ, "PATH=relative:"+bin)
	mount(t, o, s)
	o.Environ = append(o.Environ, "PATH="+t.TempDir())
	_, err := mcp.Connect(t.Context(), []mcp.Server{s}, o)
	if err == nil || err.Error() != `MCP server "srv": my-server is not on PATH` {
		t.Errorf("got %v", err)
	}
}

func TestCallsGiveTextStructuredContentAndErrors(t *testing.T) {
	t.Parallel()
	m := mount(t, testOptions(t), testServer("My Srv", "ok"))
	tests := []struct {
		tool, args, text, raw string
		isError               bool
	}{
		{"echo", `{"a":[1,"x"]}`, `{"a":[1,"x"]}`, "", false},
		{"echo", ``, `{}`, "", false},
		{"fail", `{}`, "no such table", "", true},
		{"broken", `{}`, `MCP server "My Srv": calling "tools/call": internal trouble`, "", true},
		{"mixed", `{}`, "text\n[image image/png, 5 bytes, not shown]\n[audio audio/wav, 1 bytes, not shown]\n[resource x: file:///x]\ninner\n[resource file:///z, 3 bytes, not shown]", `{"n":1}`, false},
		{"structured", `{}`, `{"n":1}`, `{"n":1}`, false},
	}
	for _, tt := range tests {
		r := call(t.Context(), t, m, "mcp__my_srv__"+tt.tool, tt.args)
		if r.Text != tt.text || string(r.RawOutput) != tt.raw || r.IsError != tt.isError {
			t.Errorf("%s %s:\n got %q, raw %s, error %v\nwant %q, raw %s, error %v", tt.tool, tt.args, r.Text, r.RawOutput, r.IsError, tt.text, tt.raw, tt.isError)
		}
	}
	echo := find(t, m, "mcp__my_srv__echo")
	if s := echo.Spec(); s.Description != "does echo" || s.Kind != "other" || string(s.Schema) != `{"type":"object"}` {
		t.Errorf("got %+v", s)
	}
	for _, bad := range []string{`[]`, `null`, `{`, `7`} {
		if _, err := echo.Plan(nil, json.RawMessage(bad)); err == nil {
			t.Errorf("arguments %s are taken", bad)
		}
	}
	p, err := echo.Plan(nil, json.RawMessage(`{"x":1}`))
	if err != nil || p.Title != "mcp__my_srv__echo" || p.Kind != "other" || string(p.RawInput) != `{"x":1}` {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestAllPagesAreListedUnderNamesThatProvidersTake(t *testing.T) {
	t.Parallel()
	m := mount(t, testOptions(t), testServer("srv", "many=35,names"))
	var names []string
	for _, tt := range m.Tools() {
		name := tt.Spec().Name
		if len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" || slices.Contains(names, name) {
			t.Errorf("name %q", name)
		}
		names = append(names, name)
	}
	if got, want := len(names), 35+4+9; got != want {
		t.Errorf("got %d tools, want %d", got, want)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "mcp__srv__a_b") || strings.HasPrefix(name, "mcp__srv__long") {
			if r := call(t.Context(), t, m, name, "{}"); r.IsError || !strings.HasPrefix(r.Text, "a") && !strings.HasPrefix(r.Text, "long") {
				t.Errorf("%s: got %+v", name, r)
			}
		}
	}
	_, err := mcp.Connect(t.Context(), []mcp.Server{testServer("srv", "many=1001")}, testOptions(t))
	if err == nil || !strings.Contains(err.Error(), "more than 1000") {
		t.Errorf("got %v", err)
	}
}

func TestNoiseOnOutputIsPassedOver(t *testing.T) {
	t.Parallel()
	m := mount(t, testOptions(t), testServer("srv", "noisy"))
	if r := call(t.Context(), t, m, "mcp__srv__echo", `{"a":1}`); r.Text != `{"a":1}` {
		t.Errorf("got %+v", r)
	}
}

func TestAC53_FailureTakesEverythingBack(t *testing.T) {
	t.Parallel()
	child := filepath.Join(t.TempDir(), "pid")
	_, err := mcp.Connect(t.Context(), []mcp.Server{testServer("first", "child="+child), testServer("second", "exit")}, testOptions(t))
	var failed *mcp.ConnectError
	if !errors.As(err, &failed) || failed.Server != "second" {
		t.Fatalf("got %v", err)
	}
	if want := `MCP server "second": the process ended: exit status 3; stderr: cannot read configuration`; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if text, err := os.ReadFile(child); err == nil { // it may have been stopped before
		pid, _ := strconv.Atoi(string(text))
		eventually(t, "the child of the first server is gone", func() bool { return gone(pid) })
	}
}

func TestConnectingIsBounded(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	o.Timeout = 100 * time.Millisecond
	_, err := mcp.Connect(t.Context(), []mcp.Server{testServer("srv", "silent")}, o)
	if err == nil || err.Error() != `MCP server "srv": no answer within the time limit` {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err = mcp.Connect(ctx, []mcp.Server{testServer("srv", "silent")}, testOptions(t)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestAC54_MountsAreApart(t *testing.T) {
	t.Parallel()
	one, two := mount(t, testOptions(t), testServer("fs", "ok")), mount(t, testOptions(t), testServer("fs", "ok"))
	if a, b := where(t, one, "fs"), where(t, two, "fs"); a.Pid == b.Pid || a.Cwd == b.Cwd {
		t.Errorf("both reach process %d in %s", a.Pid, a.Cwd)
	}
}

func TestAC55_CloseEmptiesTheProcessGroup(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"ok", "stubborn"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			m := mount(t, testOptions(t), testServer("srv", mode+",child="+file))
			server := where(t, m, "srv").Pid
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			child, _ := strconv.Atoi(string(text))
			done := make(chan tool.Result, 1)
			go func() { done <- call(context.Background(), t, m, "mcp__srv__wait", "{}") }()
			if err := errors.Join(m.Close(), m.Close()); err != nil {
				t.Error(err)
			}
			if r := <-done; !r.IsError {
				t.Errorf("a call outlived its server: %+v", r)
			}
			if !gone(server) {
				t.Error("the server is still there")
			}
			eventually(t, "the server's child is gone", func() bool { return gone(child) })
			if r := call(t.Context(), t, m, "mcp__srv__echo", "{}"); !r.IsError {
				t.Errorf("a call after the end: %+v", r)
			}
		})
	}
}

func TestAC56_LostServerIsReachedAgain(t *testing.T) {
	t.Parallel()
	m := mount(t, testOptions(t), testServer("srv", "ok"), testServer("other", "ok"))
	before := where(t, m, "srv").Pid
	r := call(t.Context(), t, m, "mcp__srv__die", "{}")
	if want := `MCP server "srv": the process ended: exit status 7; stderr: panic: out of cheese`; !r.IsError || !strings.HasPrefix(r.Text, want) {
		t.Errorf("got %v, %q\nwant %q", r.IsError, r.Text, want)
	}
	if s := m.Servers(); s[1].Name != "other" || !s[1].Connected {
		t.Errorf("got %+v", s)
	}
	eventually(t, "the server is back", func() bool { return m.Servers()[0].Connected && where(t, m, "srv").Pid != before })
	if r := call(t.Context(), t, m, "mcp__srv__echo", `{}`); r.IsError {
		t.Errorf("got %+v", r)
	}
}

func TestAC56_CallsToALostServerFail(t *testing.T) {
	t.Parallel()
	m := mount(t, testOptions(t), testServer("srv", "once="+filepath.Join(t.TempDir(), "ran")))
	call(t.Context(), t, m, "mcp__srv__die", "{}")
	eventually(t, "an attempt to reach it failed", func() bool { return strings.Contains(m.Servers()[0].Err, "exit status 4") })
	r := call(t.Context(), t, m, "mcp__srv__echo", "{}")
	if !r.IsError || !strings.Contains(r.Text, `MCP server "srv" is not connected`) {
		t.Errorf("got %+v", r)
	}
	if s := m.Servers()[0]; s.Connected || len(s.Tools) != 9 {
		t.Errorf("got %+v", s)
	}
}

func TestToolListChanges(t *testing.T) {
	t.Parallel()
	m := mount(t, testOptions(t), testServer("srv", "ok"))
	call(t.Context(), t, m, "mcp__srv__grow", "{}")
	eventually(t, "the new tool is listed", func() bool { return slices.Contains(m.Servers()[0].Tools, "mcp__srv__grown") })
}

func TestCancelledCall(t *testing.T) {
	t.Parallel()
	m := mount(t, testOptions(t), testServer("srv", "ok"))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if r := call(ctx, t, m, "mcp__srv__wait", "{}"); !r.IsError || r.Text != "cancelled" {
		t.Errorf("got %+v", r)
	}
	if r := call(t.Context(), t, m, "mcp__srv__echo", `{}`); r.IsError {
		t.Errorf("the server is lost after a cancelled call: %+v", r)
	}
}

func TestAC84_NothingIsLeft(t *testing.T) {
	s := httpServer(t, func(next http.Handler) http.Handler { return next })
	connect := func() {
		m, err := mcp.Connect(t.Context(), []mcp.Server{testServer("srv", "ok"), {Name: "web", Transport: mcp.HTTP, URL: s.URL}}, testOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		call(t.Context(), t, m, "mcp__srv__die", "{}")
		call(t.Context(), t, m, "mcp__web__echo", "{}")
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if _, err := mcp.Connect(t.Context(), []mcp.Server{testServer("srv", "exit")}, testOptions(t)); err == nil {
			t.Error("no error")
		}
		s.CloseClientConnections()
	}
	connect()
	fds := func() int { list, _ := os.ReadDir("/proc/self/fd"); return len(list) }
	goroutines, files := runtime.NumGoroutine(), fds()
	for range 3 {
		connect()
	}
	eventually(t, "no more goroutines and files than before", func() bool { return runtime.NumGoroutine() <= goroutines && fds() <= files })
}
