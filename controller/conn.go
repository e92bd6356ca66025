package controller

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// Conn is one connection to one agent. Requests and updates that belong to
// another connection never reach it: each Conn is its own generation.
type Conn struct {
	opts  Options
	link  Link
	rpc   *jsonrpc.Conn
	stage stage
	info  agentInfo // set by initialize, constant afterwards

	closing sync.Once

	callbacks callbacks
	consents  consents

	mu sync.Mutex // guards what follows
	// ending: no session or turn begins any more.
	ending bool
	// closed: what is still handled is stale.
	closed   bool
	sessions map[string]*Session
	owners   map[jsonrpc.ID]*owner // requests of the agent that are not answered yet
	opening  int                   // session/new calls without a response
	held     holding
	// triedAuth: a login was tried.
	triedAuth bool
	noise     int // warnings about lines and updates that belong nowhere
}

// Connect opens the agent and negotiates. It emits agent.start. When it fails,
// nothing of the agent is left.
//
// Errors are of class start, auth for an agent that wants a login first, or what
// ended ctx.
//
// ACP: initialize.
func Connect(ctx context.Context, agent Agent, opts *Options) (*Conn, error) {
	o := opts.copied()
	if f := o.check(); f != nil {
		return nil, f
	}
	if ctx.Err() != nil {
		return nil, causeFailure(context.Cause(ctx))
	}
	link, err := agent.Open(ctx)
	if err != nil {
		return nil, event.AsFailure(err)
	}
	c := newConn(link, o)
	if f := c.initialize(ctx); f != nil {
		c.abandon(ctx, f)
		return nil, f
	}
	c.emit(c.info.started(link))
	return c, nil
}

func newConn(link Link, o Options) *Conn {
	c := &Conn{
		opts: o, link: link, stage: newStage(),
		sessions: map[string]*Session{}, owners: map[jsonrpc.ID]*owner{},
	}
	c.contain()
	o = c.opts
	rpc := &jsonrpc.Options{Handler: inbound{c}, OnJunk: c.junk, OnPanic: c.panicked}
	if tap := o.Tap; tap != nil {
		rpc.Tap = func(dir jsonrpc.Direction, frame []byte) { tap(string(dir), frame) }
	}
	c.rpc = jsonrpc.NewConn(link.Transport(), rpc)
	return c
}

// Capabilities returns what the agent announced.
func (c *Conn) Capabilities() Capabilities { return c.info.Capabilities }

// Close closes the sessions, ends the agent and emits agent.end. It may be called
// more than once, also while turns run: they end as lost. It takes at most the
// time of the shutdown ladder plus 5 s, and hurries when ctx ends.
//
// ACP: session/close, where announced.
func (c *Conn) Close(ctx context.Context) error {
	c.closing.Do(func() { c.shutdown(ctx) })
	return nil
}

// Kill ends the agent at once, without a word to anybody; Close is still needed.
// It never blocks.
func (c *Conn) Kill() {
	c.link.Kill()
	if !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		s.terminals.kill()
	}
}

// shutdown is the body of Close.
func (c *Conn) shutdown(ctx context.Context) {
	sessions, word := c.takeSessions(), c.endWord()
	c.closeSessions(ctx, sessions)
	for _, s := range sessions {
		s.terminals.end()
	}
	c.disconnect(ctx)
	for _, s := range sessions {
		s.awaitTurn()
		s.finish(s.endReason(word))
	}
	exit := c.link.Exit()
	end := event.AgentEnd{ExitCode: exit.Code, Signal: exit.Signal}
	if exit.failed() {
		end.Stderr = exit.Stderr
	}
	if closed, ok := errors.AsType[*jsonrpc.CloseError](exit.Err); ok {
		end.CloseCode, end.CloseReason = closed.Code, closed.Reason
	}
	c.emit(end)
}

// endWord is the reason of session.end for a session that the agent was not told
// to close.
func (c *Conn) endWord() string {
	if c.rpc.Err() != nil {
		return "lost"
	}
	return "disconnected"
}

// abandon drops a connection that was never established.
func (c *Conn) abandon(ctx context.Context, f *event.Failure) {
	if f.Reason == "no_answer" || ctx.Err() != nil {
		c.link.Kill()
	}
	c.disconnect(ctx)
}

// disconnect ends the agent and everything that waits for it. What the agent says
// meanwhile still counts.
func (c *Conn) disconnect(ctx context.Context) {
	c.consents.clear()
	_ = c.rpc.CloseWrite()
	c.link.Shutdown(ctx)
	_ = c.rpc.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// takeSessions ends the opening of sessions and turns, and returns the sessions.
func (c *Conn) takeSessions() []*Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
	var list []*Session
	for _, s := range c.sessions {
		list = append(list, s)
	}
	sortSessions(list)
	return list
}

// closeTime bounds session/close at the end of a connection: the agent is about
// to be ended anyway.
const closeTime = 5 * time.Second

// closeSessions tells the agent about every session that is still open, all at
// once.
func (c *Conn) closeSessions(ctx context.Context, sessions []*Session) {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	var wg sync.WaitGroup
	for _, s := range sessions {
		s.stopTurn(failf(event.ClassInternal, "connection_closed", "the connection was closed"))
		wg.Go(func() { _ = s.tellClosed(ctx) })
	}
	wg.Wait()
}

// call sends one request that is not a turn and waits at most limit. onResponse,
// if given, runs in wire order with the response, also when that comes too late;
// never says that it will not run.
func (c *Conn) call(ctx context.Context, method string, params any, limit time.Duration, onResponse func(json.RawMessage, error)) (never bool, f *event.Failure) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, noAnswer(event.ClassProtocol, method, limit))
	defer cancel()
	_, err := c.rpc.Call(ctx, method, params, &jsonrpc.CallOptions{OnResponse: onResponse, CancelOnDone: true})
	var sending *jsonrpc.SendError
	never = errors.As(err, &sending) && sending.State == jsonrpc.NeverStarted
	return never, c.callFailure(method, err)
}

// emit sends an event that belongs to no session.
func (c *Conn) emit(b event.Body) {
	c.stage.enter()
	defer c.stage.leave()
	c.opts.Emit(event.Event{Body: b})
}

// warn emits a warning event.
func (c *Conn) warn(code, message string) {
	c.emit(event.Warning{Code: code, Message: message})
}

// lookup returns an open session, nil for an unknown one. current is false when
// the connection is closed and what was read is stale.
func (c *Conn) lookup(id string) (s *Session, current bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id], !c.closed
}
