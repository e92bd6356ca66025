package mcp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpctl/acpctl/agentcore/tool"
)

// Bounds of reaching a lost server again: the wait doubles from the first to the
// last, and after so many attempts in a row it is left alone until a call asks
// for it.
const (
	firstBackoff = 250 * time.Millisecond
	lastBackoff  = 30 * time.Second
	maxAttempts  = 10
)

// link is one server over all of its lives.
type link struct {
	server *Server
	opts   *Options
	wanted chan struct{}  // a call found the server lost
	calls  sync.WaitGroup // under way
	end    <-chan struct{}

	mu     sync.Mutex
	conn   *conn       // nil while lost; guarded by mu, as is all below
	tools  []tool.Tool // of the last life
	reason string      // why it is lost
	proven bool        // a call has succeeded in this life
}

// open connects for the first time.
func (l *link) open(ctx context.Context) error {
	c, err := l.connect(ctx)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = c
	return nil
}

// connect makes one life and takes over its tools. The error is a [*ConnectError].
func (l *link) connect(ctx context.Context) (*conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.opts.Timeout, errConnectTimeout)
	defer cancel()
	c, err := dial(ctx, l.server, l.opts)
	if err != nil {
		return nil, err
	}
	if err := l.list(ctx, c); err != nil {
		return nil, c.fail(ctx, l.server, err)
	}
	return c, nil
}

// list takes over the tools that the server has now.
func (l *link) list(ctx context.Context, c *conn) error {
	found, err := c.tools(ctx)
	if err != nil {
		return err
	}
	tools := l.named(found)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tools = tools
	return nil
}

// keep looks after the server until ctx ends, and ends it then.
func (l *link) keep(ctx context.Context) {
	attempts := 0
	for c := l.current(); c != nil; c = l.again(ctx, &attempts) {
		l.attend(ctx, c)
		l.lose("the connection is lost") // before it is taken down, so that no further call goes there
		if ctx.Err() == nil {
			l.lose(c.loss())
		}
		c.close()
		if l.wasProven() {
			attempts = 0
		}
	}
}

// attend returns when the connection is lost or ctx ends.
func (l *link) attend(ctx context.Context, c *conn) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.lost:
			return
		case <-c.changed:
			l.relist(ctx, c)
		}
	}
}

func (l *link) relist(ctx context.Context, c *conn) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.opts.Timeout, errConnectTimeout)
	defer cancel()
	if err := l.list(ctx, c); err != nil {
		l.opts.Logf("MCP server %q: %v", l.server.Name, err)
	}
}

// again reaches a lost server; nil means that ctx ended.
func (l *link) again(ctx context.Context, attempts *int) *conn {
	for ctx.Err() == nil {
		if !l.pause(ctx, *attempts) {
			return nil
		}
		*attempts++
		c, err := l.connect(ctx)
		if err == nil {
			l.regain(c)
			return c
		}
		l.lose(err.Error())
	}
	return nil
}

// pause waits before an attempt; false means that ctx ended.
func (l *link) pause(ctx context.Context, attempts int) bool {
	if attempts >= maxAttempts {
		select {
		case <-ctx.Done():
			return false
		case <-l.wanted:
			return true
		}
	}
	timer := time.NewTimer(min(firstBackoff<<attempts, lastBackoff))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// call runs one tool. A server that takes no more input must not hold the turn:
// when ctx or the mount ends, the call is left to end with the server.
func (l *link) call(ctx context.Context, name string, args json.RawMessage) tool.Result {
	c, reason := l.alive()
	if c == nil {
		return tool.Errorf("MCP server %q is not connected: %s; it is being reached again, try later", l.server.Name, reason)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var result *sdk.CallToolResult
	var err error
	answered := make(chan struct{})
	l.calls.Go(func() {
		defer close(answered)
		result, err = c.call(ctx, name, args)
	})
	select {
	case <-ctx.Done():
		return tool.Errorf("cancelled")
	case <-l.end:
		return tool.Errorf("MCP server %q: the session is closing", l.server.Name)
	case <-answered:
		return l.outcome(c, result, err)
	}
}

// outcome makes a result of what a call gave.
func (l *link) outcome(c *conn, result *sdk.CallToolResult, err error) tool.Result {
	if err == nil {
		l.prove(c)
		return convert(result)
	}
	if isHangup(err) {
		return tool.Errorf("MCP server %q: %s", l.server.Name, c.loss())
	}
	return tool.Errorf("MCP server %q: %v", l.server.Name, err)
}

// alive returns the connection, or why there is none.
func (l *link) alive() (*conn, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil {
		select {
		case l.wanted <- struct{}{}:
		default: // one is waiting already
		}
	}
	return l.conn, l.reason
}

func (l *link) current() *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn
}

func (l *link) regain(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn, l.reason, l.proven = c, "", false
}

func (l *link) lose(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn, l.reason = nil, reason
}

func (l *link) prove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.proven = l.proven || l.conn == c
}

func (l *link) wasProven() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.proven
}

func (l *link) status() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Status{Name: l.server.Name, Connected: l.conn != nil, Err: l.reason}
	for _, t := range l.tools {
		s.Tools = append(s.Tools, t.Spec().Name)
	}
	return s
}
