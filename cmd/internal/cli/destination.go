package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/output"
	"github.com/acpctl/acpctl/recipes/expr"
)

// destination is where the events of a run go: a format on stdout or in a file.
type destination struct {
	sink     output.Sink
	redactor *output.Redactor
	guard    *output.Guard      // of stdout; nil with a file
	batch    *output.Batch      // in front of the guard
	file     *output.AtomicFile // nil: stdout
	stderr   *output.Guard      // the same for what people read
	env      *Env
}

// openDestination finds what is wrong with the format and the filter before
// anything starts.
func (a *app) openDestination(o *runOptions, secrets []string) (*destination, error) {
	filter, err := compileFilter(o.jq)
	if err != nil {
		return nil, err
	}
	d := &destination{redactor: output.NewRedactor(secrets), stderr: output.NewGuard(a.env.Stderr), env: a.env}
	var w io.Writer
	if o.outFile != "" {
		if d.file, err = output.CreateAtomic(a.abs(o.outFile)); err != nil {
			_ = d.stderr.Close() // nothing was written to it
			return nil, usageErrorf("--output-file: %v", err)
		}
		w = d.file
	} else {
		d.guard = output.NewGuard(a.env.Stdout)
		d.batch = output.NewBatch(d.guard)
		w = d.batch
	}
	d.sink = a.newSink(o, w, d.stderr, filter)
	return d, nil
}

func (a *app) newSink(o *runOptions, w, stderr io.Writer, filter output.Filter) output.Sink {
	switch a.formatOf(o) {
	case formatJSON:
		return output.NewJSON(w)
	case formatText:
		return output.NewText(w, stderr, &output.TextOptions{
			Color: a.colorOf(o), Quiet: o.quiet, Verbose: o.verbose,
		})
	default:
		return output.NewNDJSON(w, &output.NDJSONOptions{Filter: filter, Raw: o.raw})
	}
}

// formatOf is the format in effect: text for people, ndjson for programs.
func (a *app) formatOf(o *runOptions) string {
	switch {
	case o.jq != "":
		return formatNDJSON
	case o.format != "":
		return o.format
	case o.outFile == "" && terminal(a.env.Stdout):
		return formatText
	default:
		return formatNDJSON
	}
}

// colorOf says whether text on stderr is coloured: only on a terminal, and never
// with NO_COLOR, unless it is asked for.
func (a *app) colorOf(o *runOptions) bool {
	switch o.color {
	case "always":
		return true
	case "never":
		return false
	}
	if v, ok := a.env.Getenv("NO_COLOR"); ok && v != "" {
		return false
	}
	if v, ok := a.env.Getenv("TERM"); ok && v == "dumb" {
		return false
	}
	return terminal(a.env.Stderr)
}

// compileFilter makes the filter of --jq, nil without one.
func compileFilter(src string) (output.Filter, error) {
	if src == "" {
		return nil, nil
	}
	code, err := expr.Compile(src, nil)
	if err != nil {
		return nil, usageErrorf("--jq %s: %v", src, err)
	}
	return func(e map[string]any) iter.Seq2[any, error] { return code.Run(context.Background(), e, nil) }, nil
}

// watch calls gone when the reader of stdout goes away although nothing is
// written; stop ends the watch.
func (d *destination) watch(gone func(error)) (stop func()) {
	if d.guard == nil {
		return func() {}
	}
	return output.WatchReader(d.env.Stdout, gone)
}

// flush writes what is held, for an exit that closes nothing.
func (d *destination) flush() {
	if d.batch != nil {
		_ = d.batch.Flush() // the process ends, whatever came of it
	}
}

// deadline gives a reader that does not read a last time to do so.
func (d *destination) deadline(after time.Duration) {
	d.stderr.Deadline(after)
	if d.guard != nil {
		d.guard.Deadline(after)
	}
}

// close ends the output. A file is replaced only by a run that is ok.
func (d *destination) close(result *event.Result) error {
	err := d.sink.Close()
	defer func() { _ = d.stderr.Close() }() // there is no other place to say it
	if d.guard != nil {
		if batchErr := d.batch.Close(); err == nil {
			err = batchErr
		}
		if guardErr := d.guard.Close(); err == nil {
			err = guardErr
		}
		return err
	}
	if result.ExitCode == event.ExitOK && err == nil {
		return d.file.Commit()
	}
	if discardErr := d.file.Discard(); err == nil {
		err = discardErr
	}
	if err == nil {
		fmt.Fprintf(d.stderr, "acpctl: the output file is unchanged, since the run failed\n")
	}
	return err
}

// discard undoes openDestination when the run does not begin.
func (d *destination) discard() error {
	_ = d.stderr.Close() // nothing was written to it
	if d.guard != nil {
		return errors.Join(d.batch.Close(), d.guard.Close())
	}
	return d.file.Discard()
}
