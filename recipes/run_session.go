package recipes

import (
	"context"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// closeTime is how long the end of a step's own session may take.
const closeTime = 10 * time.Second

// session is the step's session with its selections made, and what ends it.
func (r *run) session(ctx context.Context, s *planStep) (Session, func(), error) {
	want, err := s.settings.selection(ctx, r.values)
	if err != nil {
		return nil, nil, err
	}
	want = r.plan.selection.with(want).with(r.plan.flags)
	session, selected, done := r.main, r.selected, func() {}
	if s.fresh || session == nil {
		selected = Selection{}
		spec := SessionSpec{Cwd: r.plan.Cwd, AddDirs: r.plan.AddDirs, MCPServers: r.plan.MCPServers}
		if !s.fresh {
			spec.From = r.plan.From
		}
		session, err = r.opts.Driver.Open(ctx, spec)
		if err != nil {
			return nil, nil, err
		}
	}
	if s.fresh {
		done = func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
			defer cancel()
			_ = session.Close(ctx) // the driver closes what is left
		}
	} else {
		r.main = session
	}
	if more := want.beyond(selected); !more.empty() {
		if err := session.Select(ctx, more); err != nil {
			done()
			return nil, nil, err
		}
		selected = selected.with(more)
	}
	if !s.fresh {
		r.selected = selected
	}
	return session, done, nil
}

// cost adds up what the sessions cost; sums in several currencies are not one.
func (r *run) cost() *event.Cost {
	var sum *event.Cost
	for _, c := range r.costs {
		switch {
		case sum == nil:
			first := c
			sum = &first
		case sum.Currency == c.Currency:
			sum.Amount += c.Amount
		default:
			return nil
		}
	}
	return sum
}
