package controller

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"sync"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

// NewSession opens a session. Its session.start event is held until the first
// Select or Prompt, so that it carries what was selected.
//
// What the agent did not announce (additional directories, MCP over HTTP or SSE)
// fails with class start before anything is sent.
//
// ACP: session/new.
func (c *Conn) NewSession(ctx context.Context, p SessionParams) (*Session, error) {
	return c.create(ctx, "session/new", p, originNew, "")
}

// ForkSession opens a copy of a session that the agent has, under a new id.
//
// ACP: session/fork (unstable), where announced.
func (c *Conn) ForkSession(ctx context.Context, id string, p SessionParams) (*Session, error) {
	if !c.info.Capabilities.Fork {
		return nil, unsupported("forking sessions", "sessionCapabilities.fork")
	}
	s, err := c.create(ctx, "session/fork", p, originFork, id)
	if f := event.AsFailure(err); f != nil {
		return nil, named(f, id)
	}
	return s, nil
}

// create opens a session under an id of the agent's choice.
func (c *Conn) create(ctx context.Context, method string, p SessionParams, origin, from string) (*Session, error) {
	params, f := c.newSessionParams(&p)
	if f != nil {
		return nil, f
	}
	if from != "" {
		params["sessionId"] = from
	}
	s, f := c.tryCreate(ctx, method, p, origin, params)
	if c.loggedIn(ctx, f) {
		s, f = c.tryCreate(ctx, method, p, origin, params)
	}
	return s, asError(f)
}

// tryCreate sends the request once.
func (c *Conn) tryCreate(ctx context.Context, method string, p SessionParams, origin string, params map[string]any) (*Session, *event.Failure) {
	c.mu.Lock()
	c.opening++
	c.mu.Unlock()
	var w waiting
	never, f := c.call(ctx, method, params, c.opts.Deadlines.NewSession, func(result json.RawMessage, err error) {
		if s := c.opened(p, origin, result, err); !w.put(s) {
			s.disown()
		}
	})
	if never {
		c.settleHeld("")
	}
	s := w.take()
	switch {
	case f != nil:
		s.disown()
		return nil, f
	case s != nil:
		return s, nil
	}
	return nil, failf(event.ClassProtocol, "invalid_response", "the answer to %s has no sessionId, or one that is in use", method)
}

// waiting passes a new session to the caller that waits for it, unless that has
// gone.
type waiting struct {
	mu   sync.Mutex // guards what follows
	gone bool
	s    *Session
}

// put says whether somebody takes the session.
func (w *waiting) put(s *Session) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.s = s
	return !w.gone
}

func (w *waiting) take() *Session {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone = true
	return w.s
}

// disown makes a session that nobody has silent; the agent is told to close it
// with the others. A nil session is none.
func (s *Session) disown() {
	if s != nil {
		s.stageDo(func() { s.over = true })
	}
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
	meta := maps.Clone(given)
	if meta == nil {
		meta = map[string]any{}
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
func (c *Conn) opened(p SessionParams, origin string, result json.RawMessage, err error) *Session {
	m := members(result)
	id := jsonString(m["sessionId"])
	if err != nil || id == "" {
		c.settleHeld("")
		return nil
	}
	s := c.newSession(id, p)
	s.origin, s.legacy = origin, readLegacy(m)
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
	s := &Session{c: c, id: id, params: p.copied(), origin: originNew}
	env := &policy.Env{Cwd: p.Cwd, Roots: append([]string{p.Cwd}, p.AddDirs...)}
	s.proj = event.NewProjector(&event.ProjectorOptions{
		Deltas: c.opts.Deltas, Now: c.opts.Clock, Cwd: p.Cwd,
		Facts: func(tc *event.ToolCallState) (string, []string) { return facts(tc, env) },
	})
	return s
}
