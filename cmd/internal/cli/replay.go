package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/controller"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/transcript"
)

const replayLong = `Show what a recording says, in any output format: the same events as the run that
made it, but for ids, times and what only the run knew (rules, assertions). Nothing
is started, opened or answered. The result and the exit code say how the last turn
ended by the agent's own word; a rule or a limit that ended the run is not in it.

FILE is what --record wrote, or with --session ID one update of ACP a line.
--snapshot prints what the updates of each session add up to instead.`

func newReplay(a *app) *cobra.Command {
	o := &runOptions{}
	var session string
	var snapshot bool
	cmd := &cobra.Command{
		Use: "replay FILE", Short: "Show what a recording says, without an agent", Long: replayLong,
		Example: "  acpctl run recipe.yaml --record run.jsonl; acpctl replay run.jsonl -o text",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.bindEnviron(cmd); err != nil {
				return err
			}
			return a.replay(o, args[0], session, snapshot)
		},
	}
	addOutputFlags(cmd, o)
	cmd.Flags().StringVar(&session, "session", "", "the file has bare updates of this session")
	cmd.Flags().BoolVar(&snapshot, "snapshot", false, "print the state of each session as one JSON object")
	return cmd
}

func (a *app) replay(o *runOptions, file, session string, snapshot bool) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	f, err := os.Open(a.abs(file))
	if err != nil {
		return usageErrorf("reading recording: %v", err)
	}
	defer func() { _ = f.Close() }()
	if snapshot {
		return a.replaySnapshot(f, file, session)
	}
	out, err := a.openDestination(o, nil)
	if err != nil {
		return err
	}
	s := &stream{now: a.env.Now, run: a.env.NewID("run_"), sink: out.sink, redact: out.redactor.Events, onLost: func(error) {}}
	s.Emit(event.Event{Body: event.RunStart{Acpctl: version(), Cwd: a.env.Dir, Stdin: "none"}})
	off := controller.NewOffline(s.Emit, o.deltas)
	if err := feed(off, f, file, session); err != nil {
		return errors.Join(err, out.discard())
	}
	result := &event.Result{Status: "ok", Text: off.Text(), Denials: []event.Denial{}, Uncovered: []event.UncoveredCall{}}
	failed := off.Failure()
	if failed != nil {
		result.Status, result.Reason, result.ExitCode, result.Error = "failed", failed.Reason, failed.ExitCode(), failed
	}
	s.Finish(result)
	if err := out.close(result); err != nil || failed == nil {
		return err
	}
	a.code = failed.ExitCode()
	return errReported
}

func (a *app) replaySnapshot(f io.Reader, file, session string) error {
	off := controller.NewOffline(func(event.Event) {}, false)
	if err := feed(off, f, file, session); err != nil {
		return err
	}
	enc := json.NewEncoder(a.env.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{"sessions": off.Snapshots()})
}

// feed reads a recording, or bare updates.
func feed(off *controller.Offline, in io.Reader, name, session string) error {
	if session == "" {
		r, err := transcript.NewReader(name, in)
		if err == nil {
			err = off.ReadAll(r)
		}
		if err != nil {
			return usageError(err.Error())
		}
		return nil
	}
	off.Begin(session)
	lines := bufio.NewReader(in)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if !json.Valid(line) || line[0] != '{' {
				return usageErrorf("%s:%d: not an update", name, number)
			}
			off.Update(session, line)
		}
		if errors.Is(err, io.EOF) {
			off.Close()
			return nil
		}
		if err != nil {
			return usageErrorf("reading %s: %v", name, err)
		}
	}
}
