package controller

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// ownerConn is a connection whose requests are answered by the test, not by a
// policy.
func ownerConn(t *testing.T, wrap func(jsonrpc.Transport) jsonrpc.Transport, serve func(p *peer)) *Conn {
	t.Helper()
	agent := &testAgent{wrap: wrap, serve: func(tr jsonrpc.Transport) {
		p := &peer{t: t, tr: tr}
		p.initialize(`{}`)
		serve(p)
		p.readOn()
	}}
	c, err := Connect(t.Context(), agent, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(t.Context()) })
	return c
}

func TestCT21_OneOwnerPerRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, _ := options()
		release := make(chan struct{})
		var first *owner
		opts.Decide = func(c *policy.Call) policy.Outcome {
			if c.ToolCallID == "t1" {
				<-release
			}
			return policy.Outcome{Decision: policy.Allow}
		}
		var c *Conn
		s := session(t, opts, func(p *peer) {
			prompt := p.prompted()
			p.toolCall("t1", "one")
			p.permission("7", "t1")
			synctest.Wait()
			c.mu.Lock()
			for _, o := range c.owners {
				first = o
			}
			c.mu.Unlock()
			if !first.canRespond() {
				t.Error("the owner of a pending request cannot respond")
			}
			close(release)
			p.expect("")
			synctest.Wait()
			if first.canRespond() {
				t.Error("the owner of an answered request can respond")
			}
			p.toolCall("t2", "two")
			p.permission("7", "t2") // the same id again
			if f := p.expect(""); !strings.Contains(f.raw, "yes") {
				t.Errorf("second request answered %s", f.raw)
			}
			if state := first.answer(cancelledOutcome); state != stateStale {
				t.Errorf("the old owner answered: %s", state.delivery())
			}
			p.endTurn(prompt)
		})
		c = s.c
		if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
			t.Error(err)
		}
	})
}

func TestCT21_ReuseOfAnOpenIDMakesTheOldOwnerStale(t *testing.T) {
	t.Parallel()
	c := newTestConn(t)
	a, b := &owner{c: c}, &owner{c: c}
	c.owners[jsonrpc.ID{}] = a
	a.r, b.r = &jsonrpc.Request{}, &jsonrpc.Request{}
	if !a.canRespond() {
		t.Error("a pending owner cannot respond")
	}
	c.owners[jsonrpc.ID{}] = b
	if a.canRespond() || a.begin() || !b.canRespond() {
		t.Error("the replaced owner is not stale, or the new one is")
	}
}

// newTestConn is a connection without an agent.
func newTestConn(t *testing.T) *Conn {
	t.Helper()
	return ownerConn(t, func(tr jsonrpc.Transport) jsonrpc.Transport { return tr }, func(*peer) {})
}

func TestCT22_OnlyOfferedOptions(t *testing.T) {
	t.Parallel()
	offered := []permissionOption{{OptionID: "allow", Kind: "allow_once"}}
	if c, err := choose(offered, "foo"); !errors.Is(err, errNotOffered) || c != "" {
		t.Errorf("choosing foo: %q, %v", c, err)
	}
	if c, err := choose(offered, ""); err == nil {
		t.Errorf("choosing nothing: %q", c)
	}
	if c, err := choose(offered, "allow"); err != nil || c != "allow" {
		t.Errorf("choosing allow: %q, %v", c, err)
	}
}

func TestCT23_FailedWritesAreRetried(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		failures int32
		sent     bool
	}{{1, true}, {2, true}, {3, false}} {
		t.Run(fmt.Sprint(tc.failures), func(t *testing.T) {
			t.Parallel()
			flaky := &flakyTransport{}
			opts, rec := options()
			decisions := 0
			opts.Decide = func(*policy.Call) policy.Outcome {
				decisions++
				return policy.Outcome{Decision: policy.Allow, By: "rule"}
			}
			answers := 0
			agent := &testAgent{
				wrap: func(tr jsonrpc.Transport) jsonrpc.Transport { flaky.Transport = tr; return flaky },
				serve: func(tr jsonrpc.Transport) {
					p := &peer{t: t, tr: tr}
					prompt := p.prompted()
					flaky.failures.Store(tc.failures)
					p.toolCall("t1", "make")
					p.permission("7", "t1")
					for {
						f, err := p.read()
						if err != nil {
							return
						}
						if f.Method == "" {
							answers++
							if !strings.Contains(f.raw, "yes") {
								t.Errorf("answered %s", f.raw)
							}
						}
						p.endTurn(prompt)
					}
				},
			}
			c, err := Connect(t.Context(), agent, opts)
			if err != nil {
				t.Fatal(err)
			}
			s, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Prompt(t.Context(), say("hi"))
			_ = c.Close(t.Context())
			perm := only[event.Permission](t, rec)
			if decisions != 1 {
				t.Errorf("decided %d times", decisions)
			}
			if tc.sent {
				if err != nil || answers != 1 || perm.Delivery != "sent" || perm.Decision != "allow" {
					t.Errorf("error %v, %d responses, event %+v", err, answers, perm)
				}
				return
			}
			f := failure(t, err, event.ClassProtocol, "answer_not_delivered")
			if f.ExitCode() != event.ExitFailure || perm.Delivery != "failed" || answers != 0 {
				t.Errorf("exit %d, %d responses, event %+v", f.ExitCode(), answers, perm)
			}
		})
	}
}

func TestCT24_PeerCancelLatches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, rec := options()
		release := make(chan struct{})
		opts.Decide = func(*policy.Call) policy.Outcome { <-release; return policy.Outcome{Decision: policy.Allow} }
		s := session(t, opts, func(p *peer) {
			prompt := p.prompted()
			p.toolCall("t1", "make")
			p.permission("7", "t1")
			p.notify("$/cancel_request", `{"requestId":7}`)
			f := p.expect("")
			if f.Error == nil || f.Error.Code != jsonrpc.CodeCancelled {
				t.Errorf("answered %s, want -32800", f.raw)
			}
			close(release)
			synctest.Wait()
			p.endTurn(prompt)
		})
		turn, err := s.Prompt(t.Context(), say("hi"))
		if err != nil || len(turn.Uncovered)+len(turn.Denials) != 0 {
			t.Errorf("error %v, turn %+v", err, turn)
		}
		if perm := only[event.Permission](t, rec); perm.Decision != "withdrawn" || perm.Delivery != "withdrawn" || perm.OptionID != "" {
			t.Errorf("permission event %+v", perm)
		}
	})
}

func TestCT24_AnswerWhoseWriteBeganMayFinish(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &gateTransport{}
		opts, rec := options()
		opts.Decide = deciding(policy.Allow)
		agent := &testAgent{
			wrap: func(tr jsonrpc.Transport) jsonrpc.Transport { slow.Transport = tr; return slow },
			serve: func(tr jsonrpc.Transport) {
				p := &peer{t: t, tr: tr}
				prompt := p.prompted()
				gate := make(chan struct{})
				slow.gate.Store(&gate)
				p.toolCall("t1", "make")
				p.permission("7", "t1")
				synctest.Wait() // the answer is being written
				p.notify("$/cancel_request", `{"requestId":7}`)
				synctest.Wait()
				slow.gate.Store(nil)
				close(gate)
				if f := p.expect(""); !strings.Contains(f.raw, "yes") {
					t.Errorf("answered %s, want the answer that was under way", f.raw)
				}
				p.endTurn(prompt)
				_, _ = p.read()
			},
		}
		c, err := Connect(t.Context(), agent, opts)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close(t.Context()) }()
		s, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
			t.Error(err)
		}
		if perm := only[event.Permission](t, rec); perm.Decision != "allow" || perm.Delivery != "sent" {
			t.Errorf("permission event %+v", perm)
		}
	})
}
