package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/controller/event"
)

// Main runs the command line in env and returns the exit code of the process,
// one of those in package event.
func Main(env *Env) int {
	paceGC()
	defer func() {
		if startedAny() {
			env.sweep()
		}
	}()
	a := &app{env: env}
	root := newRoot(a)
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	cmd, err := root.ExecuteContextC(context.Background())
	if err == nil {
		return a.code
	}
	return a.fail(cmd, err)
}

// app is what the commands of one process share.
type app struct {
	env  *Env
	code int // exit code of a command that ended without an error of its own
}

// fail prints err once and maps it to the exit code. A run whose failure is
// already in its result event prints nothing more.
func (a *app) fail(cmd *cobra.Command, err error) int {
	if errors.Is(err, errReported) {
		return a.code
	}
	f := asFailure(err)
	a.printFailure(f)
	if f.Class == event.ClassUsage && cmd != nil && slices.Contains([]string{"run", "prompt"}, cmd.Name()) {
		a.printUsageResult(cmd.Name(), f)
	}
	return f.ExitCode()
}
