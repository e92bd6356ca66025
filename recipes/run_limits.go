package recipes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// limited bounds ctx by a time limit; zero is none. The cause is the failure.
func limited(ctx context.Context, d time.Duration, what string) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, &event.Failure{
		Class: event.ClassTimeout, Reason: "time", Message: fmt.Sprintf("%s took longer than its limit of %v", what, d),
		Err: &timeLimitError{d},
	})
}

// timeLimitError is the cause of a time limit's failure.
type timeLimitError struct{ max time.Duration }

func (t *timeLimitError) Error() string { return "time limit of " + t.max.String() }

// tellTime emits the event of a time limit. The limits of a turn are told by who
// counts them.
func (r *run) tellTime(s *planStep, f *event.Failure) {
	if t, ok := errors.AsType[*timeLimitError](f); ok {
		ms := float64(t.max.Milliseconds())
		r.emit(s.id, event.Limit{Name: "time", Value: ms, Max: ms})
	}
}

// budget counts turns and tool calls of a step; those of the run are counted
// in it as well.
type budget struct {
	step             *planStep
	turns, toolCalls int
}

// next begins a turn and returns how many tool calls it may make, 0 for any
// number.
func (r *run) next(b *budget) (toolCalls int, err error) {
	own, whole := b.step.limits, r.plan.Limits
	for _, l := range []struct {
		name, what string
		used, max  int
	}{
		{"turns", "step " + b.step.id, b.turns, own.Turns},
		{"turns", "the run", r.turns, whole.Turns},
		{"toolCalls", "step " + b.step.id, b.toolCalls, own.ToolCalls},
		{"toolCalls", "the run", r.toolCalls, whole.ToolCalls},
	} {
		if l.max > 0 && l.used >= l.max {
			r.emit(b.step.id, event.Limit{Name: l.name, Value: float64(l.used), Max: float64(l.max)})
			return 0, &event.Failure{
				Class: event.ClassLimit, Reason: l.name,
				Message: fmt.Sprintf("%s reached its limit of %s, %d, and is not done", l.what, l.name, l.max),
				Err:     ofWhom(l.what == "the run"),
			}
		}
	}
	b.turns++
	r.turns++
	return least(own.ToolCalls-b.toolCalls, own.ToolCalls, whole.ToolCalls-r.toolCalls, whole.ToolCalls), nil
}

// least is the smaller remainder of two limits, where a limit of 0 is none.
func least(left, limit, leftToo, limitToo int) int {
	switch {
	case limit == 0 && limitToo == 0:
		return 0
	case limitToo == 0:
		return left
	case limit == 0:
		return leftToo
	default:
		return min(left, leftToo)
	}
}

// errOfRun marks a limit that is the run's, not the step's.
var errOfRun = errors.New("a limit of the run")

func ofWhom(run bool) error {
	if run {
		return errOfRun
	}
	return nil
}

// ofRun says whether a failure is a limit of the run, which ends it. A turn only
// knows that a limit was reached; whose it was shows by what the step says.
func (r *run) ofRun(s *planStep, f *event.Failure) bool {
	switch {
	case errors.Is(f, errOfRun):
		return true
	case f.Class == event.ClassTimeout && f.Reason == "idle":
		return !s.limits.idle
	case f.Class == event.ClassLimit && f.Reason == "toolCalls":
		return r.plan.Limits.ToolCalls > 0 && r.toolCalls >= r.plan.Limits.ToolCalls
	default:
		return false
	}
}
