package recipes

import (
	"context"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// RunOptions are what a plan runs with. Driver, Commander, Emit and Clock are
// required.
type RunOptions struct {
	Driver    Driver
	Commander Commander
	// Emit takes the runner's own events: Step and Body are filled. The events of
	// sessions come from the driver.
	Emit  func(event.Event)
	Clock func() time.Time
	RunID string // $run.id
	// Step is told the id of the step that runs, and "" behind it, so that the
	// events of sessions can name it. Optional.
	Step func(id string)
}

// run is one execution of a plan. It is used by one goroutine.
type run struct {
	plan   *Plan
	opts   *RunOptions
	values values
	began  time.Time

	main     Session // of the steps that share one; nil before the first
	selected Selection
	costs    map[string]event.Cost // the last one of each session

	failure   *event.Failure // of the first failing step that decides
	whole     *event.Failure // a signal or a limit of the run: it ends the run
	refused   *event.Failure // a call that was not covered, or denied, where that fails a run
	results   map[string]any // of steps, for expressions
	result    *event.Result
	turns     int
	toolCalls int
}

// Run takes the steps in order and returns the result, which is not emitted. It
// blocks until they are done.
//
// When ctx ends, its cause, an *event.Failure, decides the result. Steps of kind
// run and set that ask for it still run then, within the grace time. Sessions
// that are open at the end are left to the driver, and so is the driver itself.
func (p *Plan) Run(ctx context.Context, opts *RunOptions) *event.Result {
	r := &run{
		plan: p, opts: opts, began: opts.Clock(), results: map[string]any{}, costs: map[string]event.Cost{},
		result: &event.Result{Denials: []event.Denial{}, Uncovered: []event.UncoveredCall{}, Steps: map[string]*event.StepResult{}},
	}
	r.values = p.values.with("run", map[string]any{"id": opts.RunID, "cwd": p.Cwd, "recipe": p.Name}).with("steps", r.results)
	for _, w := range p.warnings {
		r.emit("", w)
	}
	ctx, cancel := limited(ctx, p.Limits.Time, "the run")
	defer cancel()
	r.steps(ctx)
	r.finish(ctx)
	return r.result
}

// steps takes the steps in order. When the run is ended, those that clean up share
// the grace time, so that a run always ends soon.
func (r *run) steps(ctx context.Context) {
	for i, s := range r.plan.steps {
		if r.ended(ctx) {
			r.cleanUp(ctx, r.plan.steps[i:])
			return
		}
		r.step(ctx, s)
	}
}

func (r *run) cleanUp(ctx context.Context, steps []*planStep) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), r.plan.Limits.grace(r.whole), r.whole)
	defer cancel()
	for _, s := range steps {
		r.step(ctx, s)
	}
}

func (r *run) emit(step string, b event.Body) { r.opts.Emit(event.Event{Step: step, Body: b}) }

// ended says whether the run is over but for steps that clean up: a signal came,
// or a limit of the run was reached.
func (r *run) ended(ctx context.Context) bool {
	if ctx.Err() != nil && r.whole == nil {
		r.whole = event.AsFailure(context.Cause(ctx))
	}
	return r.whole != nil
}

// grace is how long an end may take.
func (l Limits) grace(why *event.Failure) time.Duration {
	switch {
	case l.Grace > 0:
		return l.Grace
	case why.Class == event.ClassSignal:
		return 2 * time.Second
	default:
		return 10 * time.Second
	}
}
