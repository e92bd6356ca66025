package controller

import (
	"github.com/acpctl/acpctl/controller/event"
)

// running returns the session's turn, nil without one.
func (s *Session) running() *turn {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	return s.turn
}

// turnNumber needs the stage.
func (s *Session) turnNumber() int {
	if t := s.running(); t != nil {
		return t.number
	}
	return 0
}

// touch says that the agent did something in this session.
func (s *Session) touch() {
	if t := s.running(); t != nil {
		t.idle.touch()
	}
}

// stopTurn cancels the running turn, if any.
func (s *Session) stopTurn(f *event.Failure) {
	if t := s.running(); t != nil {
		t.stop(f)
	}
}

// awaitTurn waits for the running turn to be over, if any. It is for a session
// or connection that was closed: the turn is stopped already.
func (s *Session) awaitTurn() {
	if t := s.running(); t != nil {
		<-t.over
	}
}

// stopTurns cancels every running turn.
func (c *Conn) stopTurns(f *event.Failure) {
	c.mu.Lock()
	var running []*turn
	for _, s := range c.sessions {
		if s.turn != nil {
			running = append(running, s.turn)
		}
	}
	c.mu.Unlock()
	for _, t := range running {
		t.stop(f)
	}
}
