package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
)

// errReported says that the failure was already written, as events or by the
// command itself; the exit code is in app.code.
var errReported = errors.New("already reported")

// usageError makes a failure of class usage with hints.
func usageError(message string, hints ...string) *event.Failure {
	return &event.Failure{Class: event.ClassUsage, Reason: "usage", Message: message, Hints: hints}
}

func usageErrorf(format string, args ...any) *event.Failure {
	return usageError(fmt.Sprintf(format, args...))
}

// asFailure sorts any error of a command. What cobra reports about flags,
// arguments and command names is a usage error; it has no type of its own, so
// everything that is not a failure and comes from parsing is wrapped where it is
// made (see flagError) and the rest is internal.
func asFailure(err error) *event.Failure {
	if f := new(event.Failure); errors.As(err, &f) {
		return f
	}
	if cobraUsage(err.Error()) {
		return usageError(strings.ReplaceAll(err.Error(), "\n", " "))
	}
	return event.AsFailure(err)
}

// cobraUsage recognises cobra's own argument errors, which are plain strings.
func cobraUsage(message string) bool {
	for _, prefix := range []string{
		"unknown command", "unknown flag", "unknown shorthand", "accepts ", "requires ",
		"invalid argument", "flag needs an argument", "required flag", "if any flags in the group",
	} {
		if strings.HasPrefix(message, prefix) {
			return true
		}
	}
	return false
}

// printFailure writes one line of what happened and the hints below it. A
// message of several lines (a list of recipe problems) keeps its lines.
func (a *app) printFailure(f *event.Failure) { printFailure(a.env.Stderr, f) }

func printFailure(w io.Writer, f *event.Failure) {
	var b strings.Builder
	b.WriteString("acpctl: " + strings.TrimRight(f.Message, "\n") + "\n")
	for _, h := range f.Hints {
		b.WriteString("acpctl: hint: " + h + "\n")
	}
	_, _ = io.WriteString(w, b.String())
}
