package agentcore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// conn is one connection with the sessions that it has open.
type conn struct {
	core *Core
	rpc  *jsonrpc.Conn
	// ctx is the life of the connection: it ends after the sessions are closed, so
	// that they can still say how they ended.
	ctx    context.Context //nolint:containedctx // see above
	cancel context.CancelFunc
	jobs   sync.WaitGroup // detached requests and turns
	failed chan error     // the first failed write

	initialized atomic.Bool
	client      client // set before initialized

	mu       sync.Mutex // guards what follows
	sessions map[string]*session
	ending   bool
}

func newConn(ctx context.Context, core *Core, t jsonrpc.Transport) *conn {
	c := &conn{core: core, failed: make(chan error, 1), sessions: map[string]*session{}}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	started := make(chan struct{})
	c.rpc = jsonrpc.NewConn(t, &jsonrpc.Options{
		Handler: &handler{conn: c, started: started}, OrderKey: c.orderKey, ReplyParseError: true,
		OnPanic: func(v any, stack []byte) { core.opts.Logf("panic: %v\n%s", v, stack) },
	})
	close(started)
	return c
}

// serve waits for the end and closes what is open. A client that does not read any
// more has left; that is as good an end as closing its side.
func (c *conn) serve(ctx context.Context) error {
	select {
	case <-c.rpc.Done():
	case <-ctx.Done():
	case <-c.core.closed:
	case err := <-c.failed:
		c.core.opts.Logf("the connection cannot be written to: %v", err)
	}
	return c.end()
}

// end closes all sessions at the same time and then the connection.
func (c *conn) end() error {
	bound, stop := context.WithTimeout(context.WithoutCancel(c.ctx), closeBound)
	defer stop()
	c.mu.Lock()
	c.ending = true
	for _, s := range c.sessions {
		c.jobs.Go(func() { c.shut(s) })
	}
	c.mu.Unlock()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		c.jobs.Wait()
	}()
	// A client that does not read would hold up the last updates of a turn, so
	// writing ends before the bound does.
	writes := time.NewTimer(closeBound / 2)
	defer writes.Stop()
	select {
	case <-closed:
	case <-writes.C:
	}
	_ = c.rpc.Close()
	c.cancel()
	select {
	case <-closed:
		return nil
	case <-bound.Done():
		return errors.New("sessions were not closed in time")
	}
}

// shut closes a session because the connection ends.
func (c *conn) shut(s *session) {
	if err := s.close(); err != nil {
		c.core.opts.Logf("closing session %s: %v", s.id, err)
	}
}

// lost is told the error of a write. The connection ends for it unless the write was
// not wanted any more.
func (c *conn) lost(err error) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, jsonrpc.ErrAnswered) {
		return
	}
	select {
	case c.failed <- err:
	default:
	}
}

// add makes a session active. It fails when the connection is ending.
func (c *conn) add(s *session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		return false
	}
	c.sessions[s.id] = s
	return true
}

func (c *conn) remove(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[s.id] == s {
		delete(c.sessions, s.id)
	}
}

func (c *conn) session(id string) *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// detach runs f beside the handler, unless the connection is ending.
func (c *conn) detach(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		return false
	}
	c.jobs.Go(f)
	return true
}
