package controller

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

func TestCT14_UpdatesComeBeforeTheEnd(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	opts.Deltas = true
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		for i := range 1000 {
			p.text(fmt.Sprintf("%d ", i))
		}
		p.reply(prompt, `{"stopReason":"end_turn","usage":{"inputTokens":3,"outputTokens":4,"totalTokens":7}}`)
	})
	turn, err := s.Prompt(t.Context(), say("count"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(bodies[event.MessageDelta](rec)); n != 1000 {
		t.Errorf("%d deltas when Prompt returned, want 1000", n)
	}
	if !strings.HasSuffix(turn.Text, "998 999 ") || turn.StopReason != "end_turn" || turn.Number != 1 {
		t.Errorf("turn %d ended with %q and text %.40q", turn.Number, turn.StopReason, turn.Text)
	}
	if turn.Usage == nil || turn.Usage.TotalTokens != 7 {
		t.Errorf("usage %+v", turn.Usage)
	}
	events := rec.all()
	if last := events[len(events)-1]; last.Type() != "turn.end" || last.Turn != 1 || last.SessionID != "s-1" {
		t.Errorf("last event is %s of turn %d", last.Type(), last.Turn)
	}
}

func TestStopReasons(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		result, reason string
		class          event.Class
	}{
		{`{"stopReason":"refusal"}`, "refusal", event.ClassAgent},
		{`{"stopReason":"cancelled"}`, "agent_cancelled", event.ClassAgent},
		{`{"stopReason":"max_tokens"}`, "max_tokens", event.ClassLimit},
		{`{"stopReason":"max_turn_requests"}`, "max_turn_requests", event.ClassLimit},
		{`{"stopReason":"napping"}`, "napping", event.ClassAgent},
		{`{}`, "no_stop_reason", event.ClassAgent},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			t.Parallel()
			opts, rec := options()
			s := session(t, opts, func(p *peer) {
				prompt := p.prompted()
				p.text("so far")
				p.reply(prompt, tc.result)
			})
			turn, err := s.Prompt(t.Context(), say("hi"))
			fails(t, err, tc.class, tc.reason)
			if turn.Text != "so far" {
				t.Errorf("text %q is lost", turn.Text)
			}
			if end := only[event.TurnEnd](t, rec); end.Error == nil || end.Error.Reason != tc.reason || end.Text != "so far" {
				t.Errorf("turn.end %+v", end)
			}
		})
	}
}

func TestPromptErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name         string
		code         int
		data, reason string
		class        event.Class
	}{
		{"plain", -32603, `null`, "agent_error", event.ClassAgent},
		{"with reason", -32603, `{"reason":"provider_error","retryable":true}`, "provider_error", event.ClassAgent},
		{"text data", -32603, `"details"`, "agent_error", event.ClassAgent},
		{"auth", -32000, `null`, "auth_required", event.ClassAuth},
		{"no session", -32002, `{"sessionId":"s-1"}`, "session_not_found", event.ClassSession},
		{"http code", 400, `[]`, "agent_error", event.ClassAgent},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, nil, func(p *peer) { p.replyError(p.prompted(), tc.code, "model failed", tc.data) })
			_, err := s.Prompt(t.Context(), say("hi"))
			f := failure(t, err, tc.class, tc.reason)
			if !strings.Contains(f.Message, "model failed") {
				t.Errorf("message %q", f.Message)
			}
			if f.Retryable != strings.Contains(tc.data, "retryable") {
				t.Errorf("retryable is %v", f.Retryable)
			}
		})
	}
}

func TestOneTurnAtATime(t *testing.T) {
	t.Parallel()
	inTurn, finish := make(chan struct{}), make(chan struct{})
	s := session(t, nil, func(p *peer) {
		prompt := p.prompted()
		close(inTurn)
		<-finish
		p.endTurn(prompt)
		p.endTurn(p.expect("session/prompt"))
	})
	first := make(chan error, 1)
	go func() { _, err := s.Prompt(t.Context(), say("one")); first <- err }()
	<-inTurn
	_, err := s.Prompt(t.Context(), say("two"))
	fails(t, err, event.ClassSession, "busy")
	close(finish)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if turn, err := s.Prompt(t.Context(), say("three")); err != nil || turn.Number != 2 {
		t.Errorf("turn %d: %v", turn.Number, err)
	}
}

func TestToolCallLimitIsKnownBeforeAnAllow(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	opts.Decide = deciding(policy.Allow)
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		for i := range 3 {
			id := fmt.Sprintf("t%d", i)
			p.toolCall(id, "make "+id)
			p.permission(fmt.Sprint(i), id)
			f, err := p.read()
			if f.Method == "session/cancel" { // the call alone was one too many
				f, err = p.read()
			}
			if allowed := strings.Contains(string(f.Result), "yes"); err != nil || allowed != (i < 2) {
				t.Errorf("call %d: answered %s", i, f.Result)
			}
		}
		p.reply(prompt, `{"stopReason":"cancelled"}`)
	})
	p := say("hi")
	p.ToolCalls = 2
	turn, err := s.Prompt(t.Context(), p)
	fails(t, err, event.ClassLimit, "toolCalls")
	if l := only[event.Limit](t, rec); l.Name != "toolCalls" || l.Value != 3 || l.Max != 2 {
		t.Errorf("limit event %+v", l)
	}
	if len(turn.ToolCalls) != 3 {
		t.Errorf("%d tool calls in the result", len(turn.ToolCalls))
	}
}

func TestTurnStartSummarisesBigBlocks(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	big := strings.Repeat("é", 100_000)
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		if !strings.Contains(string(prompt.Params), big) {
			t.Error("the agent does not get the whole prompt")
		}
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say(big)); err != nil {
		t.Fatal(err)
	}
	start := only[event.TurnStart](t, rec)
	var block struct {
		Type, Text string
		Bytes      int
	}
	if err := json.Unmarshal(start.Prompt[0], &block); err != nil || block.Type != "text" || block.Bytes < 200_000 || len(block.Text) > 5000 || !strings.HasPrefix(block.Text, "éé") {
		t.Errorf("block %.80s (%d bytes), error %v", start.Prompt[0], len(start.Prompt[0]), err)
	}
}

func TestEventOrderOfARun(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	opts.Decide = deciding(policy.Allow)
	c := connect(t, opts, func(p *peer) {
		p.initialize(`{"sessionCapabilities":{"close":{}}}`)
		p.reply(p.expect("session/new"), `{"sessionId":"s-1"}`)
		prompt := p.expect("session/prompt")
		p.text("let me see")
		p.toolCall("t1", "make")
		p.permission("0", "t1")
		p.expect("")
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"}`)
		p.text("done")
		p.endTurn(prompt)
		p.reply(p.expect("session/close"), `{}`)
	})
	s, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := s.Prompt(t.Context(), say("hi"))
	if err != nil || turn.Text != "done" {
		t.Errorf("turn %+v: %v", turn, err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	_ = c.Close(t.Context())
	_ = c.Close(t.Context())
	want := "agent.start session.start turn.start message tool.start permission tool.end message turn.end session.end agent.end"
	if got := rec.types(); got != want {
		t.Errorf("events\n got %s\nwant %s", got, want)
	}
	if end := only[event.SessionEnd](t, rec); end.Reason != "closed" {
		t.Errorf("session.end reason %q", end.Reason)
	}
}
