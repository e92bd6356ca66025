package controller

import (
	"context"
	"encoding/json"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// Bounds of a replay that the agent sends behind its answer, which no mark ends:
// it is over when nothing came for quietTime, and at the latest after quietMost.
const (
	quietTime = 500 * time.Millisecond
	quietMost = 30 * time.Second
)

// Origins of a session, as session.start names them.
const (
	originNew    = "new"
	originLoad   = "load"
	originResume = "resume"
	originFork   = "fork"
)

// LoadSession opens a session that the agent has, with its history: what the
// agent sends again becomes events that are marked as replay, and builds a fresh
// snapshot. It returns when the replay is over, also for an agent that answers
// first and replays then.
//
// A session that is open here or on its way is refused with class session, and so
// is one that the agent does not know. An agent that did not announce
// loadSession is refused before anything is sent.
//
// ACP: session/load.
func (c *Conn) LoadSession(ctx context.Context, id string, p SessionParams) (*Session, error) {
	if !c.info.Capabilities.LoadSession {
		return nil, unsupported("loading sessions", "loadSession")
	}
	return c.reopen(ctx, id, p, originLoad)
}

// ResumeSession opens a session that the agent has, without its history. An agent
// that can only load is asked for that, and its replay marked.
//
// ACP: session/resume, else session/load.
func (c *Conn) ResumeSession(ctx context.Context, id string, p SessionParams) (*Session, error) {
	switch {
	case c.info.Capabilities.Resume:
		return c.reopen(ctx, id, p, originResume)
	case c.info.Capabilities.LoadSession:
		return c.reopen(ctx, id, p, originLoad)
	default:
		return nil, unsupported("resuming sessions", "sessionCapabilities.resume or loadSession")
	}
}

func (c *Conn) reopen(ctx context.Context, id string, p SessionParams, origin string) (*Session, error) {
	params, f := c.newSessionParams(&p)
	if f != nil {
		return nil, f
	}
	if id == "" {
		return nil, failf(event.ClassUsage, "no_session_id", "no session id was given")
	}
	params["sessionId"] = id
	s, f := c.tryReopen(ctx, id, p, origin, params)
	if c.loggedIn(ctx, f) {
		s, f = c.tryReopen(ctx, id, p, origin, params)
	}
	if f != nil {
		return nil, named(f, id)
	}
	s.awaitReplay(ctx)
	return s, nil
}

// tryReopen sends the request once. The session is known before that, since the
// replay may come ahead of the answer; a caller that gives up leaves its claim to
// the answer, or to the end of the connection.
func (c *Conn) tryReopen(ctx context.Context, id string, p SessionParams, origin string, params map[string]any) (*Session, *event.Failure) {
	s := c.newSession(id, p)
	s.origin = origin
	if origin == originLoad {
		s.heard = make(chan struct{}, 1)
		s.proj.SetReplay(true)
	}
	if !c.register(s) {
		return nil, failf(event.ClassSession, "session_in_use", "session %q is open, or being opened, on this connection", id)
	}
	var w waiting
	never, f := c.call(ctx, "session/"+origin, params, c.opts.Deadlines.NewSession, func(result json.RawMessage, err error) {
		if err != nil {
			s.drop()
			return
		}
		s.reopened(result)
		if !w.put(s) {
			s.drop()
		}
	})
	if never {
		s.drop()
	}
	got := w.take()
	if f != nil {
		if got != nil {
			got.drop()
		}
		return nil, f
	}
	return got, nil
}

// reopened handles the answer in wire order. Agents that replayed before it are
// done with that.
func (s *Session) reopened(result json.RawMessage) {
	m := members(result)
	s.legacy = readLegacy(m)
	s.c.stage.enter()
	defer s.c.stage.leave()
	if options, ok := m["configOptions"]; ok {
		s.proj.Config(options, "response") // session.start carries them
	}
	if s.heard != nil && s.proj.Replayed() {
		s.endReplay()
	}
}

// endReplay needs the stage.
func (s *Session) endReplay() {
	if s.heard == nil {
		return
	}
	s.heard = nil
	s.showAll(s.proj.SetReplay(false))
}

// awaitReplay waits for the end of a replay that comes behind the answer.
func (s *Session) awaitReplay(ctx context.Context) {
	var heard chan struct{}
	s.stageDo(func() { heard = s.heard })
	if heard == nil {
		return
	}
	most := time.NewTimer(quietMost)
	defer most.Stop()
	for quiet := false; !quiet; {
		timer := time.NewTimer(quietTime)
		select {
		case <-heard:
		case <-timer.C:
			quiet = true
		case <-most.C:
			quiet = true
		case <-s.c.rpc.Done():
			quiet = true
		case <-ctx.Done():
			quiet = true
		}
		timer.Stop()
	}
	s.stageDo(s.endReplay)
}

// replayed tells awaitReplay that something came. The stage must be held.
func (s *Session) replayed() {
	if s.heard == nil {
		return
	}
	select {
	case s.heard <- struct{}{}:
	default:
	}
}

// drop takes back a session that was not opened after all.
func (s *Session) drop() {
	s.c.mu.Lock()
	if s.c.sessions[s.id] == s {
		delete(s.c.sessions, s.id)
	}
	s.c.mu.Unlock()
	s.stageDo(func() {
		if s.started && !s.over { // a long replay had begun to show
			s.c.opts.Emit(event.Event{SessionID: s.id, Body: event.SessionEnd{Reason: "failed"}})
		}
		s.over = true
	})
}

// named puts the session's id into a failure about it, which agents often leave
// out.
func named(f *event.Failure, id string) *event.Failure {
	if f.Class == event.ClassSession && f.Reason == "session_not_found" {
		f.Message = "session " + id + " was not found: " + f.Message
		f.Hints = append(f.Hints, "acpctl sessions list shows the sessions of an agent that can list them")
	}
	return f
}
