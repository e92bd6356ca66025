package recipes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/recipes/expr"
)

// outputs evaluates what the run gives out. One that cannot be evaluated is left
// out, and fails a run that went well.
func (r *run) outputs(ctx context.Context) error {
	var faults []error
	for _, b := range r.plan.outputs {
		v, err := b.code.Value(ctx, nil, r.values.vars)
		if err == nil {
			v, err = decodeJSON(expr.JSON(v)) // no NaN gets into the result
		}
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
