package controller

import (
	"cmp"
	"context"
	"slices"

	"github.com/acpctl/acpctl/controller/event"
)

// SessionParams say what a new session is opened with.
type SessionParams struct {
	Cwd        string         // absolute. Required.
	AddDirs    []string       // further roots, absolute; needs the agent's capability. Optional.
	MCPServers []MCPServer    // Optional.
	Meta       map[string]any // _meta of session/new. Optional.
}

// Session is one conversation with the agent.
type Session struct {
	c      *Conn
	id     string
	params SessionParams
	origin string // how it was opened, one of the origins

	terminals terminals // that the agent had started

	// What follows is guarded by the connection's stage.

	proj    *event.Projector
	started bool         // session.start is emitted
	early   []event.Body // bodies that wait for it
	legacy  legacy       // modes and models of agents without config options
	cost    *event.Cost  // as last reported, of the whole session
	turns   int
	warned  bool // about kinds that may not be asked for
	over    bool // session.end is emitted
	// heard takes a token for each update of a replay, nil when there is none.
	heard chan struct{}

	// What follows is guarded by the connection's mu.

	turn   *turn // the running one
	told   bool  // session/close was sent or is not to be sent
	closed string
}

// ID is the agent's name for the session.
func (s *Session) ID() string { return s.id }

// Snapshot returns what the updates so far add up to. It shares nothing with the
// session.
func (s *Session) Snapshot() event.Snapshot {
	s.c.stage.enter()
	defer s.c.stage.leave()
	return s.proj.Snapshot()
}

// Current is Snapshot for those who must not show what is gone: current is false,
// and the snapshot empty, when the session was closed or its connection lost.
func (s *Session) Current() (snapshot event.Snapshot, current bool) {
	s.c.stage.enter()
	defer s.c.stage.leave()
	if s.over || s.c.rpc.Err() != nil {
		return event.Snapshot{}, false
	}
	return s.proj.Snapshot(), true
}

// Close tells the agent that the session is no longer needed, where it can be
// told, and emits session.end. It may be called more than once.
//
// ACP: session/close, where announced.
func (s *Session) Close(ctx context.Context) error {
	s.stopTurn(failf(event.ClassInternal, "session_closed", "the session was closed"))
	f := s.tellClosed(ctx)
	s.terminals.end()
	s.awaitTurn()
	s.finish(s.endReason(s.c.endWord()))
	s.c.mu.Lock()
	delete(s.c.sessions, s.id)
	s.c.mu.Unlock()
	return asError(f)
}

// tellClosed sends session/close once, to agents that announced it.
func (s *Session) tellClosed(ctx context.Context) *event.Failure {
	s.c.mu.Lock()
	told := s.told
	s.told = true
	s.c.mu.Unlock()
	if told || !s.c.info.Capabilities.CloseSession {
		return nil
	}
	_, f := s.c.call(ctx, "session/close", map[string]any{"sessionId": s.id}, s.c.opts.Deadlines.Call, nil)
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	switch {
	case f == nil:
		s.closed = "closed"
	case f.Reason == "connection_lost":
		s.closed = "lost"
	}
	return f
}

func (s *Session) endReason(def string) string {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	return cmp.Or(s.closed, def)
}

// finish emits session.end.
func (s *Session) finish(reason string) {
	s.c.stage.enter()
	defer s.c.stage.leave()
	if s.over {
		return
	}
	s.start()
	s.over = true
	s.c.opts.Emit(event.Event{SessionID: s.id, Body: event.SessionEnd{Reason: reason}})
}

func sortSessions(list []*Session) {
	slices.SortFunc(list, func(a, b *Session) int { return cmp.Compare(a.id, b.id) })
}
