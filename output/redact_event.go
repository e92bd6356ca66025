package output

import (
	"maps"
	"reflect"
	"slices"

	"github.com/acpctl/acpctl/controller/event"
)

// held is the open text of a session: the chunks of one message or thought, of
// which the end may be the start of a secret.
type held struct {
	last  event.Event // its last chunk, whose envelope the rest gets
	owner string      // what message it is
	rest  string      // not shown yet
}

// stderrTail is the size from which the stderr of [event.AgentEnd] is cut at its
// start.
const stderrTail = 4<<10 - 4

// Events masks one event and returns what is to be written now, in order. That is
// the event alone but for the chunks of messages and thoughts: the end of one
// waits while a secret may begin in it, so a chunk may come out shorter or not at
// all, and the rest comes with the next chunk or before the event that ends the
// message. The chunks together are the masked text. Stamp seq behind it.
//
// The event is not changed, nor what it refers to. The result is valid until the
// next call.
func (r *Redactor) Events(e event.Event) []event.Event {
	if r == nil {
		return []event.Event{e}
	}
	r.out = r.out[:0]
	if r.idle() {
		r.out = append(r.out, e)
		return r.out
	}
	if text, owner, ok := chunkOf(e.Body); ok {
		r.chunk(&e, text, owner)
		return r.out
	}
	switch e.Body.(type) {
	case event.Message, event.Thought, event.MessageDelta, event.ThoughtDelta, event.TurnEnd, event.SessionEnd:
		r.flush(e.SessionID)
	case event.AgentEnd, event.Result:
		for _, id := range slices.Sorted(maps.Keys(r.held)) {
			r.flush(id)
		}
	}
	r.out = append(r.out, r.event(e))
	return r.out
}

// chunkOf returns the text of a chunk and the message that it belongs to.
func chunkOf(b event.Body) (text, owner string, ok bool) {
	switch b := b.(type) {
	case event.MessageDelta:
		return b.Text, b.Role + " " + b.MessageID, len(b.Content) == 0
	case event.ThoughtDelta:
		return b.Text, "thought " + b.MessageID, len(b.Content) == 0
	default:
		return "", "", false
	}
}

// chunk shows what can be shown of a chunk and what was held back before it.
func (r *Redactor) chunk(e *event.Event, text, owner string) {
	h := r.held[e.SessionID]
	if h != nil && h.owner != owner {
		r.flush(e.SessionID)
		h = nil
	}
	if h == nil {
		h = &held{owner: owner}
		r.held[e.SessionID] = h
	}
	var out string
	out, h.rest = r.feed(h.rest + text)
	h.last = *e
	if out != "" || text == "" {
		r.out = append(r.out, r.withText(*e, out))
	}
}

// flush shows what is held back of a session's open message: it goes on no more.
func (r *Redactor) flush(sessionID string) {
	h := r.held[sessionID]
	if h == nil {
		return
	}
	delete(r.held, sessionID)
	if h.rest != "" {
		r.out = append(r.out, r.withText(h.last, r.text(h.rest)))
	}
}

// withText returns a chunk with another text, which is masked already.
func (r *Redactor) withText(e event.Event, text string) event.Event {
	switch b := e.Body.(type) {
	case event.MessageDelta:
		b.MessageID, b.Text = r.text(b.MessageID), text
		e.Body = b
	case event.ThoughtDelta:
		b.MessageID, b.Text = r.text(b.MessageID), text
		e.Body = b
	}
	return r.envelope(e)
}

func (r *Redactor) envelope(e event.Event) event.Event {
	e.Step, e.SessionID = r.text(e.Step), r.text(e.SessionID)
	return e
}

// event masks everything in an event that is text.
func (r *Redactor) event(e event.Event) event.Event {
	e = r.envelope(e)
	e.Body = r.cutEnds(e.Body)
	if v, changed := r.value(reflect.ValueOf(e.Body)); changed {
		e.Body, _ = reflect.TypeAssert[event.Body](v)
	}
	return e
}

// cutEnds masks the parts of secrets that are left where a text was cut.
func (r *Redactor) cutEnds(body event.Body) event.Body {
	switch b := body.(type) {
	case event.ToolStart:
		b.Output = r.cutEnd(b.Output, b.OutputCut)
		return b
	case event.ToolUpdate:
		b.Output = r.cutEnd(b.Output, b.OutputCut)
		return b
	case event.ToolEnd:
		b.Output = r.cutEnd(b.Output, b.OutputCut)
		return b
	case event.AgentEnd:
		if len(b.Stderr) >= stderrTail {
			if n := r.openStart(b.Stderr, minPart); n > 0 {
				b.Stderr = mask + b.Stderr[n:]
			}
		}
		return b
	default:
		return body
	}
}

func (r *Redactor) cutEnd(s string, wasCut bool) string {
	if !wasCut {
		return s
	}
	if n := r.openEnd(s, minPart); n > 0 {
		return s[:len(s)-n] + mask
	}
	return s
}
