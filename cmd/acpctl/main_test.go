package main

import (
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/acpctl/acpctl/cmd/internal/cli"
	"github.com/acpctl/acpctl/controller"
	"github.com/acpctl/acpctl/controller/acptest"
)

// runAsAcpctl makes the test binary acpctl, for tests that are no scripts; the
// value agent makes it the scripted agent.
const runAsAcpctl = "ACPCTL_TEST_RUN"

// TestMain makes the test binary both acpctl and the scripted agent, so scripts
// run real processes with real exit codes, streams and signals.
func TestMain(m *testing.M) {
	if _, told := os.LookupEnv("ACPCTL_EPHEMERAL"); !told { // no test leaves sessions with the user
		_ = os.Setenv("ACPCTL_EPHEMERAL", "true")
	}
	switch os.Getenv(runAsAcpctl) {
	case "":
	case "agent":
		os.Exit(acptest.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	default:
		os.Exit(cli.Main(testEnv()))
	}
	testscript.Main(m, map[string]func(){
		"acpctl":        func() { os.Exit(cli.Main(testEnv())) },
		"ws-agent":      func() { os.Exit(serveWebSocket(os.Args[1:])) },
		"fake-model":    func() { os.Exit(serveModel(os.Args[1:])) },
		"acptest-agent": func() { os.Exit(acptest.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// testEnv is the environment of the process with a fixed clock and counted ids,
// so that the event stream is the same in every run.
func testEnv() *cli.Env {
	env := cli.OSEnv()
	env.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	var n atomic.Int64
	if os.Getenv("ACPCTL_TEST_IDS") != "random" { // as processes that share a store need them
		env.NewID = func(prefix string) string { return prefix + strconv.FormatInt(n.Add(1), 10) }
	}
	// Short waits, so that agents which never answer end a test soon.
	env.Deadlines = controller.Deadlines{Initialize: 2 * time.Second, NewSession: 10 * time.Second, Call: 10 * time.Second}
	env.Ladder = &controller.Ladder{Close: 500 * time.Millisecond, Term: 500 * time.Millisecond}
	return env
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds:                commands(),
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Setenv("ACPCTL_EPHEMERAL", "true") // ids are counted in each process, from the same start
			return os.MkdirAll(e.WorkDir+"/home", 0o700)
		},
	})
}
