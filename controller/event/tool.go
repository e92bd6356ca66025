package event

import (
	"encoding/json"
	"slices"
)

// toolCall applies a tool_call, if announce is set, or a tool_call_update. Agents
// send them in any order, twice, or one of them alone: each is merged into what
// is known of its id.
func (p *Projector) toolCall(update json.RawMessage, announce bool) []Body {
	kind := "tool_call_update"
	if announce {
		kind = "tool_call"
	}
	id, _ := text(member(update, "toolCallId"))
	if id == "" {
		return invalid(kind, update, "toolCallId is no text")
	}
	c := p.callOf(id, announce && p.ofEarlierTurn(id))
	if c.ended || !p.live() {
		c.apply(update, p.opts.Cwd)
		p.find(c)
		return p.late(kind, update)
	}
	out := p.interrupt()
	p.admit(c)
	c.apply(update, p.opts.Cwd)
	p.find(c)
	return p.advance(out, c)
}

// ofEarlierTurn says whether a call with this id ended before this turn: agents
// that number their calls begin again in every turn.
func (p *Projector) ofEarlierTurn(id string) bool {
	c := p.callByID[id]
	return c != nil && c.ended && p.live() && c.turn != p.epoch
}

// callOf returns the call with an id, a new one when there is none or when the
// known one is to be replaced.
func (p *Projector) callOf(id string, replace bool) *call {
	old := p.callByID[id]
	if old != nil && !replace {
		return old
	}
	c := &call{id: id, turn: -1, replay: p.replay}
	if p.opts.Now != nil {
		c.began = p.opts.Now()
	}
	p.callByID[id] = c
	if i := slices.Index(p.calls, old); i >= 0 {
		p.calls[i] = c
	} else {
		p.calls = append(p.calls, c)
	}
	return c
}

// admit makes a call one of this turn.
func (p *Projector) admit(c *call) {
	if c.turn != p.epoch {
		c.turn = p.epoch
		p.turnCalls = append(p.turnCalls, c)
	}
}

// find asks for the facts of a call again when what they depend on has changed.
func (p *Projector) find(c *call) {
	if c.raw != nil {
		return
	}
	if p.opts.Facts == nil {
		c.command, _ = text(member(c.rawInput, "command"))
		c.paths = slices.Clone(c.named)
		return
	}
	command, paths := p.opts.Facts(&ToolCallState{ToolCall: c.summary(), Raw: c.factsRaw()})
	c.command, c.paths = command, slices.Clone(paths)
}

// advance appends the events that the state of a call makes.
func (p *Projector) advance(out []Body, c *call) []Body {
	final := isFinal(c.status)
	switch {
	case !c.started && (final || c.telling()):
		out = p.start(out, c)
	case c.started && !final && p.opts.Deltas && !p.replay:
		out = append(out, ToolUpdate{c.event()})
	}
	if final {
		out = p.end(out, c, c.status)
	}
	return out
}

// telling says whether enough is known of a call to show it: agents announce
// calls with nothing but a generic title and fill in the command or the path when
// the model has written it.
func (c *call) telling() bool {
	switch c.kind {
	case "execute":
		return c.command != ""
	case "read", "edit", "delete", "move":
		return len(c.paths) > 0
	default:
		return c.command != "" || len(c.paths) > 0 || !isEmpty(c.rawInput)
	}
}

func isFinal(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

func (p *Projector) start(out []Body, c *call) []Body {
	c.started = true
	t := c.event()
	return append(out, ToolStart{t})
}

func (p *Projector) end(out []Body, c *call, status string) []Body {
	c.ended = true
	t := c.event()
	t.Status = status
	if p.opts.Now != nil && !c.replay {
		t.DurationMs = p.opts.Now().Sub(c.began).Milliseconds()
	}
	return append(out, ToolEnd{t})
}

// abandon closes a call that its agent left open.
func (p *Projector) abandon(out []Body, c *call, cancelled bool) []Body {
	if !c.started {
		out = p.start(out, c)
	}
	status := "unknown"
	switch {
	case isFinal(c.status): // of a permission request
		status = c.status
	case cancelled || c.cancelled:
		c.cancelled = true
		status = "cancelled"
	}
	return p.end(out, c, status)
}

// Permission merges the toolCall of a permission request and returns what is then
// known of the call. In a turn the call's tool.start is among the bodies unless it
// was shown before, also when the agent never announced the call. A call that had
// ended is a new one: what is asked for now is shown and judged by itself.
//
// The state shares nothing with the projector. A toolCall without toolCallId gives
// the zero state.
//
// ACP: session/request_permission.
func (p *Projector) Permission(toolCall json.RawMessage) (bodies []Body, merged ToolCallState) {
	id, _ := text(member(toolCall, "toolCallId"))
	if id == "" {
		return nil, ToolCallState{}
	}
	known := p.callByID[id]
	c := p.callOf(id, known != nil && known.ended)
	if p.live() {
		bodies = p.interrupt()
		p.admit(c)
	}
	c.apply(toolCall, p.opts.Cwd)
	p.find(c)
	if p.live() && !c.started {
		bodies = p.start(bodies, c)
	}
	return bodies, detached(c.state())
}

// Question says that the agent asks something, on behalf of a tool call or, if the
// id is empty, of none. It ends the open block; a held tool.start of the call is
// among the bodies.
//
// ACP: elicitation/create.
func (p *Projector) Question(toolCallID string) []Body {
	if !p.live() {
		return nil
	}
	out := p.interrupt()
	if c := p.callByID[toolCallID]; c != nil && !c.started && !c.ended {
		p.admit(c)
		out = p.start(out, c)
	}
	return out
}

// CancelOpen says that the turn was asked to stop: the snapshot shows the calls
// that are still open as cancelled, each until an update says otherwise.
//
// ACP: session/cancel.
func (p *Projector) CancelOpen() {
	for _, c := range p.turnCalls {
		if !c.ended && !isFinal(c.status) {
			c.cancelled = true
		}
	}
}

// ToolCalls returns the calls of the turn in the order in which they were first
// seen. They share nothing with the projector.
func (p *Projector) ToolCalls() []ToolCallState {
	var list []ToolCallState
	for _, c := range p.turnCalls {
		list = append(list, detached(c.state()))
	}
	return list
}
