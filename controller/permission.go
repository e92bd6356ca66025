package controller

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// permissionRequest is one session/request_permission.
type permissionRequest struct {
	SessionID string             `json:"sessionId"`
	ToolCall  json.RawMessage    `json:"toolCall"`
	Options   []permissionOption `json:"options"`
}

// permissionAsk is a permission request on its way through decision and answer.
type permissionAsk struct {
	t       *turn
	o       *owner
	options []permissionOption
	call    *policy.Call
	state   event.ToolCall
	facts   string // what was decided, see factsOf
	id      string
}

// permission takes a permission request in: the tool call is shown and counted
// in wire order, the decision is made beside it.
//
// ACP: session/request_permission.
func (c *Conn) permission(r *jsonrpc.Request) {
	var p permissionRequest
	if json.Unmarshal(r.Params, &p) != nil || jsonString(members(p.ToolCall)["toolCallId"]) == "" {
		refuse(r, jsonrpc.CodeInvalidParams, "session/request_permission needs sessionId, toolCall with toolCallId, and options")
		return
	}
	o := c.own(r)
	s, _ := c.lookup(p.SessionID)
	if s == nil {
		c.cancelUnknown(o, p.SessionID, "unknown_session", "permission request for the unknown session %q was answered cancelled")
		return
	}
	a := &permissionAsk{o: o, options: p.Options, id: idText(r.ID)}
	s.received(func() { s.request(a, p.ToolCall) })
	if a.t == nil || !a.t.ask(a.run) {
		c.cancelUnknown(o, p.SessionID, "late_request", "permission request outside a turn of session %q was answered cancelled")
	}
}

// request shows the tool call and collects its facts. The stage must be held.
func (s *Session) request(a *permissionAsk, toolCall json.RawMessage) {
	bodies, merged := s.proj.Permission(toolCall)
	s.showAll(bodies)
	a.t = s.running()
	a.state = merged.ToolCall
	a.call = policyCall(&merged)
	a.facts = factsOf(&merged)
}

// cancelUnknown answers cancelled to a request that belongs to no turn.
func (c *Conn) cancelUnknown(o *owner, session, code, format string) {
	go func() {
		if o.answer(cancelledOutcome) == stateFailed {
			c.opts.Logf("a permission request could not be answered; closing its connection")
			c.link.Kill()
		}
	}()
	c.warnNoise(code, fmt.Sprintf(format, session))
}

// run decides, answers, and records one request.
func (a *permissionAsk) run() {
	out, decided := a.decide()
	pick := a.pick(&out)
	if decided {
		a.react(&out)
	}
	var sent any
	state := a.t.deliver(a.o, func() any {
		sent = pick.outcome()
		if !decided || a.t.cause() != nil || a.t.isMoot() {
			sent = cancelledOutcome()
		}
		return sent
	}, func(state ownerState) { a.record(&out, decided, optionOf(sent), state) })
	if state == stateFailed {
		a.t.stop(failf(event.ClassProtocol, "answer_not_delivered", "the answer to a permission request could not be written"))
	}
}

// decide asks the policy; one that panics covers nothing.
func (a *permissionAsk) decide() (out policy.Outcome, decided bool) {
	return consult(a.t, a.o, func() policy.Outcome { return a.t.prompt.Decide(a.call) }, func(reason any) policy.Outcome {
		return policy.Outcome{Decision: policy.Uncovered, Why: fmt.Sprintf("the policy could not decide: %v", reason)}
	})
}

// react cancels the turn where the reaction to the decision says so; the request
// is then answered cancelled like every other that is open.
func (a *permissionAsk) react(out *policy.Outcome) {
	reaction, what := a.t.prompt.OnUncovered, "an uncovered"
	switch out.Decision {
	case policy.Allow:
		return
	case policy.Deny:
		reaction, what = a.t.prompt.OnDeny, "a denied"
	}
	if reaction == ReactCancel {
		a.t.stop(failf(event.ClassPermission, string(out.Decision), "%s call ended the turn: %s", what, cmp.Or(out.Why, a.state.Title)))
	}
}

// record emits the permission event and lists the call. The stage must be held.
func (a *permissionAsk) record(out *policy.Outcome, decided bool, optionID string, state ownerState) {
	body := event.Permission{
		RequestID: a.id, ToolCallID: a.state.ToolCallID, Kind: a.state.Kind,
		Command: cmp.Or(out.Command, a.state.Command), Paths: out.Paths,
		Decision: "withdrawn", OptionID: optionID, Delivery: state.delivery(),
	}
	if len(body.Paths) == 0 {
		body.Paths = a.state.Paths
	}
	if state == stateWithdrawn || state == stateStale {
		body.OptionID = "" // nobody got it
	}
	if decided && state != stateWithdrawn {
		body.Decision, body.By, body.Rule, body.At = string(out.Decision), out.By, out.Rule, out.At
		body.Layer, body.Message = string(out.Layer), cmp.Or(out.Message, out.Why)
		body.Covered = out.Decision == policy.Allow || out.Decision == policy.Deny
		body.Suggest, body.Hint = out.Suggest, out.Hint
	}
	if a.state.ToolCallID != "" {
		a.t.asked[a.state.ToolCallID] = a.facts
	}
	if !a.t.finished {
		a.t.s.show(body)
		a.list(&body, out.Why)
	}
}

// list adds the call to what the turn's result tells. The stage must be held.
func (a *permissionAsk) list(p *event.Permission, why string) {
	r := &a.t.result
	switch {
	case p.Decision == "withdrawn":
	case p.Decision == string(policy.Deny):
		r.Denials = append(r.Denials, event.Denial{
			ToolCallID: p.ToolCallID, Kind: p.Kind, Command: p.Command, Paths: p.Paths,
			Rule: p.Rule, At: p.At, Message: p.Message,
		})
	case !p.Covered:
		r.Uncovered = append(r.Uncovered, event.UncoveredCall{
			ToolCallID: p.ToolCallID, Kind: p.Kind, Command: p.Command, Paths: p.Paths,
			Why: why, Suggest: append([]string{}, p.Suggest...), Hint: p.Hint,
		})
	}
}
