package controller

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/acpctl/acpctl/controller/event"
)

// ending is how a prompt came back.
type ending struct {
	stopReason  string
	usage       *event.Usage
	failure     *event.Failure // no answer, or an error answer
	unconfirmed bool           // the agent did not confirm the cancel
}

// finish emits what the turn still owes and turn.end, once.
func (t *turn) finish(end ending) {
	s := t.s
	s.c.stage.enter()
	defer s.c.stage.leave()
	if t.finished {
		return
	}
	t.finished = true
	t.idle.end()
	t.failure = t.verdict(&end)
	if errors.Is(asError(t.failure), ErrCancelNotConfirmed) {
		s.show(event.Warning{Code: "cancel_not_confirmed", Message: ErrCancelNotConfirmed.Error()})
	}
	s.showAll(s.proj.EndTurn(t.cause() != nil || end.stopReason == "cancelled"))
	t.audit()
	t.fill(&end)
	s.show(event.TurnEnd{
		StopReason: end.stopReason, Text: t.result.Text, Usage: end.usage, Error: t.failure,
		DurationMs: t.result.Duration.Milliseconds(),
	})
	s.c.mu.Lock()
	s.turn = nil
	s.c.mu.Unlock()
	close(t.over)
}

// fill completes the result from the projection.
func (t *turn) fill(end *ending) {
	p := t.s.proj
	r := &t.result
	r.StopReason, r.Usage, r.Cost = end.stopReason, end.usage, t.s.cost
	r.Text, r.Changes = p.TurnText(), p.Changes()
	for _, tc := range p.ToolCalls() {
		r.ToolCalls = append(r.ToolCalls, tc.ToolCall)
	}
	r.Duration = t.s.c.opts.Clock().Sub(t.began)
}

// verdict says why the turn failed, nil when it did not. What we know ourselves
// (a limit, a signal) wins over what the agent says: agents answer end_turn to a
// cancel.
func (t *turn) verdict(end *ending) *event.Failure {
	if cause := t.cause(); cause != nil {
		return cancelled(causeFailure(cause), end.unconfirmed)
	}
	if end.failure != nil {
		return end.failure
	}
	if end.stopReason == "cancelled" {
		return t.agentCancelled()
	}
	return stopFailure(end.stopReason)
}

// stopFailure is what a stop reason says of a turn that nobody cancelled.
func stopFailure(reason string) *event.Failure {
	switch reason {
	case "end_turn":
		return nil
	case "cancelled":
		return failf(event.ClassAgent, "agent_cancelled", "the agent ended the turn as cancelled")
	case "max_tokens", "max_turn_requests":
		return failf(event.ClassLimit, reason, "the agent stopped at its limit: %s", reason)
	case "refusal":
		return failf(event.ClassAgent, "refusal", "the agent refused to go on")
	case "":
		return failf(event.ClassAgent, "no_stop_reason", "the agent ended the turn without a stop reason")
	default:
		return failf(event.ClassAgent, reason, "the agent stopped with the unknown reason %q", reason)
	}
}

// cancelled is the failure of a turn that we cancelled: its cause, with what the
// agent made of it beside it.
func cancelled(cause *event.Failure, unconfirmed bool) *event.Failure {
	if !unconfirmed {
		return cause
	}
	f := *cause
	f.Err = errors.Join(ErrCancelNotConfirmed, cause.Err)
	f.Hints = append(append([]string(nil), f.Hints...), ErrCancelNotConfirmed.Error())
	return &f
}

// agentCancelled is the failure of a cancel that we did not ask for. Some agents
// end the turn so when a call is rejected: the denial is named.
func (t *turn) agentCancelled() *event.Failure {
	f := stopFailure("cancelled")
	if n := len(t.result.Denials); n > 0 {
		d := &t.result.Denials[n-1]
		f.Message += fmt.Sprintf(", after the rule %q (%s) denied a call", d.Rule, d.At)
	}
	return f
}

// readUsage reads the usage of a prompt's answer, nil without one.
func readUsage(raw json.RawMessage) *event.Usage {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	u := new(event.Usage)
	if json.Unmarshal(raw, u) != nil || *u == (event.Usage{}) {
		return nil // nothing but zeros is what agents say that do not know
	}
	return u
}
