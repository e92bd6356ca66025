package controller

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

func TestIdleLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, rec := options()
		s := session(t, opts, func(p *peer) {
			prompt := p.prompted()
			for range 5 { // more than the limit in all, never at a stretch
				time.Sleep(4 * time.Second)
				p.text("still here")
			}
			p.expect("session/cancel")
			p.reply(prompt, `{"stopReason":"cancelled"}`)
		})
		begin := time.Now()
		p := say("hi")
		p.Idle = 5 * time.Second
		_, err := s.Prompt(t.Context(), p)
		fails(t, err, event.ClassTimeout, "idle")
		if d := time.Since(begin); d != 25*time.Second {
			t.Errorf("cancelled after %s, want 25 s", d)
		}
		if l := only[event.Limit](t, rec); l.Name != "idle" || l.Max != 5000 {
			t.Errorf("limit event %+v", l)
		}
	})
}

func TestIdleStopsWhileOurWriterIsBlocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, _ := options()
		emit := opts.Emit
		opts.Emit = func(e event.Event) {
			if e.Type() == "message.delta" {
				time.Sleep(time.Minute) // a reader that is slow
			}
			emit(e)
		}
		opts.Deltas = true
		s := session(t, opts, func(p *peer) {
			prompt := p.prompted()
			p.text("one")
			p.endTurn(prompt)
		})
		p := say("hi")
		p.Idle = 5 * time.Second
		if _, err := s.Prompt(t.Context(), p); err != nil {
			t.Errorf("the agent counts as silent: %v", err)
		}
	})
}

func TestIdleStopsWhileAPermissionWaitsForUs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, _ := options()
		opts.Decide = func(*policy.Call) policy.Outcome {
			time.Sleep(time.Minute)
			return policy.Outcome{Decision: policy.Allow}
		}
		s := session(t, opts, func(p *peer) {
			prompt := p.prompted()
			p.toolCall("t1", "make")
			p.permission("7", "t1")
			p.expect("")
			p.endTurn(prompt)
		})
		p := say("hi")
		p.Idle = 5 * time.Second
		if _, err := s.Prompt(t.Context(), p); err != nil {
			t.Errorf("the agent counts as silent: %v", err)
		}
	})
}

func TestF23_NoLimitWithoutOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, nil, func(p *peer) {
			prompt := p.prompted()
			time.Sleep(24 * time.Hour)
			p.endTurn(prompt)
		})
		if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
			t.Error(err)
		}
	})
}
