package recipes

import (
	"cmp"
	"context"
	"errors"

	"github.com/acpctl/acpctl/controller/event"
)

// The states of a step and of a run.
const (
	statusOK        = "ok"
	statusFailed    = "failed"
	statusSkipped   = "skipped"
	statusCancelled = "cancelled"
)

// Why a step is skipped.
const (
	skippedCondition = "condition" // its if is false
	skippedFailure   = "failure"   // an earlier step failed
	skippedEnd       = "end"       // the run was ended
)

// outcome is what became of a step.
type outcome struct {
	status  string
	reason  string
	failure *event.Failure
	end     event.StepEnd
	members map[string]any // of the step's result in expressions
}

// step runs one step, or passes it over, and takes its outcome into the result.
func (r *run) step(ctx context.Context, s *planStep) {
	began := r.opts.Clock()
	r.at(s.id)
	defer r.at("")
	r.emit(s.id, event.StepStart{Kind: s.kind})
	o := &outcome{status: statusOK, members: map[string]any{}}
	r.attempt(ctx, s, o)
	took := r.opts.Clock().Sub(began).Milliseconds()
	o.end.Kind, o.end.Status, o.end.Reason, o.end.DurationMs = s.kind, o.status, o.reason, took
	o.end.Error = o.failure
	r.emit(s.id, o.end)
	r.result.Steps[s.id] = &event.StepResult{Status: o.status, Reason: o.reason, ExitCode: o.end.ExitCode, DurationMs: took}
	o.members["status"], o.members["reason"], o.members["durationMs"] = o.status, nil, int(took)
	if o.reason != "" {
		o.members["reason"] = o.reason
	}
	r.results[s.id] = o.members
}

func (r *run) at(step string) {
	if r.opts.Step != nil {
		r.opts.Step(step)
	}
}

// attempt decides whether the step runs, runs it, and keeps its failure.
func (r *run) attempt(ctx context.Context, s *planStep, o *outcome) {
	if r.whole != nil && !s.cleansUp(r.whole) {
		o.status, o.reason = statusSkipped, skippedEnd
		return
	}
	why, err := s.condition.skips(ctx, r.values, r.status())
	if why != "" {
		o.status, o.reason = statusSkipped, why
		return
	}
	if err == nil {
		err = r.bounded(ctx, s, o)
	}
	if err != nil {
		r.fail(ctx, s, o, asFailure(err))
	}
}

// bounded runs the step within its own time limit.
func (r *run) bounded(ctx context.Context, s *planStep, o *outcome) error {
	ctx, cancel := limited(ctx, s.limits.Time, "step "+s.id)
	defer cancel()
	var err error
	switch s.kind {
	case kindPrompt:
		err = r.promptStep(ctx, s, o)
	case kindRun:
		err = r.commandStep(ctx, s, o)
	default:
		err = r.setStep(ctx, s, o)
	}
	if err == nil {
		err = r.assertAll(ctx, s, o)
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// fail takes a step's failure down. The first one that continueOnError does not
// lift decides the run. A signal and a limit of the run end the run whatever the
// step says.
func (r *run) fail(ctx context.Context, s *planStep, o *outcome, f *event.Failure) {
	o.failure, o.status, o.reason = f, statusFailed, string(f.Class)
	if f.Class == event.ClassSignal {
		o.status = statusCancelled
	}
	r.tellTime(s, f)
	switch {
	case r.whole != nil: // a step that cleans up
	case r.ended(ctx):
	case r.ofRun(s, f):
		r.whole = f
	case !s.goOn && r.failure == nil:
		r.failure = f
	}
}

// asFailure makes a failure of any error of a step. An expression that cannot be
// evaluated fails its step: what it lacks are values that only the run has.
func asFailure(err error) *event.Failure {
	if f, ok := errors.AsType[*event.Failure](err); ok {
		return f
	}
	return &event.Failure{Class: event.ClassAssert, Reason: "expression", Message: err.Error(), Err: err}
}

// setStep evaluates values that later steps see.
func (r *run) setStep(ctx context.Context, s *planStep, o *outcome) error {
	all := make(map[string]any, len(s.set))
	for _, b := range s.set {
		v, err := b.code.Value(ctx, nil, r.values.vars)
		if err != nil {
			return s.src.fault(b.node, err)
		}
		all[b.name], o.members[b.name] = v, v
	}
	o.members["output"] = all
	return nil
}

// status is how the run stands, for conditions.
func (r *run) status() status {
	cancelled := r.whole != nil && r.whole.Class == event.ClassSignal
	return status{failed: r.failure != nil || r.whole != nil && !cancelled, cancelled: cancelled}
}

// finish evaluates the outputs and decides the result. A signal comes before a
// time limit of the run, that before the first failing step, and that before
// calls that were not covered.
func (r *run) finish(ctx context.Context) {
	decides := r.failure
	if r.whole != nil && (decides == nil || r.whole.Class == event.ClassSignal || r.whole.Class == event.ClassTimeout) {
		decides = r.whole
	}
	if err := r.outputs(context.WithoutCancel(ctx)); err != nil && decides == nil {
		decides = asFailure(err)
	}
	decides = cmp.Or(decides, r.refused)
	r.result.Status = statusOK
	Fail(r.result, decides)
	r.result.Cost = r.cost()
	r.result.DurationMs = r.opts.Clock().Sub(r.began).Milliseconds()
}
