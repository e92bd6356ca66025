package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// Prompt is what one turn is started with.
type Prompt struct {
	Blocks    []json.RawMessage // content blocks. Required.
	Idle      time.Duration     // longest silence of the agent in this session; 0: none
	ToolCalls int               // how many tool calls the turn may make; 0: no limit
	// Decide, Answer, OnUncovered and OnDeny replace those of the Options for this
	// turn. Optional.
	Decide              func(*policy.Call) policy.Outcome
	Answer              func(context.Context, *event.Question) Answer
	OnUncovered, OnDeny Reaction
}

// Turn is what is known of a turn when it is over, also of one that failed.
type Turn struct {
	Number     int    // from 1 in its session
	StopReason string // as the agent gave it, empty when it gave none
	Text       string // the agent's text after its last tool call
	Usage      *event.Usage
	Cost       *event.Cost // of the whole session, as last reported
	ToolCalls  []event.ToolCall
	Changes    []event.Change
	Denials    []event.Denial
	Uncovered  []event.UncoveredCall
	// Unasked are the calls that ran without a permission and are not allowed by
	// the rules.
	Unasked []event.Unasked
	// Question is the one that stopped the turn, else the last whose answer did
	// not fit; nil without.
	Question *event.Question
	Duration time.Duration
}

// turn is the running turn of a session.
type turn struct {
	s       *Session
	number  int
	prompt  Prompt // with the options' defaults filled in
	began   time.Time
	limit   time.Time // when the caller's time is over; only with limited
	limited bool
	idle    idleTimer
	halted  <-chan struct{} // closed when the turn is to be cancelled
	cause   func() error    // why; nil before
	stop    context.CancelCauseFunc
	settled chan struct{} // closed when the agent has answered: open requests are moot
	over    chan struct{} // closed behind turn.end
	done    chan struct{} // closed when the call came back
	// Requests of the agent: those whose answer is not written, and those whose
	// event is not emitted.
	unanswered, asks group

	// What follows is guarded by the stage.

	result   Turn
	failure  *event.Failure
	finished bool
	tools    int // tool.start events so far
	// asked has the facts of the calls that permission was asked for, by id.
	asked map[string]string

	// What follows is guarded by the connection's mu.

	promptID jsonrpc.ID // the zero value until the prompt is in front of the writer
	moot     bool       // settled is closed: no request is taken on any more
}

// Prompt runs one turn and returns when it is over: every update that the agent
// sent before its answer has been emitted by then. It may not be called while
// another turn of the session runs.
//
// If ctx ends, the turn is cancelled and Prompt waits for the agent to say so,
// at most the grace time and a half; the failure is then the cause of ctx.
// Refusal and unknown stop reasons are class agent, max_tokens and
// max_turn_requests class limit. Calls that were not covered do not fail the
// turn unless the reaction is cancel; they are listed.
//
// ACP: session/prompt, session/cancel.
func (s *Session) Prompt(ctx context.Context, p Prompt) (Turn, error) {
	if f := s.c.checkBlocks(p.Blocks); f != nil {
		return Turn{}, f
	}
	if ctx.Err() != nil {
		return Turn{}, causeFailure(context.Cause(ctx))
	}
	if f := s.checkAsking(); f != nil {
		return Turn{}, f
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	t := s.newTurn(&p)
	t.halted, t.stop = ctx.Done(), stop
	t.limit, t.limited = ctx.Deadline()
	t.cause = func() error { return context.Cause(ctx) }
	if f := s.begin(t); f != nil {
		return Turn{}, f
	}
	t.open()
	go t.call(context.WithoutCancel(ctx))
	t.await()
	return t.result, asError(t.failure)
}

func (s *Session) newTurn(p *Prompt) *turn {
	t := &turn{
		s: s, prompt: *p, began: s.c.opts.Clock(),
		asked: map[string]string{}, settled: make(chan struct{}), over: make(chan struct{}), done: make(chan struct{}),
	}
	o := &s.c.opts
	if p.Decide == nil {
		t.prompt.Decide = o.Decide
	}
	if p.Answer == nil {
		t.prompt.Answer = o.Answer
	}
	t.prompt.OnUncovered = cmp.Or(p.OnUncovered, o.OnUncovered)
	t.prompt.OnDeny = cmp.Or(p.OnDeny, o.OnDeny)
	t.idle.init(p.Idle)
	return t
}

// begin makes t the running turn.
func (s *Session) begin(t *turn) *event.Failure {
	if err := s.c.rpc.Err(); err != nil {
		return s.c.lostFailure("session/prompt", err)
	}
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	switch {
	case s.c.ending || s.told:
		return failf(event.ClassSession, "closed", "session %q is closed", s.id)
	case s.turn != nil:
		return failf(event.ClassSession, "busy", "session %q is running a turn already", s.id)
	}
	s.turn = t
	return nil
}

// open emits turn.start.
func (t *turn) open() {
	s := t.s
	s.c.stage.enter()
	defer s.c.stage.leave()
	s.start()
	s.turns++
	t.number = s.turns
	t.result.Number = t.number
	s.proj.BeginTurn()
	s.show(event.TurnStart{Prompt: summarize(t.prompt.Blocks)})
	t.idle.touch()
}

// call sends the prompt; its answer ends the turn in wire order.
func (t *turn) call(ctx context.Context) {
	defer close(t.done)
	params := map[string]any{"sessionId": t.s.id, "prompt": t.prompt.Blocks}
	if t.limited && t.s.c.info.Capabilities.Chrys {
		// An agent that knows its time begins no wait that cannot fit into it.
		left := max(1, time.Until(t.limit).Milliseconds())
		params["_meta"] = map[string]any{"chrys": map[string]any{"timeLeftMs": left}}
	}
	_, err := t.s.c.rpc.Call(ctx, "session/prompt", params, &jsonrpc.CallOptions{
		OnSent:     t.sent,
		OnResponse: t.answered,
	})
	select {
	case <-t.over:
	default:
		t.answered(nil, err)
	}
}

// answered ends the turn. It runs where the answer stands on the wire, or behind
// the call, for an error that came before there could be one.
func (t *turn) answered(result json.RawMessage, err error) {
	t.settle()
	m := members(result)
	var peer *jsonrpc.Error
	t.finish(ending{
		stopReason: jsonString(m["stopReason"]), usage: readUsage(m["usage"]),
		failure:     t.s.c.callFailure("session/prompt", err),
		unconfirmed: err != nil && !errors.As(err, &peer), // the connection is gone
	})
}

// countCall holds the limit of tool calls against those that were started. It
// runs where the call stands on the wire, so that a call over the limit is known
// before it can be allowed. The stage must be held.
func (s *Session) countCall() {
	t := s.running()
	if t == nil || t.finished {
		return
	}
	t.tools++
	limit := t.prompt.ToolCalls
	if limit <= 0 || t.tools != limit+1 {
		return
	}
	s.show(event.Limit{Name: "toolCalls", Value: float64(t.tools), Max: float64(limit)})
	t.stop(failf(event.ClassLimit, "toolCalls", "the turn made more than %d tool calls", limit))
}
