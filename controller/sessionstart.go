package controller

import (
	"github.com/acpctl/acpctl/controller/event"
)

// earlyLimit bounds what waits for session.start: an agent that keeps talking
// gets it emitted without the selections.
const earlyLimit = 64

// show emits one body of this session. The stage must be held.
func (s *Session) show(b event.Body) {
	s.note(b)
	switch {
	case s.over:
	case s.started:
		s.c.opts.Emit(event.Event{SessionID: s.id, Turn: s.turnNumber(), Body: b})
		if _, ok := b.(event.ToolStart); ok {
			s.countCall()
		}
	default:
		if s.early = append(s.early, b); len(s.early) > earlyLimit {
			s.start()
		}
	}
}

// note keeps what the session itself needs to know.
func (s *Session) note(b event.Body) {
	switch b := b.(type) {
	case event.Mode:
		s.legacy.mode = b.ModeID
	case event.ContextUsage:
		if b.Cost != nil {
			s.cost = b.Cost
		}
	}
}

// start emits session.start and what waited for it, once. The stage must be
// held.
func (s *Session) start() {
	if s.started || s.over {
		return
	}
	s.started = true
	offer := s.offered()
	s.c.opts.Emit(event.Event{SessionID: s.id, Body: event.SessionStart{
		Origin: s.origin, Cwd: s.params.Cwd, Options: offer.Raw, MCP: s.mounted(),
		Model: offer.current(Model), Effort: offer.current(Effort), Mode: offer.current(Mode),
	}})
	for _, b := range s.early {
		s.c.opts.Emit(event.Event{SessionID: s.id, Body: b})
	}
	s.early = nil
}

// mounted lists the servers of agents of which we know that a session opens only
// when all of them are mounted. Of others nothing is known.
func (s *Session) mounted() []event.MCPServer {
	if !s.c.info.Capabilities.Chrys {
		return nil
	}
	var list []event.MCPServer
	for _, m := range s.params.MCPServers {
		list = append(list, event.MCPServer{Name: m.Name, Status: "mounted"})
	}
	return list
}
