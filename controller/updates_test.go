package controller

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

func TestCT12_UnknownUpdateIsVerbatim(t *testing.T) {
	t.Parallel()
	const unknown = `{"sessionUpdate":"future_kind","content":{"type":"text","text":"hi"},"n":1.50,"_meta":null}`
	opts, rec := options()
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.update(unknown)
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	if u := only[event.Update](t, rec); u.Kind != "future_kind" || string(u.Update) != unknown {
		t.Errorf("update event %s: %s", u.Kind, u.Update)
	}
	if n := len(bodies[event.Message](rec)); n != 0 {
		t.Error("the unknown update was taken for a message")
	}
}

func TestF09_UpdatesBeforeTheSessionIsKnown(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	s := session(t, opts, func(p *peer) {
		p.initialize(`{}`)
		f := p.expect("session/new")
		p.update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"memory"}]}`)
		p.update(`{"sessionUpdate":"config_option_update","configOptions":` + optionList("m-huge", "") + `}`)
		p.update(`{"sessionUpdate":"usage_update","used":10,"size":100}`)
		p.notify("session/update", `{"sessionId":"nobody","update":{"sessionUpdate":"usage_update","used":1,"size":2}}`)
		p.reply(f, `{"sessionId":"s-1","configOptions":`+optionList("m-large", "")+`}`)
	})
	offer := s.Offered()
	if got := offer.current(Model); got != "m-large" {
		t.Errorf("model %s: the answer came last on the wire", got)
	}
	if err := s.Select(t.Context(), Selection{}); err != nil {
		t.Fatal(err)
	}
	if got, want := rec.types(), "agent.start warning session.start commands config usage"; got != want {
		t.Errorf("events\n got %s\nwant %s", got, want)
	}
	if !warned(rec, "unknown_session") {
		t.Error("the update of a session that never came is not reported")
	}
}

func TestF09_TheHoldIsBounded(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	session(t, opts, func(p *peer) {
		p.initialize(`{}`)
		f := p.expect("session/new")
		for range holdCount + 5 {
			p.update(`{"sessionUpdate":"usage_update","used":1,"size":2}`)
		}
		p.reply(f, `{"sessionId":"s-1"}`)
	})
	var told string
	for _, w := range bodies[event.Warning](rec) {
		if w.Code == "updates_dropped" {
			told = w.Message
		}
	}
	if !strings.HasPrefix(told, "5 updates") {
		t.Errorf("warning %q", told)
	}
}

func TestHoldCountsBytes(t *testing.T) {
	t.Parallel()
	var h holding
	for i := range 3 {
		h.add(heldUpdate{fmt.Sprint(i % 2), make([]byte, holdBytes/2)})
	}
	if len(h.updates) != 2 || h.dropped != 1 {
		t.Errorf("%d held, %d dropped", len(h.updates), h.dropped)
	}
	if got := h.take("0"); len(got) != 1 || h.bytes != holdBytes/2 || h.dropped != 1 || len(h.take("1")) != 1 {
		t.Errorf("took %d, left %+v", len(got), h)
	}
}

func TestTalkBeforeTheFirstPromptIsNotHeldForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, rec := options()
		session(t, opts, func(p *peer) {
			p.open("")
			for range earlyLimit + 10 {
				p.update(`{"sessionUpdate":"future_kind"}`)
			}
		})
		synctest.Wait()
		if n := len(bodies[event.Update](rec)); n != earlyLimit+10 {
			t.Errorf("%d updates were emitted", n)
		}
		only[event.SessionStart](t, rec)
	})
}

func TestUpdatesThatBelongNowhereAreWarnings(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.notify("session/update", `{"sessionId":"other","update":{"sessionUpdate":"usage_update"}}`)
		p.notify("session/update", `{"update":{"sessionUpdate":"usage_update"}}`)
		p.notify("session/update", `{"sessionId":"s-1","update":"text"}`)
		p.notify("session/update", `[]`)
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, w := range bodies[event.Warning](rec) {
		codes = append(codes, w.Code)
	}
	if got := strings.Join(codes, " "); got != "unknown_session invalid_update invalid_update invalid_update" {
		t.Errorf("warnings %s", got)
	}
}

func TestNoiseIsBounded(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		for range 3 * noiseLimit {
			p.send("log line")
		}
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	if n := len(bodies[event.Warning](rec)); n != noiseLimit {
		t.Errorf("%d warnings, want %d", n, noiseLimit)
	}
}

func TestF11_LargeUpdatesPass(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	large := strings.Repeat("x", 8<<20+1)
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.update(`{"sessionUpdate":"future_kind","rawOutput":"` + large + `"}`)
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	if u := only[event.Update](t, rec); !strings.Contains(string(u.Update), large) {
		t.Errorf("%d bytes arrived", len(u.Update))
	}
}

func TestF11_FrameOverTheLimitEndsTheTurn(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	var c *Conn
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		c.junk(jsonrpc.Junk{Reason: jsonrpc.JunkTooLarge, Size: 70 << 20, Limit: 64 << 20, Line: []byte("{")})
		p.expect("session/cancel")
		p.reply(prompt, `{"stopReason":"cancelled"}`)
	})
	c = s.c
	_, err := s.Prompt(t.Context(), say("hi"))
	f := failure(t, err, event.ClassProtocol, "frame_too_large")
	if !strings.Contains(f.Message, "73400320") || !strings.Contains(f.Message, "67108864") {
		t.Errorf("message %q does not name size and limit", f.Message)
	}
	if !warned(rec, "junk") {
		t.Errorf("events %s", rec.types())
	}
}

func TestCallbackThatPanicsIsContained(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	emit := opts.Emit
	opts.Emit = func(e event.Event) {
		if e.Type() == "update" {
			panic("oh")
		}
		emit(e)
	}
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.update(`{"sessionUpdate":"future_kind"}`)
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Error(err)
	}
	if !warned(rec, "callback_panic") {
		t.Errorf("events %s", rec.types())
	}
}

func TestExtensionNotificationsAreEvents(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	s := session(t, opts, func(p *peer) {
		p.initialize(`{}`)
		f := p.expect("session/new")
		p.notify("_vendor/hello", `{"x":1}`)
		p.reply(f, `{"sessionId":"s-1"}`)
		prompt := p.expect("session/prompt")
		p.notify("_vendor/z", `{"sessionId":"s-1","y":2}`)
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range rec.all() {
		if x, ok := e.Body.(event.Ext); ok {
			got = append(got, fmt.Sprintf("%s %s %s %q %d", x.Method, x.Direction, x.Params, e.SessionID, e.Turn))
		}
	}
	want := []string{`_vendor/hello in {"x":1} "" 0`, `_vendor/z in {"sessionId":"s-1","y":2} "s-1" 1`}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("ext events %q, want %q", got, want)
	}
}

func TestDiscardedAttemptLeavesTheText(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.update(`{"sessionUpdate":"agent_message_chunk","messageId":"a","content":{"type":"text","text":"half a thou"}}`)
		p.notify("_chrys/attempt_discarded", `{"sessionId":"s-1","messageIds":["a"]}`)
		p.update(`{"sessionUpdate":"agent_message_chunk","messageId":"b","content":{"type":"text","text":"whole"}}`)
		p.endTurn(prompt)
	})
	turn, err := s.Prompt(t.Context(), say("hi"))
	if err != nil || turn.Text != "whole" {
		t.Errorf("text %q: %v", turn.Text, err)
	}
	only[event.Ext](t, rec)
}

func TestCT35_SnapshotOfASession(t *testing.T) {
	t.Parallel()
	s := session(t, nil, func(p *peer) {
		prompt := p.prompted()
		p.text("one ")
		p.text("two")
		p.toolCall("t1", "make")
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","title":"renamed"}`)
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t2","status":"completed"}`)
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	snap := s.Snapshot()
	if len(snap.ToolCalls) != 2 || snap.ToolCalls[0].Title != "renamed" || snap.ToolCalls[0].Kind != "execute" || snap.ToolCalls[1].ToolCallID != "t2" {
		t.Errorf("tool calls %+v", snap.ToolCalls)
	}
	if len(snap.Messages) == 0 || !strings.Contains(fmt.Sprint(snap.Messages), "one two") {
		t.Errorf("messages %+v", snap.Messages)
	}
}

func TestCT37_UnknownUpdatesAreKeptWithinBounds(t *testing.T) {
	t.Parallel()
	s := session(t, nil, func(p *peer) {
		prompt := p.prompted()
		for i := range 65 {
			p.update(fmt.Sprintf(`{"sessionUpdate":"future_kind","i":%d}`, i))
		}
		p.update(`{"sessionUpdate":"future_kind","big":"` + strings.Repeat("x", 300_000) + `"}`)
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	if snap := s.Snapshot(); len(snap.Unknown) != 64 || snap.OmittedCount != 2 {
		t.Errorf("%d kept, %d omitted", len(snap.Unknown), snap.OmittedCount)
	}
}

// TestCT25_CT55 holds an update, a permission request and a cancel of one
// connection back until another one is open.
func TestCT25_CT55_CallbacksOfAClosedConnectionChangeNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, _ := options()
		var stale []string
		opts.Logf = func(format string, args ...any) { stale = append(stale, fmt.Sprintf(format, args...)) }
		first := connect(t, opts, func(p *peer) { p.open("") })
		if _, err := first.NewSession(t.Context(), SessionParams{Cwd: "/work"}); err != nil {
			t.Fatal(err)
		}
		_ = first.Close(t.Context())

		opts, rec := options()
		release := make(chan struct{})
		opts.Decide = func(*policy.Call) policy.Outcome { <-release; return policy.Outcome{Decision: policy.Allow} }
		second := session(t, opts, func(p *peer) {
			prompt := p.prompted()
			p.toolCall("t1", "make")
			p.permission("3", "t1")
			synctest.Wait()
			before := rec.types()
			old := inbound{first}
			old.HandleNotification(t.Context(), &jsonrpc.Notification{Method: "session/update", Params: json.RawMessage(`{"sessionId":"s-1","update":{"sessionUpdate":"future_kind"}}`)})
			old.HandleRequest(t.Context(), &jsonrpc.Request{Method: "session/request_permission", Params: json.RawMessage(`{"sessionId":"s-1","toolCall":{"toolCallId":"t1"}}`)})
			old.HandleNotification(t.Context(), &jsonrpc.Notification{Method: "$/cancel_request", Params: json.RawMessage(`{"requestId":3}`)})
			synctest.Wait()
			if got := rec.types(); got != before || len(stale) != 3 {
				t.Errorf("events %s, want %s; debug lines %q", got, before, stale)
			}
			close(release)
			if f := p.expect(""); !strings.Contains(f.raw, "yes") {
				t.Errorf("answered %s", f.raw)
			}
			p.endTurn(prompt)
		})
		if _, err := second.Prompt(t.Context(), say("hi")); err != nil {
			t.Error(err)
		}
	})
}
