package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// ProjectorOptions say how a [Projector] works; nil and the zero value are legal.
type ProjectorOptions struct {
	// Deltas asks for message.delta, thought.delta and tool.update events too.
	Deltas bool
	// Facts finds the command and the paths of a call. The state comes without its
	// content and output and must not be kept or changed. Without Facts they are
	// rawInput.command, the locations and the paths of diffs.
	Facts func(tc *ToolCallState) (command string, paths []string)
	// Now is the clock for the durations of tool calls. Without it they are absent.
	Now func() time.Time
	// Cwd is the session's folder: changed paths inside it are shown relative to it.
	Cwd string
}

// Projector turns the updates of one session into event bodies and keeps the
// session's [Snapshot].
//
// Updates come in wire order. Between [Projector.BeginTurn] and
// [Projector.EndTurn], and in replay, chunks and tool calls become events of
// their own; outside of them they are update events, which change the snapshot
// all the same. The bodies that are returned share nothing with the updates that
// were passed in, and are not changed later.
//
// It is not safe for concurrent use: the session's ordered handler owns it.
type Projector struct {
	opts   ProjectorOptions
	inTurn bool
	turns  int  // begun so far
	epoch  int  // counts turns, and in a replay the user's messages, which begin them
	replay bool // history is being sent again

	messages []*message
	byID     map[messageKey]*message
	current  *message // the one that a chunk without messageId may belong to
	block    *block   // open
	scratch  []byte   // for texts with escapes

	calls     []*call // first-seen order, one per id
	callByID  map[string]*call
	turnCalls []*call     // of this turn, or of the replay
	said      []saidBlock // the agent's blocks of this turn
	plan      json.RawMessage
	session   sessionState
	unknown   unknownUpdates
}

// NewProjector returns a projector of a session about which nothing is known.
func NewProjector(opts *ProjectorOptions) *Projector {
	p := new(Projector)
	if opts != nil {
		p.opts = *opts
	}
	p.forget()
	return p
}

// forget drops what updates built, but not what holds for the session as a
// whole: options, mode, commands.
func (p *Projector) forget() {
	p.messages, p.byID, p.current, p.block = nil, make(map[messageKey]*message), nil, nil
	p.calls, p.callByID, p.turnCalls = nil, make(map[string]*call), nil
	p.said, p.plan, p.unknown = nil, nil, unknownUpdates{}
}

// BeginTurn opens a turn. The turn before must have been ended.
func (p *Projector) BeginTurn() {
	p.closeBlock()
	p.current = nil
	p.inTurn = true
	p.turns++
	p.epoch++
	p.turnCalls, p.said = nil, nil
}

// EndTurn closes the turn: the open block ends, and the calls that are still open
// get their tool.start, where it was held, and a tool.end with status cancelled
// or, if the turn was not cancelled, unknown. The turn's text, changes and calls
// can be read until the next one begins.
func (p *Projector) EndTurn(cancelled bool) []Body {
	out := p.closeBlock()
	p.current = nil
	for _, c := range p.turnCalls {
		if !c.ended {
			out = p.abandon(out, c, cancelled)
		}
	}
	p.inTurn = false
	return out
}

// SetReplay says whether the agent is sending history again. A replay begins with
// an empty projection, and all that it makes is marked as replayed. At its end
// the open block and the open calls are closed by the bodies returned.
//
// ACP: session/load.
func (p *Projector) SetReplay(on bool) []Body {
	if on == p.replay {
		return nil
	}
	if on {
		p.forget()
		p.replay = true
		p.epoch++
		return nil
	}
	out := p.EndTurn(false)
	p.replay, p.turnCalls = false, nil
	return out
}

// Replayed says whether the replay had messages or tool calls so far.
func (p *Projector) Replayed() bool { return p.replay && len(p.messages)+len(p.calls) > 0 }

// live says whether chunks and tool calls become events of their own.
func (p *Projector) live() bool { return p.inTurn || p.replay }

// Update applies one update and returns the events it makes, in order, often
// none. It never fails: what is not readable becomes an update event with a
// warning, and what has no event of its own an update event.
//
// ACP: the update of session/update.
func (p *Projector) Update(update json.RawMessage) []Body {
	h, ok := readHead(update)
	if !ok {
		return []Body{Warning{Code: "invalid_update", Message: fmt.Sprintf("an update is no JSON object: %s", preview(update))}}
	}
	switch string(h.kind) {
	case "agent_message_chunk":
		return p.chunk(agentMessage, &h, update)
	case "agent_thought_chunk":
		return p.chunk(agentThought, &h, update)
	case "user_message_chunk":
		return p.chunk(userMessage, &h, update)
	case "tool_call":
		return p.toolCall(update, true)
	case "tool_call_update":
		return p.toolCall(update, false)
	case "plan":
		return p.planUpdate(update)
	default:
		return p.sessionUpdate(string(h.kind), update)
	}
}

// head is what the dispatch and the chunks need of an update, as found on the
// wire: nothing is built for it.
type head struct {
	kind    []byte // text of sessionUpdate
	id      []byte // value of messageId
	content []byte // value of content
	meta    []byte // value of _meta
}

// readHead reads an update; ok is false when it is no JSON object.
func readHead(update []byte) (h head, ok bool) {
	it := members(update)
	for it.next() {
		switch string(it.key) {
		case "sessionUpdate":
			h.kind = nil
			if it.value[0] == '"' {
				h.kind = it.value[1 : len(it.value)-1]
				if !plain(h.kind) {
					h.kind = appendUnquoted(nil, h.kind)
				}
			}
		case "messageId":
			h.id = it.value
		case "content":
			h.content = it.value
		case "_meta":
			h.meta = it.value
		}
	}
	return h, it.ok
}

// planUpdate replaces the plan. Before the first turn it is the state that the
// session begins with, so it is an event like the mode and the options are.
func (p *Projector) planUpdate(update json.RawMessage) []Body {
	var entries []byte
	for it := members(update); it.next(); {
		if string(it.key) == "entries" {
			entries = it.value
		}
	}
	if !isArray(entries) {
		return invalid("plan", update, "entries is no list")
	}
	p.plan = bytes.Clone(entries)
	if !p.live() && p.turns > 0 {
		return p.late("plan", update)
	}
	return []Body{Plan{Entries: p.plan}}
}

// late is the event of an update whose place is gone, or is not there yet.
func (p *Projector) late(kind string, update json.RawMessage) []Body {
	return []Body{Update{Kind: kind, Update: bytes.Clone(update), Late: p.turns > 0}}
}

// invalid are the events of an update of a known kind that cannot be read.
func invalid(kind string, update json.RawMessage, why string) []Body {
	return []Body{
		Update{Kind: kind, Update: bytes.Clone(update)},
		Warning{Code: "invalid_update", Message: fmt.Sprintf("invalid %s: %s: %s", kind, why, preview(update))},
	}
}

// previewBytes bounds what a message shows of a document.
const previewBytes = 64

// preview shortens a document for a message.
func preview(doc []byte) string {
	if len(doc) <= previewBytes {
		return string(doc)
	}
	return cut(string(doc[:min(len(doc), previewBytes+4)]), previewBytes) + "..."
}
