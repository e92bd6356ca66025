package recipes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// uncovered keeps the failure that uncovered calls make of a run that is
// otherwise well, also out of a step with continueOnError.
func (r *run) uncovered(calls []event.UncoveredCall) {
	f := &event.Failure{Class: event.ClassPermission, Reason: "uncovered", Message: "no rule covers a call that the agent asked for"}
	if c := calls[0]; c.Command != "" {
		f.Message = fmt.Sprintf("no rule covers the command %q", shorten(c.Command))
	} else if len(c.Paths) > 0 {
		f.Message = fmt.Sprintf("no rule covers the %s of %s", c.Kind, shorten(c.Paths[0]))
	}
	for _, c := range calls {
		for _, rule := range c.Suggest {
			f.Hints = append(f.Hints, "allow: "+rule)
		}
		if c.Hint != "" {
			f.Hints = append(f.Hints, c.Hint)
		}
	}
	r.result.Error = f
}

// finish evaluates the outputs and decides the result: a signal or a limit of
// the whole run, else the first failing step, else what was not covered.
func (r *run) finish(ctx context.Context) {
	r.interrupted(ctx)
	decides := r.result.Error
	r.result.Error = nil
	if r.failure != nil {
		decides = r.failure
	}
	if r.whole != nil {
		decides = r.whole
	}
	if err := r.outputs(); err != nil && decides == nil {
		decides = asStepFailure(err)
	}
	if r.used {
		r.result.Usage = &r.usage
	}
	r.result.Status = statusOK
	Fail(r.result, decides)
	r.result.DurationMs = r.opts.Clock().Sub(r.began).Milliseconds()
}

// outputs evaluates what the run gives out. After a failure an output may have
// nothing to stand on: it is left out.
func (r *run) outputs() error {
	var faults []error
	for _, b := range r.plan.outputs {
		v, err := b.code.Value(context.Background(), nil, r.values.vars)
		if err != nil {
			faults = append(faults, fmt.Errorf("output %s: %w", b.name, err))
			continue
		}
		if r.result.Outputs == nil {
			r.result.Outputs = map[string]any{}
		}
		r.result.Outputs[b.name] = v
	}
	return errors.Join(faults...)
}

// Fail makes a result that of a failure: status, reason, exit code and error. Nil
// changes nothing.
func Fail(result *event.Result, f *event.Failure) {
	if f == nil {
		return
	}
	result.Status = statusFailed
	if f.Class == event.ClassSignal {
		result.Status = statusCancelled
	}
	result.Reason, result.ExitCode, result.Error = cmp.Or(f.Reason, string(f.Class)), f.ExitCode(), f
}

// FailedResult is the result of a run that did not get to its end.
func FailedResult(f *event.Failure, took time.Duration) *event.Result {
	result := &event.Result{Denials: []event.Denial{}, Uncovered: []event.UncoveredCall{}, DurationMs: took.Milliseconds()}
	Fail(result, f)
	return result
}
