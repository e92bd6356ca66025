package recipes

import (
	"context"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// RunOptions are what a plan runs with. All fields but RunID are required.
type RunOptions struct {
	Driver    Driver
	Commander Commander
	// Emit takes the runner's own events: Step and Body are filled. The events of
	// sessions come from the driver.
	Emit  func(event.Event)
	Clock func() time.Time
	RunID string // $run.id
	// Step is told the step that runs, "" between steps, so that the events of a
	// session can name it. Optional.
	Step func(id string)
}

// run is one execution of a plan.
type run struct {
	plan   *Plan
	opts   *RunOptions
	values values
	began  time.Time

	main     Session   // of the steps that share one
	open     []Session // all of them
	selected Selection // in main

	status  status
	failure *event.Failure // of the first step that decides
	whole   *event.Failure // a signal or a limit of the whole run
	results map[string]any // of steps, for expressions
	result  *event.Result
	usage   event.Usage
	used    bool // usage was reported
	turns   int
	tools   int
}

// Run takes the steps in order and returns the result, which is not emitted.
// When ctx ends, its cause, an *event.Failure, decides the result; steps that
// ask for it still run, within the grace time. The driver stays open.
func (p *Plan) Run(ctx context.Context, opts *RunOptions) *event.Result {
	r := &run{
		plan: p, opts: opts, began: opts.Clock(), results: map[string]any{},
		result: &event.Result{Denials: []event.Denial{}, Uncovered: []event.UncoveredCall{}, Steps: map[string]*event.StepResult{}},
	}
	base := map[string]any{"id": opts.RunID, "cwd": p.Cwd, "recipe": p.Name}
	r.values = p.values.with("run", base).with("steps", r.results)
	for _, w := range p.warnings {
		r.emit("", w)
	}
	ctx, cancel := limited(ctx, p.Limits.Time, true)
	defer cancel()
	for _, s := range p.steps {
		r.step(ctx, s)
	}
	r.finish(ctx)
	return r.result
}

func (r *run) emit(step string, b event.Body) { r.opts.Emit(event.Event{Step: step, Body: b}) }

// limited bounds ctx by a time limit; zero is none. The cause is the failure.
func limited(ctx context.Context, d time.Duration, whole bool) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return ctx, func() {}
	}
	what := "the step"
	if whole {
		what = "the run"
	}
	return context.WithTimeoutCause(ctx, d, &event.Failure{
		Class: event.ClassTimeout, Reason: "time", Message: what + " took longer than its limit of " + d.String(),
		Err: &timeLimit{d, whole},
	})
}

// timeLimit is the cause of a time limit's failure.
type timeLimit struct {
	max   time.Duration
	whole bool
}

func (t *timeLimit) Error() string { return "time limit of " + t.max.String() }

// graceOf is how long steps that clean up may take.
func (r *run) graceOf() time.Duration {
	if r.whole != nil && r.whole.Class == event.ClassSignal {
		return 2 * time.Second
	}
	if r.plan.Limits.Grace > 0 {
		return r.plan.Limits.Grace
	}
	return 10 * time.Second
}

// interrupted takes note of the end of the whole run.
func (r *run) interrupted(ctx context.Context) bool {
	if ctx.Err() == nil {
		return false
	}
	if r.whole == nil {
		r.whole = event.AsFailure(context.Cause(ctx))
		r.status.cancelled = true
	}
	return true
}
