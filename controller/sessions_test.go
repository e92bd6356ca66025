package controller

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/acpctl/acpctl/controller/event"
)

func TestCT05_UnofferedIsNeverSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, _ := options()
		sent := 0
		opts.Tap = func(dir string, _ []byte) {
			if dir == "out" {
				sent++
			}
		}
		c := connect(t, opts, func(p *peer) { p.initialize(`{}`) })
		ctx, p := t.Context(), SessionParams{Cwd: "/work"}
		_, resume := c.ResumeSession(ctx, "s", p)
		_, load := c.LoadSession(ctx, "s", p)
		_, fork := c.ForkSession(ctx, "s", p)
		var list error
		for _, err := range c.Sessions(ctx, "") {
			list = err
		}
		for what, err := range map[string]error{
			"resume": resume, "load": load, "fork": fork, "list": list,
			"close": c.CloseSessionID(ctx, "s"), "delete": c.DeleteSession(ctx, "s"), "logout": c.Logout(ctx),
		} {
			if f := event.AsFailure(err); f == nil || f.Reason != "unsupported_by_agent" {
				t.Errorf("%s: %v", what, err)
			}
		}
		if sent != 1 {
			t.Errorf("%d frames were sent, want initialize alone", sent)
		}
	})
}

func TestCT05_ListGoesThroughThePages(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	c := connect(t, opts, func(p *peer) {
		p.initialize(loads)
		first := p.expect("session/list")
		if !strings.Contains(first.raw, `"params":{"cwd":"/work"}`) {
			p.fail("the first page: %s", first.raw)
		}
		p.reply(first, `{"sessions":[{"sessionId":"a","cwd":"/work","title":"A","updatedAt":"2026-01-01T00:00:00Z","x":1},{"title":"no id"}],"nextCursor":"2"}`)
		second := p.expect("session/list")
		if !strings.Contains(second.raw, `"cursor":"2"`) {
			p.fail("the second page: %s", second.raw)
		}
		p.reply(second, `{"sessions":[{"sessionId":"b","title":null}],"nextCursor":null}`)
	})
	var got []string
	for s, err := range c.Sessions(t.Context(), "/work") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, s.ID+" "+s.Title)
	}
	if strings.Join(got, ",") != "a A,b " || !warned(rec, "invalid_update") {
		t.Errorf("listed %q", got)
	}
}

// TestCT05_ListThatGoesRound ends at a cursor that comes twice.
func TestCT05_ListThatGoesRound(t *testing.T) {
	t.Parallel()
	opts, _ := options()
	c := connect(t, opts, func(p *peer) {
		p.initialize(loads)
		for range 2 {
			p.reply(p.expect("session/list"), `{"sessions":[],"nextCursor":"again"}`)
		}
	})
	for _, err := range c.Sessions(t.Context(), "") {
		fails(t, err, event.ClassProtocol, "invalid_cursor")
		return
	}
	t.Error("the list ended without an error")
}

func TestForkOpensAnotherSession(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	c := connect(t, opts, func(p *peer) {
		p.initialize(loads)
		p.reply(p.expect("session/fork"), `{"sessionId":"s-2"}`)
	})
	s, err := c.ForkSession(t.Context(), "s-1", SessionParams{Cwd: "/work"})
	if err != nil || s.ID() != "s-2" {
		t.Fatalf("forked %v, %v", s, err)
	}
	_ = c.Close(t.Context())
	if start := only[event.SessionStart](t, rec); start.Origin != "fork" {
		t.Errorf("origin %q", start.Origin)
	}
}
