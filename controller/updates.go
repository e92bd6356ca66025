package controller

import (
	"encoding/json"
	"fmt"
)

// Bounds of what is held back for sessions whose session/new is not answered
// yet. Agents send their commands ahead of the answer, over 0.5 MiB at times.
const (
	holdCount = 1024
	holdBytes = 4 << 20
)

// holding keeps updates in wire order until their session is known.
type holding struct {
	updates []heldUpdate
	bytes   int
	dropped int
}

type heldUpdate struct {
	session string
	update  json.RawMessage
}

// add keeps a copy of nothing: the frame is the owner's already. It is dropped
// when the bounds are reached.
func (h *holding) add(u heldUpdate) {
	if len(h.updates) >= holdCount || h.bytes+len(u.update) > holdBytes {
		h.dropped++
		return
	}
	h.updates = append(h.updates, u)
	h.bytes += len(u.update)
}

// take returns the updates of one session and keeps the rest.
func (h *holding) take(session string) []json.RawMessage {
	var mine []json.RawMessage
	rest := holding{dropped: h.dropped}
	for _, u := range h.updates {
		if u.session == session {
			mine = append(mine, u.update)
			continue
		}
		rest.add(u)
	}
	*h = rest
	return mine
}

// update applies one session/update.
//
// ACP: session/update.
func (c *Conn) update(params json.RawMessage) {
	id, update := splitUpdate(params)
	if update == nil {
		c.warnNoise("invalid_update", "session/update without sessionId or update: "+preview(params))
		return
	}
	c.mu.Lock()
	s := c.sessions[string(id)]
	hold := s == nil && c.opening > 0
	if hold {
		c.held.add(heldUpdate{string(id), update})
	}
	c.mu.Unlock()
	switch {
	case s != nil:
		s.apply(update)
	case !hold:
		c.warnNoise("unknown_session", fmt.Sprintf("update for the unknown session %q: %s", id, preview(update)))
	}
}

// apply shows what an update makes.
func (s *Session) apply(update json.RawMessage) {
	s.received(func() {
		s.replayed()
		s.showAll(s.proj.Update(update))
	})
}

// received does the work for something that the agent sent in this session, with
// the stage held. The agent's silence begins behind it: what we take is not the
// agent's.
func (s *Session) received(work func()) {
	s.c.stage.enter()
	defer s.c.stage.leave()
	defer s.touch()
	work()
}

// discard takes back messages of a streamed attempt that failed.
func (c *Conn) discard(params json.RawMessage) {
	m := members(params)
	s, _ := c.lookup(jsonString(m["sessionId"]))
	if s == nil {
		return
	}
	c.stage.enter()
	defer c.stage.leave()
	s.proj.Discard(stringList(m["messageIds"]))
}

// settleHeld ends one opening session: it returns the updates held for id, and
// reports what is left when no other session can still claim it.
func (c *Conn) settleHeld(id string) []json.RawMessage {
	c.mu.Lock()
	mine := c.held.take(id)
	c.opening--
	var orphans holding
	if c.opening == 0 {
		orphans, c.held = c.held, holding{}
	}
	c.mu.Unlock()
	for _, u := range orphans.updates {
		c.warnNoise("unknown_session", fmt.Sprintf("update for the unknown session %q: %s", u.session, preview(u.update)))
	}
	if orphans.dropped > 0 {
		c.warn("updates_dropped", fmt.Sprintf("%d updates before the answer to session/new were dropped", orphans.dropped))
	}
	return mine
}
