package jsonrpc

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"sync"
)

// Conn is one connection. See the package comment for its promises.
type Conn struct {
	t    Transport
	opts Options
	out  outbox
	// stall watches the writer.
	stall stallWatch

	ctx    context.Context //nolint:containedctx // it is the life of the connection; ends when that is closed from here
	cancel context.CancelCauseFunc
	done   chan struct{}
	wg     sync.WaitGroup

	methods methodNames // of the reader
	tapMu   sync.Mutex  // one Tap at a time

	mu sync.Mutex // guards what follows
	inbound
	nextID    int64
	pending   map[ID]*pending // calls without a response
	cause     error           // why the connection ended, nil while it is up
	truncated bool
}

// NewConn starts a connection over t, which it owns. It must be closed.
func NewConn(t Transport, opts *Options) *Conn {
	c := &Conn{t: t, opts: opts.withDefaults(), done: make(chan struct{}), pending: map[ID]*pending{}}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.out.init()
	c.stall = stallWatch{timeout: c.opts.WriteTimeout, progress: c.progress, expire: func() { _ = c.stop(ErrWriteTimeout) }}
	c.prepare(&c.mu)
	c.wg.Go(c.readLoop)
	c.wg.Go(c.writeLoop)
	return c
}

// Done is closed when the transport ended and everything that was read before is
// handled, or when the connection is closed and its handlers have returned.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err says why the connection ended: io.EOF, ErrClosed, ErrWriteTimeout or the
// transport's error; nil while it is up.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

// Close ends the connection and waits for its goroutines; contexts of handlers end.
// What was read and not handled yet is dropped: wait for Done first where it
// counts. Close must not be called by a handler or a hook of the same connection.
// It may be called more than once.
func (c *Conn) Close() error {
	err := c.stop(ErrClosed)
	c.wg.Wait()
	return err
}

// CloseWrite ends the outbound direction where the transport can: for a child the
// end of its input. What is not written yet fails. Reading goes on.
func (c *Conn) CloseWrite() error {
	if h, ok := c.t.(halfCloser); ok {
		return h.CloseWrite()
	}
	return nil
}

// stop ends the connection from this side.
func (c *Conn) stop(cause error) error {
	c.mu.Lock()
	if c.cause == nil {
		c.cause = cause
	}
	lost := c.connError()
	c.stopped = true
	c.space.Broadcast()
	c.mu.Unlock()
	c.cancel(lost)
	c.out.close(lost)
	return c.t.Close()
}

func (c *Conn) lost() *ConnError {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.connError()
}

// connError needs the mutex.
func (c *Conn) connError() *ConnError {
	return &ConnError{Err: c.cause, Truncated: c.truncated}
}

// guard contains a panic of the caller's code.
func (c *Conn) guard() {
	if v := recover(); v != nil && c.opts.OnPanic != nil {
		defer func() { _ = recover() }()
		c.opts.OnPanic(v, debug.Stack())
	}
}

func (c *Conn) key(method string, params json.RawMessage) (key string) {
	if c.opts.OrderKey == nil {
		return ""
	}
	defer c.guard()
	return c.opts.OrderKey(method, params)
}

func (c *Conn) tap(dir Direction, frame []byte) {
	if c.opts.Tap == nil {
		return
	}
	c.tapMu.Lock()
	defer c.tapMu.Unlock()
	defer c.guard()
	c.opts.Tap(dir, frame)
}
