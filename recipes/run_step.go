package recipes

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// The states of a step.
const (
	statusOK        = "ok"
	statusFailed    = "failed"
	statusSkipped   = "skipped"
	statusCancelled = "cancelled"
)

// outcome is what became of a step.
type outcome struct {
	status   string
	failure  *event.Failure
	exitCode *int
	text     string
	output   []byte
	changes  []event.Change
	usage    *event.Usage
	value    map[string]any // for expressions
}

// step runs one step, or passes it over, and takes its outcome into the result.
func (r *run) step(ctx context.Context, s *planStep) {
	began := r.opts.Clock()
	r.at(s.id)
	defer r.at("")
	r.emit(s.id, event.StepStart{Kind: s.kind})
	o := r.attempt(ctx, s)
	took := r.opts.Clock().Sub(began).Milliseconds()
	end := event.StepEnd{
		Kind: s.kind, Status: o.status, ExitCode: o.exitCode, Text: o.text, Output: o.output,
		Changes: o.changes, Usage: o.usage, DurationMs: took,
	}
	if o.failure != nil {
		end.Reason = cmp.Or(o.failure.Reason, string(o.failure.Class))
	}
	r.emit(s.id, end)
	r.result.Steps[s.id] = &event.StepResult{Status: o.status, Reason: end.Reason, ExitCode: o.exitCode, DurationMs: took}
	o.value["status"], o.value["reason"], o.value["durationMs"] = o.status, end.Reason, int(took)
	r.results[s.id] = o.value
}

func (r *run) at(step string) {
	if r.opts.Step != nil {
		r.opts.Step(step)
	}
}

// attempt decides whether the step runs, runs it, and keeps its failure.
func (r *run) attempt(ctx context.Context, s *planStep) *outcome {
	o := &outcome{status: statusSkipped, value: map[string]any{}}
	if r.interrupted(ctx) {
		if !s.cleansUp() {
			return o
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(context.WithoutCancel(ctx), r.graceOf(), r.whole)
		defer cancel()
	}
	runs, err := s.condition.holds(ctx, r.values, r.status)
	if err == nil && !runs {
		return o
	}
	o.status = statusOK
	if err == nil {
		err = r.limitedStep(ctx, s, o)
	}
	if err != nil {
		r.failed(ctx, s, o, err)
	}
	return o
}

// limitedStep runs the step within its own time limit.
func (r *run) limitedStep(ctx context.Context, s *planStep, o *outcome) error {
	stepCtx, cancel := limited(ctx, s.limits.Time, false)
	defer cancel()
	var err error
	switch s.kind {
	case kindPrompt:
		err = r.promptStep(stepCtx, s, o)
	case kindRun:
		err = r.runStep(stepCtx, s, o)
	default:
		err = r.setStep(stepCtx, s, o)
	}
	if err == nil {
		err = r.assertAll(stepCtx, s, o)
	}
	return err
}

// failed takes a step's failure down. The first one that is not passed over by
// continueOnError decides the run; a limit of the whole run and a signal count
// whatever the step says.
func (r *run) failed(ctx context.Context, s *planStep, o *outcome, err error) {
	f := asStepFailure(err)
	o.failure, o.status = f, statusFailed
	r.limitEvent(s, f)
	if f.Class == event.ClassSignal {
		o.status = statusCancelled
	}
	if r.interrupted(ctx) {
		return
	}
	if f.Class == event.ClassTimeout && f.Reason == "idle" && !s.limits.idle {
		r.whole = f // the run's own idle limit
		r.status.failed = true
		return
	}
	if s.goOn {
		return
	}
	r.status.failed = true
	if r.failure == nil {
		r.failure = f
	}
}

// asStepFailure makes a failure of any error: one of the recipe's own values is
// a failed step, not a fault of the program.
func asStepFailure(err error) *event.Failure {
	var f *event.Failure
	if errors.As(err, &f) {
		return f
	}
	var p *Problem
	if errors.As(err, &p) {
		return &event.Failure{Class: event.ClassAssert, Reason: "expression", Message: p.Place() + ": " + p.Message, Err: err}
	}
	return &event.Failure{Class: event.ClassAssert, Reason: "expression", Message: err.Error(), Err: err}
}

// limitEvent tells of a time limit; the other limits are told where they are
// counted.
func (r *run) limitEvent(s *planStep, f *event.Failure) {
	var t *timeLimit
	if !errors.As(f, &t) {
		return
	}
	r.emit(s.id, event.Limit{Name: "time", Value: milliseconds(r.opts.Clock().Sub(r.began)), Max: milliseconds(t.max)})
}

func milliseconds(d time.Duration) float64 { return float64(d.Milliseconds()) }

// setStep evaluates values that later steps see.
func (r *run) setStep(ctx context.Context, s *planStep, o *outcome) error {
	for _, b := range s.set {
		v, err := b.code.Value(ctx, nil, r.values.vars)
		if err != nil {
			return err
		}
		o.value[b.name] = v
	}
	return nil
}
