package event

import (
	"bytes"
	"encoding/json"
	"strings"
)

// speaker sorts chunks: who said it, aloud or in thought.
type speaker string

const (
	agentMessage speaker = "agent"
	userMessage  speaker = "user"
	agentThought speaker = "thought"
)

// kind is the sessionUpdate of the speaker's chunks.
func (s speaker) kind() string {
	switch s {
	case agentMessage:
		return "agent_message_chunk"
	case userMessage:
		return "user_message_chunk"
	default:
		return "agent_thought_chunk"
	}
}

// messageKey names a message whose agent gives ids.
type messageKey struct {
	speaker speaker
	id      string
}

// message is one message of the snapshot. Blocks are what the events show of it:
// a message that a tool call interrupts has several.
type message struct {
	messageKey
	parts   []string          // texts of its closed blocks
	content []json.RawMessage // content blocks that are no text
	meta    []byte            // _meta of its last chunk that had one
}

// block is the open block of text. The text is kept once: the deltas show parts
// of the rope.
type block struct {
	msg   *message
	text  rope
	quiet bool // begun outside of a turn: it makes no event
}

// saidBlock is a block of the agent in the current turn.
type saidBlock struct {
	msg   *message
	text  string
	calls int // tool calls of the turn before it
}

// chunk applies a chunk of a message or thought.
func (p *Projector) chunk(by speaker, h *head, update json.RawMessage) []Body {
	c := readContent(h.content)
	if !c.ok {
		return invalid(by.kind(), update, "unreadable content")
	}
	if c.raw == nil && len(c.text) == 0 {
		p.keepMeta(by, h) // agents hang usage on empty texts
		return nil
	}
	msg, out := p.turnTo(by, h)
	if h.meta != nil {
		msg.meta = append(msg.meta[:0], h.meta...)
	}
	if c.raw != nil {
		out = append(out, p.closeBlock()...)
		msg.content = append(msg.content, c.raw)
	}
	switch {
	case !p.live():
		p.extend(msg, c.text)
		return append(out, p.late(by.kind(), update)...)
	case c.raw != nil:
		return p.showContent(out, msg, c.raw)
	}
	delta := p.extend(msg, c.text)
	if p.opts.Deltas && !p.replay {
		out = append(out, deltaOf(msg, delta, nil))
	}
	return out
}

// keepMeta notes the metadata of a chunk that says nothing.
func (p *Projector) keepMeta(by speaker, h *head) {
	if h.meta != nil && p.current != nil && p.current.speaker == by {
		p.current.meta = append(p.current.meta[:0], h.meta...)
	}
}

// turnTo finds the message that a chunk belongs to and closes the open block if
// it is another's. Without an id a chunk goes on with the message before it, if
// that is the same speaker's.
func (p *Projector) turnTo(by speaker, h *head) (*message, []Body) {
	cur := p.current
	hasID := len(h.id) > 2 && h.id[0] == '"'
	if cur != nil && cur.speaker == by && (!hasID || string(h.id[1:len(h.id)-1]) == cur.id) {
		return cur, nil
	}
	key := messageKey{speaker: by}
	if hasID {
		key.id, _ = text(h.id)
	}
	msg := p.byID[key]
	if msg == nil || !hasID {
		msg = p.newMessage(key)
	}
	if msg == cur {
		return cur, nil
	}
	out := p.closeBlock()
	p.current = msg
	return msg, out
}

func (p *Projector) newMessage(key messageKey) *message {
	msg := &message{messageKey: key}
	p.messages = append(p.messages, msg)
	if key.id != "" {
		p.byID[key] = msg
	}
	if p.replay && key.speaker == userMessage {
		p.epoch++
	}
	return msg
}

// extend appends the text of a chunk to the open block and returns it decoded;
// the result shares the block's memory.
func (p *Projector) extend(msg *message, inner []byte) string {
	if len(inner) == 0 {
		return ""
	}
	if p.block == nil {
		p.block = &block{msg: msg, quiet: !p.live()}
	}
	if !plain(inner) {
		p.scratch = appendUnquoted(p.scratch[:0], inner)
		inner = p.scratch
		if len(inner) >= ropePiece {
			p.scratch = nil // the rope's from here on
		}
	}
	return p.block.text.add(inner)
}

// showContent appends the events of a content block that is no text.
func (p *Projector) showContent(out []Body, msg *message, raw json.RawMessage) []Body {
	if p.opts.Deltas && !p.replay {
		out = append(out, deltaOf(msg, "", raw))
	}
	return append(out, p.wholeOf(msg, "", raw))
}

// closeBlock ends the open block, if any, and returns its event, if it makes one.
func (p *Projector) closeBlock() []Body {
	b := p.block
	if b == nil {
		return nil
	}
	p.block = nil
	said := b.text.join()
	if len(said) < ropePiece {
		said = strings.Clone(said) // the message is kept, the slack of its block is not
	}
	b.msg.parts = append(b.msg.parts, said)
	if b.quiet {
		return nil
	}
	if b.msg.speaker == agentMessage && p.inTurn {
		p.said = append(p.said, saidBlock{msg: b.msg, text: said, calls: len(p.turnCalls)})
	}
	return []Body{p.wholeOf(b.msg, said, nil)}
}

// interrupt ends the open block for something that is no chunk.
func (p *Projector) interrupt() []Body {
	p.current = nil
	return p.closeBlock()
}

// wholeOf is the event of a whole block.
func (p *Projector) wholeOf(msg *message, said string, content json.RawMessage) Body {
	if msg.speaker == agentThought {
		return Thought{MessageID: msg.id, Text: said, Content: content, Replay: p.replay}
	}
	return Message{Role: string(msg.speaker), MessageID: msg.id, Text: said, Content: content, Replay: p.replay}
}

// deltaOf is the event of one chunk.
func deltaOf(msg *message, said string, content json.RawMessage) Body {
	if msg.speaker == agentThought {
		return ThoughtDelta{MessageID: msg.id, Text: said, Content: content}
	}
	return MessageDelta{Role: string(msg.speaker), MessageID: msg.id, Text: said, Content: content}
}

// Discard takes messages back: the agent streamed them in an attempt that it then
// gave up. They count neither for the turn's text nor for the snapshot, and an
// open block of theirs makes no event.
func (p *Projector) Discard(messageIDs []string) {
	gone := make(map[string]bool, len(messageIDs))
	for _, id := range messageIDs {
		gone[id] = id != ""
	}
	if p.block != nil && gone[p.block.msg.id] {
		p.block = nil
	}
	if p.current != nil && gone[p.current.id] {
		p.current = nil
	}
	p.messages = without(p.messages, func(m *message) bool { return gone[m.id] })
	p.said = without(p.said, func(s saidBlock) bool { return gone[s.msg.id] })
	for _, by := range []speaker{agentMessage, userMessage, agentThought} {
		for id := range gone {
			delete(p.byID, messageKey{by, id})
		}
	}
}

// without returns the elements that are not to be dropped, in a new slice.
func without[T any](list []T, drop func(T) bool) []T {
	var rest []T
	for _, v := range list {
		if !drop(v) {
			rest = append(rest, v)
		}
	}
	return rest
}

// isArray says whether a value that was scanned is an array.
func isArray(value []byte) bool { return bytes.HasPrefix(value, []byte("[")) }
