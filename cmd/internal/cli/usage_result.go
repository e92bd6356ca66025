package cli

import (
	"strings"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/output"
)

// printUsageResult writes the result line of a run that did not begin, where the
// format of stdout is one for programs: a reader finds a result on every path.
// The format is read from the arguments themselves, since it may be the flags
// that are wrong.
func (a *app) printUsageResult(command string, f *event.Failure) {
	var sink output.Sink
	switch a.formatFromArgs(command) {
	case formatNDJSON:
		sink = output.NewNDJSON(a.env.Stdout, nil)
	case formatJSON:
		sink = output.NewJSON(a.env.Stdout)
	default:
		return
	}
	result := &event.Result{
		Status: "failed", Reason: f.Reason, ExitCode: f.ExitCode(), Error: f,
		Denials: []event.Denial{}, Uncovered: []event.UncoveredCall{},
	}
	e := event.Event{Seq: 1, Time: a.env.Now(), Run: a.env.NewID("run_"), Body: *result}
	_ = sink.Write(&e) // there is nobody left to tell
	_ = sink.Close()
}

// formatFromArgs finds the format that the arguments ask for; the last one wins,
// as it does for the flags.
func (a *app) formatFromArgs(command string) string {
	o := &runOptions{}
	if v, ok := a.env.Getenv(variableOf("output")); ok {
		o.format = v
	}
	args := a.env.Args
	for i, arg := range args {
		switch {
		case arg == "--":
			return a.formatOrDefault(command, o)
		case (arg == "-o" || arg == "--output") && i+1 < len(args):
			o.format = args[i+1]
		case strings.HasPrefix(arg, "--output="):
			o.format = strings.TrimPrefix(arg, "--output=")
		case strings.HasPrefix(arg, "-o") && len(arg) > 2:
			o.format = strings.TrimPrefix(strings.TrimPrefix(arg, "-o"), "=")
		case arg == "--jq" || strings.HasPrefix(arg, "--jq="):
			return "" // a filter decides what is printed, and it has not run
		}
	}
	return a.formatOrDefault(command, o)
}

func (a *app) formatOrDefault(command string, o *runOptions) string {
	if command == "prompt" && o.format == "" {
		return formatText
	}
	return a.formatOf(o)
}
