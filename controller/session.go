package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
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

	// What follows is guarded by the connection's stage.

	proj    *event.Projector
	started bool         // session.start is emitted
	early   []event.Body // bodies that wait for it
	legacy  legacy       // modes and models of agents without config options
	cost    *event.Cost  // as last reported, of the whole session
	turns   int
	warned  bool // about kinds that may not be asked for
	over    bool // session.end is emitted

	// What follows is guarded by the connection's mu.

	turn   *turn // the running one
	told   bool  // session/close was sent or is not to be sent
	closed string
}

// NewSession opens a session. Its session.start event is held until the first
// Select or Prompt, so that it carries what was selected.
//
// What the agent did not announce (additional directories, MCP over HTTP or SSE)
// fails with class start before anything is sent.
//
// ACP: session/new.
func (c *Conn) NewSession(ctx context.Context, p SessionParams) (*Session, error) {
	params, f := c.newSessionParams(&p)
	if f != nil {
		return nil, f
	}
	c.mu.Lock()
	c.opening++
	c.mu.Unlock()
	opened := make(chan *Session, 1)
	never, f := c.call(ctx, "session/new", params, c.opts.Deadlines.NewSession, func(result json.RawMessage, err error) {
		opened <- c.opened(p, result, err)
	})
	if never {
		c.settleHeld("")
	}
	if f != nil {
		return nil, f
	}
	if s := <-opened; s != nil {
		return s, nil
	}
	return nil, failf(event.ClassProtocol, "invalid_response", "the answer to session/new has no sessionId, or one that is in use")
}

func (c *Conn) newSessionParams(p *SessionParams) (map[string]any, *event.Failure) {
	if !filepath.IsAbs(p.Cwd) {
		return nil, failf(event.ClassUsage, "relative_cwd", "the session's folder %q is not absolute", p.Cwd)
	}
	servers, f := c.wireServers(p.MCPServers)
	if f != nil {
		return nil, f
	}
	params := map[string]any{"cwd": p.Cwd, "mcpServers": servers}
	if len(p.AddDirs) > 0 {
		if !c.info.Capabilities.AdditionalDirs {
			return nil, unsupported("additional directories", "sessionCapabilities.additionalDirectories")
		}
		params["additionalDirectories"] = p.AddDirs
	}
	if meta := c.sessionMeta(p.Meta); meta != nil {
		params["_meta"] = meta
	}
	return params, nil
}

// sessionMeta adds the kinds to ask for. Only agents that announce the extension
// get them; nobody else would know what they mean.
func (c *Conn) sessionMeta(given map[string]any) map[string]any {
	if !c.info.Capabilities.Chrys || len(c.opts.AskKinds) == 0 {
		return given
	}
	meta := map[string]any{}
	for k, v := range given {
		meta[k] = v
	}
	chrys := map[string]any{"ask": c.opts.AskKinds}
	if old, ok := meta["chrys"].(map[string]any); ok {
		for k, v := range old {
			if k != "ask" {
				chrys[k] = v
			}
		}
	}
	meta["chrys"] = chrys
	return meta
}

// opened handles the answer to session/new in wire order: what came ahead of it
// is applied first, then the options it carries, then what follows on the wire.
func (c *Conn) opened(p SessionParams, result json.RawMessage, err error) *Session {
	m := members(result)
	id := jsonString(m["sessionId"])
	if err != nil || id == "" {
		c.settleHeld("")
		return nil
	}
	s := c.newSession(id, p)
	s.legacy = readLegacy(m)
	if !c.register(s) {
		c.settleHeld("")
		return nil
	}
	for _, u := range c.settleHeld(id) {
		s.apply(u)
	}
	if options, ok := m["configOptions"]; ok {
		c.stage.enter()
		s.proj.Config(options, "response") // session.start carries them
		c.stage.leave()
	}
	return s
}

// register makes the session known; false when its id is taken.
func (c *Conn) register(s *Session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending || c.sessions[s.id] != nil {
		return false
	}
	c.sessions[s.id] = s
	return true
}

func (c *Conn) newSession(id string, p SessionParams) *Session {
	s := &Session{c: c, id: id, params: p}
	env := &policy.Env{Cwd: p.Cwd, Roots: append([]string{p.Cwd}, p.AddDirs...)}
	s.proj = event.NewProjector(&event.ProjectorOptions{
		Deltas: c.opts.Deltas, Now: c.opts.Clock, Cwd: p.Cwd,
		Facts: func(tc *event.ToolCallState) (string, []string) { return facts(tc, env) },
	})
	return s
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

// Close tells the agent that the session is no longer needed, where it can be
// told, and emits session.end. It may be called more than once.
//
// ACP: session/close, where announced.
func (s *Session) Close(ctx context.Context) error {
	s.stopTurn(failf(event.ClassInternal, "session_closed", "the session was closed"))
	f := s.tellClosed(ctx)
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
	return orText(s.closed, def)
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
	if s.started {
		return
	}
	s.started = true
	offer := s.offered()
	s.c.opts.Emit(event.Event{SessionID: s.id, Body: event.SessionStart{
		Origin: "new", Cwd: s.params.Cwd, Options: offer.Raw, MCP: s.mounted(),
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

func sortSessions(list []*Session) {
	slices.SortFunc(list, func(a, b *Session) int { return cmp.Compare(a.id, b.id) })
}
