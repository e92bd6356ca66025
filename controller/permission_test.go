package controller

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

func TestF05_OptionIsChosenByKind(t *testing.T) {
	t.Parallel()
	const (
		always, once   = `{"optionId":"A","name":"no","kind":"allow_always"}`, `{"optionId":"a","name":"never","kind":"allow_once"}`
		never, notNow  = `{"optionId":"R","name":"yes","kind":"reject_always"}`, `{"optionId":"r","name":"allow","kind":"reject_once"}`
		twice, notNow2 = `{"optionId":"a2","name":"x","kind":"allow_once"}`, `{"optionId":"r2","name":"x","kind":"reject_once"}`
		always2, odd   = `{"optionId":"A2","name":"x","kind":"allow_always"}`, `{"optionId":"o","name":"Allow","kind":"allow_for_an_hour"}`
	)
	for _, tc := range []struct {
		options           string
		allow, deny, mind string // optionId; mind: allow with remember
		covered           bool   // of the allow
	}{
		{options: always + "," + never, deny: "R", mind: "A"},
		{options: always + "," + once, allow: "a", mind: "A", covered: true},
		{options: once + "," + twice},
		{options: once + "," + notNow + "," + notNow2, allow: "a", deny: "r", mind: "a", covered: true},
		{options: never + "," + notNow, deny: "r"},
		{options: always + "," + always2 + "," + once, allow: "a", mind: "a", covered: true},
		{options: odd},
		{options: ""},
		{options: `{"optionId":"","name":"x","kind":"allow_once"}`},
	} {
		for _, try := range []struct {
			name     string
			decision policy.Decision
			remember bool
			want     string
		}{{"allow", policy.Allow, false, tc.allow}, {"deny", policy.Deny, false, tc.deny}, {"uncovered", policy.Uncovered, false, tc.deny}, {"ask", policy.Ask, false, tc.deny}, {"remember", policy.Allow, true, tc.mind}} {
			t.Run(tc.options+" "+try.name, func(t *testing.T) {
				t.Parallel()
				opts, rec := options()
				opts.Decide, opts.Remember = deciding(try.decision), try.remember
				s := session(t, opts, func(p *peer) {
					prompt := p.prompted()
					p.toolCall("t1", "make")
					p.request("0", "session/request_permission", `{"sessionId":"s-1","toolCall":{"toolCallId":"t1"},"options":[`+tc.options+`]}`)
					want := `{"outcome":{"outcome":"cancelled"}}`
					if try.want != "" {
						want = fmt.Sprintf(`{"outcome":{"outcome":"selected","optionId":%q}}`, try.want)
					}
					if f := p.expect(""); string(f.Result) != want {
						t.Errorf("answered %s, want %s", f.raw, want)
					}
					p.endTurn(prompt)
				})
				turn, err := s.Prompt(t.Context(), say("hi"))
				if err != nil {
					t.Fatal(err)
				}
				perm := only[event.Permission](t, rec)
				covered := try.decision == policy.Deny || try.decision == policy.Allow && (tc.covered || try.remember && tc.mind != "")
				if perm.OptionID != try.want || perm.Covered != covered || perm.Delivery != "sent" {
					t.Errorf("permission event %+v", perm)
				}
				if denied := try.decision == policy.Deny; len(turn.Denials) == 1 != denied || len(turn.Uncovered) == 1 != !covered {
					t.Errorf("denials %+v, uncovered %+v", turn.Denials, turn.Uncovered)
				}
			})
		}
	}
}

func TestPermissionEventTellsWhatDecided(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	opts.Decide = func(c *policy.Call) policy.Outcome {
		return policy.Outcome{
			Decision: policy.Deny, By: "rule", Rule: "execute(" + c.Command + ")", At: "r.yaml:7", Layer: "recipe",
			Message: "CI pushes.", Command: "git push", Paths: []string{"/repo/x"},
		}
	}
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.toolCall("t1", "git push")
		p.permission(`"uuid-1"`, "t1")
		p.expect("")
		p.endTurn(prompt)
	})
	turn, err := s.Prompt(t.Context(), say("hi"))
	if err != nil {
		t.Fatal(err)
	}
	got := only[event.Permission](t, rec)
	if got.RequestID != "uuid-1" || got.ToolCallID != "t1" || got.Kind != "execute" || got.Command != "git push" ||
		got.Decision != "deny" || got.By != "rule" || got.At != "r.yaml:7" || got.Layer != "recipe" || got.Message != "CI pushes." || got.OptionID != "no" || !got.Covered {
		t.Errorf("permission event %+v", got)
	}
	if d := turn.Denials[0]; d.ToolCallID != "t1" || d.Rule == "" || d.At != "r.yaml:7" || d.Message != "CI pushes." || d.Command != "git push" {
		t.Errorf("denial %+v", d)
	}
}

func TestPermissionOfACallThatWasNeverAnnounced(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	opts.Decide = deciding(policy.Allow)
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.request("0", "session/request_permission", `{"sessionId":"s-1","toolCall":{"toolCallId":"t1","title":"run make","kind":"execute","rawInput":{"command":"make"}},"options":`+standardOptions+`}`)
		p.expect("")
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	want := "agent.start session.start turn.start tool.start permission tool.end turn.end"
	if got := rec.types(); got != want {
		t.Errorf("events\n got %s\nwant %s", got, want)
	}
}

func TestReactions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		decision       policy.Decision
		uncovered, det Reaction
		cancelled      bool
	}{
		{policy.Uncovered, "", "", false},
		{policy.Uncovered, ReactContinue, "", false},
		{policy.Uncovered, ReactCancel, "", true},
		{policy.Ask, ReactCancel, "", true},
		{policy.Deny, ReactCancel, "", false},
		{policy.Deny, "", ReactFail, false},
		{policy.Deny, "", ReactCancel, true},
		{policy.Allow, ReactCancel, ReactCancel, false},
	} {
		t.Run(fmt.Sprint(tc), func(t *testing.T) {
			t.Parallel()
			s := session(t, &Options{Decide: deciding(tc.decision)}, func(p *peer) {
				prompt := p.prompted()
				p.toolCall("t1", "make")
				p.permission("0", "t1")
				f := p.expect("")
				if got := strings.Contains(f.raw, `"cancelled"`); got != tc.cancelled {
					t.Errorf("answered %s", f.raw)
				}
				if tc.cancelled {
					p.expect("session/cancel")
				}
				p.endTurn(prompt)
			})
			p := say("hi")
			p.OnUncovered, p.OnDeny = tc.uncovered, tc.det
			turn, err := s.Prompt(t.Context(), p)
			if tc.cancelled {
				fails(t, err, event.ClassPermission, string(tc.decision))
			} else if err != nil {
				t.Error(err)
			}
			if n := len(turn.Denials) + len(turn.Uncovered); n != 1 && tc.decision != policy.Allow {
				t.Errorf("%d calls are listed, want 1", n)
			}
		})
	}
}

func TestAgentCancelledNamesTheDenial(t *testing.T) {
	t.Parallel()
	s := session(t, &Options{Decide: deciding(policy.Deny)}, func(p *peer) {
		prompt := p.prompted()
		p.toolCall("t1", "make")
		p.permission("0", "t1")
		p.expect("")
		p.reply(prompt, `{"stopReason":"cancelled"}`)
	})
	_, err := s.Prompt(t.Context(), say("hi"))
	f := failure(t, err, event.ClassAgent, "agent_cancelled")
	if !strings.Contains(f.Message, "execute(x)") || !strings.Contains(f.Message, "r.yaml:3") {
		t.Errorf("message %q does not name the denial", f.Message)
	}
}

func TestCT23_PolicyThatPanicsCancels(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	opts.Decide = func(*policy.Call) policy.Outcome { panic("oh") }
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.toolCall("t1", "make")
		p.request("7", "session/request_permission", `{"sessionId":"s-1","toolCall":{"toolCallId":"t1"},"options":[{"optionId":"yes","name":"","kind":"allow_once"}]}`)
		if f := p.expect(""); string(f.Result) != `{"outcome":{"outcome":"cancelled"}}` {
			t.Errorf("answered %s", f.raw)
		}
		p.endTurn(prompt)
	})
	turn, err := s.Prompt(t.Context(), say("hi"))
	if err != nil || len(turn.Uncovered) != 1 || !strings.Contains(turn.Uncovered[0].Why, "oh") {
		t.Errorf("error %v, uncovered %+v", err, turn.Uncovered)
	}
	only[event.Permission](t, rec)
}

func TestCT26_UnknownSessionIsCancelled(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	opts.Decide = deciding(policy.Allow)
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.request("3", "session/request_permission", `{"sessionId":"other","toolCall":{"toolCallId":"t1"},"options":`+standardOptions+`}`)
		if f := p.expect(""); string(f.Result) != `{"outcome":{"outcome":"cancelled"}}` {
			t.Errorf("answered %s", f.raw)
		}
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Error(err)
	}
	if !warned(rec, "unknown_session") || len(bodies[event.Permission](rec)) != 0 {
		t.Errorf("events %s", rec.types())
	}
}

func TestCT27_SlowDecisionBlocksNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, rec := options()
		opts.Deltas = true
		opts.Decide = func(*policy.Call) policy.Outcome {
			time.Sleep(2 * time.Second)
			return policy.Outcome{Decision: policy.Allow}
		}
		c := connect(t, opts, func(p *peer) {
			p.initialize(`{}`)
			p.reply(p.expect("session/new"), `{"sessionId":"s-1"}`)
			prompt := p.expect("session/prompt")
			p.toolCall("t1", "make")
			p.permission("7", "t1")
			begin := time.Now()
			p.text("meanwhile")
			p.reply(p.expect("session/new"), `{"sessionId":"s-2"}`)
			other := p.expect("session/prompt")
			p.notify("session/update", `{"sessionId":"s-2","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"other"}}}`)
			p.endTurn(other)
			synctest.Wait()
			if d := time.Since(begin); d != 0 || len(bodies[event.MessageDelta](rec)) != 2 {
				t.Errorf("after %s: events %s", d, rec.types())
			}
			p.expect("")
			p.endTurn(prompt)
		})
		done := make(chan error, 1)
		first, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, err := first.Prompt(t.Context(), say("one")); done <- err }()
		synctest.Wait()
		second, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := second.Prompt(t.Context(), say("two")); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
