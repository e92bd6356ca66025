package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// commands are the script commands beside testscript's own:
//
//	exits CODE PROGRAM ARGS...   run it, and it must end with exactly CODE
//	gone PATTERN                 no process whose command line holds PATTERN is left
func commands() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	return map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"exits": exits,
		"gone":  gone,
	}
}

// exits runs a program and compares its exit code, since testscript alone knows
// only success and failure.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// gone waits until no process with the pattern in its command line is left.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone PATTERN")
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var left []string
	for range 250 {
		if left = running(args[0]); len(left) == 0 {
			return
		}
		<-tick.C
	}
	ts.Fatalf("still running: %s", strings.Join(left, "; "))
}

// running lists the command lines in /proc that hold pattern; none where there
// is no /proc.
func running(pattern string) []string {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil || e.Name() == strconv.Itoa(os.Getpid()) {
			continue
		}
		line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		text := strings.ReplaceAll(string(line), "\x00", " ")
		if err == nil && strings.Contains(text, pattern) {
			list = append(list, text)
		}
	}
	return list
}

// goEnv asks the go command for one of its settings.
func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
