package controller

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

const loads = `{"loadSession":true,"sessionCapabilities":{"resume":{},"list":{},"close":{},"fork":{}}}`

// history sends what a replay has: two messages.
func (p *peer) history() {
	p.t.Helper()
	p.update(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old question"}}`)
	p.text("old answer")
}

// answersNew plays the turn behind a reopened session.
func (p *peer) answersNew() {
	p.t.Helper()
	prompt := p.expect("session/prompt")
	p.text("NEW")
	p.endTurn(prompt)
}

func TestF14_ReplayIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		script func(p *peer, load frame)
		took   time.Duration
	}{
		{"replay before the answer", func(p *peer, load frame) {
			p.history()
			p.reply(load, `{}`)
		}, 0},
		{"replay behind the answer", func(p *peer, load frame) {
			p.reply(load, `{}`)
			time.Sleep(200 * time.Millisecond)
			p.update(`{"sessionUpdate":"available_commands_update","availableCommands":[]}`)
			time.Sleep(400 * time.Millisecond)
			p.history()
		}, 1100 * time.Millisecond},
		{"no history at all", func(p *peer, load frame) { p.reply(load, `null`) }, quietTime},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				opts, rec := options()
				c := connect(t, opts, func(p *peer) {
					p.initialize(`{"loadSession":true}`)
					load := p.expect("session/load")
					if !strings.Contains(load.raw, `"mcpServers":[]`) || !strings.Contains(load.raw, `"sessionId":"s-1"`) {
						p.fail("session/load: %s", load.raw)
					}
					tc.script(p, load)
					p.answersNew()
				})
				begin := time.Now()
				s, err := c.ResumeSession(t.Context(), "s-1", SessionParams{Cwd: "/work"})
				if err != nil {
					t.Fatal(err)
				}
				if d := time.Since(begin); d != tc.took {
					t.Errorf("took %s, want %s", d, tc.took)
				}
				turn, err := s.Prompt(t.Context(), say("go on"))
				if err != nil || turn.Text != "NEW" {
					t.Errorf("the answer is %q, %v", turn.Text, err)
				}
				if start := only[event.SessionStart](t, rec); start.Origin != "load" {
					t.Errorf("origin %q", start.Origin)
				}
				for _, m := range bodies[event.Message](rec) {
					if m.Replay != strings.HasPrefix(m.Text, "old") {
						t.Errorf("replay is %v for %q", m.Replay, m.Text)
					}
				}
			})
		})
	}
}

// TestF14_ReplayWithoutEnd has an agent that never stops: the wait is bounded.
func TestF14_ReplayWithoutEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, _ := options()
		c := connect(t, opts, func(p *peer) {
			p.initialize(`{"loadSession":true}`)
			p.reply(p.expect("session/load"), `{}`)
			for range 400 {
				time.Sleep(100 * time.Millisecond)
				p.text("and on ")
			}
		})
		begin := time.Now()
		if _, err := c.LoadSession(t.Context(), "s-1", SessionParams{Cwd: "/work"}); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begin); d != quietMost {
			t.Errorf("took %s, want %s", d, quietMost)
		}
	})
}

func TestF14_SessionIsGone(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, message, data string
		code                int
	}{
		{"own code", "Resource not found", `{"sessionId":"s-1"}`, -32002},
		{"internal error", "Internal error", `{"details":"Session not found: s-1"}`, -32603},
		{"invalid params", "unknown session", `null`, -32602},
		{"none at all", "Internal error", `{"details":"No previous sessions found for this project."}`, -32603},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts, rec := options()
			c := connect(t, opts, func(p *peer) {
				p.initialize(loads)
				p.replyError(p.expect("session/resume"), tc.code, tc.message, tc.data)
			})
			_, err := c.ResumeSession(t.Context(), "s-1", SessionParams{Cwd: "/work"})
			f := failure(t, err, event.ClassSession, "session_not_found")
			if !strings.Contains(f.Message, "s-1") || f.ExitCode() != 4 {
				t.Errorf("%q, exit code %d", f.Message, f.ExitCode())
			}
			if len(bodies[event.SessionStart](rec)) > 0 {
				t.Error("a session was begun")
			}
		})
	}
}

// TestCT38_OneReplayAtATime refuses a second load while one is pending, also when
// nobody waits for the first any more; its late answer frees the claim.
func TestCT38_OneReplayAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, _ := options()
		answer := make(chan struct{})
		var loadsSeen atomic.Int64
		c := connect(t, opts, func(p *peer) {
			p.initialize(`{"loadSession":true}`)
			load := p.expect("session/load")
			loadsSeen.Add(1)
			p.expect("$/cancel_request")
			<-answer
			p.reply(load, `{}`)
			p.reply(p.expect("session/load"), `{}`)
			loadsSeen.Add(1)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.LoadSession(ctx, "s-1", SessionParams{Cwd: "/work"}); err == nil {
			t.Fatal("a load without an answer returned")
		}
		_, err := c.LoadSession(t.Context(), "s-1", SessionParams{Cwd: "/work"})
		fails(t, err, event.ClassSession, "session_in_use")
		close(answer)
		synctest.Wait()
		if _, err := c.LoadSession(t.Context(), "s-1", SessionParams{Cwd: "/work"}); err != nil {
			t.Errorf("behind the late answer: %v", err)
		}
		if n := loadsSeen.Load(); n != 2 {
			t.Errorf("%d loads were sent, want 2", n)
		}
	})
}

func TestCT43_CloseEndsTheSnapshot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, rec := options()
		gone := make(chan struct{})
		c := connect(t, opts, func(p *peer) {
			prompt := p.prompted()
			p.text("kept")
			p.endTurn(prompt)
			<-gone
			p.text("late")
		})
		s, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
			t.Fatal(err)
		}
		if snap, current := s.Current(); !current || len(snap.Messages) != 1 {
			t.Errorf("open: %v, %d messages", current, len(snap.Messages))
		}
		_ = s.Close(t.Context())
		close(gone)
		synctest.Wait()
		before := len(rec.all())
		if snap, current := s.Current(); current || len(snap.Messages) != 0 {
			t.Errorf("closed: %v, %d messages", current, len(snap.Messages))
		}
		for _, e := range rec.all()[:before] {
			if m, ok := e.Body.(event.Message); ok && m.Text == "late" {
				t.Error("what came behind the close became a message")
			}
		}
	})
}
