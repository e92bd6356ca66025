package controller

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

func timeLimit() *event.Failure {
	return failf(event.ClassTimeout, "time", "the time limit was reached")
}

func TestCT16_CancelWaitsForTheAgent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, rec := options()
		s := session(t, opts, func(p *peer) {
			prompt := p.prompted()
			p.expect("session/cancel")
			time.Sleep(3 * time.Second)
			p.text("one ")
			p.text("two")
			p.reply(prompt, `{"stopReason":"cancelled"}`)
		})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, timeLimit())
		defer cancel()
		begin := time.Now()
		turn, err := s.Prompt(ctx, say("hi"))
		fails(t, err, event.ClassTimeout, "time")
		if turn.Text != "one two" || turn.StopReason != "cancelled" || errors.Is(err, ErrCancelNotConfirmed) {
			t.Errorf("turn %+v, error %v", turn, err)
		}
		if d := time.Since(begin); d != 63*time.Second {
			t.Errorf("took %s", d)
		}
		if warned(rec, "cancel_not_confirmed") {
			t.Error("a confirmed cancel is reported as not confirmed")
		}
	})
}

func TestCT16_CancelNotConfirmed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		grace       time.Duration
		first, last time.Duration
	}{{"default", 0, 10 * time.Second, 15 * time.Second}, {"signal", 2 * time.Second, 2 * time.Second, 3 * time.Second}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				opts, rec := options()
				if tc.grace > 0 {
					opts.Grace = func(error) time.Duration { return tc.grace }
				}
				var begin time.Time
				var gone time.Duration
				s := session(t, opts, func(p *peer) {
					prompt := p.prompted()
					p.expect("session/cancel")
					f := p.expect("$/cancel_request")
					if d := time.Since(begin); d != tc.first {
						t.Errorf("$/cancel_request after %s, want %s", d, tc.first)
					}
					if want := `{"requestId":` + string(prompt.ID) + `}`; string(f.Params) != want {
						t.Errorf("$/cancel_request params %s, want %s", f.Params, want)
					}
					if _, err := p.read(); err == nil {
						t.Error("another frame was sent")
					}
					gone = time.Since(begin)
				})
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { begin = time.Now(); cancel(timeLimit()) })
				_, err := s.Prompt(ctx, say("hi"))
				f := failure(t, err, event.ClassTimeout, "time")
				if !errors.Is(err, ErrCancelNotConfirmed) || len(f.Hints) == 0 || !warned(rec, "cancel_not_confirmed") {
					t.Errorf("the outcome is not told from a confirmed one: %+v, events %s", f, rec.types())
				}
				synctest.Wait()
				if gone != tc.last {
					t.Errorf("connection closed after %s, want %s", gone, tc.last)
				}
				_, err = s.Prompt(t.Context(), say("again"))
				fails(t, err, event.ClassProtocol, "connection_lost")
			})
		})
	}
}

func TestF08_CancelWithPermissionOpenAndEndTurn(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(p *peer, prompt frame){
		"end_turn": func(p *peer, prompt frame) { p.text("late"); p.endTurn(prompt) },
		"-32800":   func(p *peer, prompt frame) { p.replyError(prompt, -32800, "cancelled", "null") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				opts, rec := options()
				forever := make(chan struct{})
				opts.Decide = func(*policy.Call) policy.Outcome { <-forever; return policy.Outcome{Decision: policy.Allow} }
				s := session(t, opts, func(p *peer) {
					prompt := p.prompted()
					p.toolCall("t1", "make")
					p.permission("7", "t1")
					f := p.expect("")
					if want := `{"outcome":{"outcome":"cancelled"}}`; string(f.Result) != want {
						t.Errorf("permission answered %s", f.raw)
					}
					p.expect("session/cancel")
					answer(p, prompt)
				})
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, timeLimit())
				defer cancel()
				turn, err := s.Prompt(ctx, say("hi"))
				close(forever)
				fails(t, err, event.ClassTimeout, "time")
				if name == "end_turn" && (turn.StopReason != "end_turn" || turn.Text != "late") {
					t.Errorf("turn %+v", turn)
				}
				if errors.Is(err, ErrCancelNotConfirmed) {
					t.Error("the cancel counts as not confirmed")
				}
				perm := only[event.Permission](t, rec)
				if perm.Decision != "withdrawn" || perm.OptionID != "" || perm.Delivery != "sent" {
					t.Errorf("permission event %+v", perm)
				}
				if end := only[event.ToolEnd](t, rec); end.Status != "cancelled" {
					t.Errorf("tool.end has status %q", end.Status)
				}
			})
		})
	}
}

func TestCT17_OpenCallsShowCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		status := func(s *Session) string { return s.Snapshot().ToolCalls[0].Status }
		hold := make(chan struct{})
		s := session(t, nil, func(p *peer) {
			prompt := p.prompted()
			p.toolCall("t1", "make")
			p.expect("session/cancel")
			<-hold
			p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
			p.reply(prompt, `{"stopReason":"cancelled"}`)
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() {
			if got := status(s); got != "pending" {
				t.Errorf("before the cancel: %q", got)
			}
			cancel(timeLimit())
			synctest.Wait()
			if got := status(s); got != "cancelled" {
				t.Errorf("after the cancel: %q", got)
			}
			close(hold)
		})
		_, _ = s.Prompt(ctx, say("hi"))
		if got := status(s); got != "completed" {
			t.Errorf("after the update: %q", got)
		}
	})
}

func TestCancelDoesNotWaitForABlockedReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, _ := options()
		reader := make(chan struct{})
		opts.Deltas = true
		opts.Emit = func(e event.Event) {
			if e.Type() == "message.delta" {
				<-reader
			}
		}
		opts.Decide = deciding(policy.Allow)
		s := session(t, opts, func(p *peer) {
			prompt := p.prompted()
			p.permission("7", "t1")
			p.expect("")
			p.text("stuck")
			begin := time.Now()
			p.expect("session/cancel")
			if d := time.Since(begin); d != time.Minute {
				t.Errorf("session/cancel came after %s", d)
			}
			close(reader)
			p.reply(prompt, `{"stopReason":"cancelled"}`)
		})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, timeLimit())
		defer cancel()
		_, err := s.Prompt(ctx, say("hi"))
		fails(t, err, event.ClassTimeout, "time")
		if errors.Is(err, ErrCancelNotConfirmed) {
			t.Error("the cancel counts as not confirmed")
		}
	})
}

func TestOpenRequestIsAnsweredAlthoughTheReaderIsBlocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, rec := options()
		emit := opts.Emit
		reader := make(chan struct{})
		opts.Deltas = true
		opts.Emit = func(e event.Event) {
			if e.Type() == "message.delta" {
				<-reader
			}
			emit(e)
		}
		decided := make(chan struct{})
		opts.Decide = func(*policy.Call) policy.Outcome { <-decided; return policy.Outcome{Decision: policy.Allow} }
		s := session(t, opts, func(p *peer) {
			prompt := p.prompted()
			p.permission("7", "t1")
			p.text("stuck")
			if f := p.expect(""); string(f.Result) != `{"outcome":{"outcome":"cancelled"}}` {
				t.Errorf("answered %s", f.raw)
			}
			p.expect("session/cancel")
			close(reader)
			p.reply(prompt, `{"stopReason":"cancelled"}`)
		})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, timeLimit())
		defer cancel()
		_, err := s.Prompt(ctx, say("hi"))
		close(decided)
		fails(t, err, event.ClassTimeout, "time")
		only[event.Permission](t, rec)
	})
}
