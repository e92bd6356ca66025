package agentcore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/acpctl/acpctl/agentcore/tool"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// closeBound is how long a connection may take to close what it owns.
const closeBound = 4 * time.Second

// errClosed is the cause when the whole core is closed.
var errClosed = errors.New("the agent core is closed")

// Core is the agent. It is safe for concurrent use and may serve any number of
// connections.
type Core struct {
	opts    Options
	builtin []tool.Tool
	closed  chan struct{}
	close   func()
	serving sync.WaitGroup

	mu   sync.Mutex // guards what follows
	over bool
}

// New returns an agent. The error is about options that are missing.
func New(opts *Options) (*Core, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if more, ok := o.Models.With(o.DefaultModel); ok {
		o.Models = more
	}
	c := &Core{opts: o, builtin: tool.Builtin(), closed: make(chan struct{})}
	c.close = sync.OnceFunc(func() { close(c.closed) })
	return c, nil
}

// Serve answers one connection over t, which it owns. It returns when the connection
// has ended and everything that belonged to it is closed, at most 4 s later; what
// could not be closed by then is the error. The end of the client's stream is no
// error, nor is a client that cannot be written to. When ctx ends, or the core is closed, the connection is closed.
func (c *Core) Serve(ctx context.Context, t jsonrpc.Transport) error {
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return errors.Join(errClosed, t.Close())
	}
	c.serving.Add(1)
	c.mu.Unlock()
	defer c.serving.Done()
	return newConn(ctx, c, t).serve(ctx)
}

// Close ends all connections and returns when what they owned is closed. It may be
// called more than once.
func (c *Core) Close() error {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.close()
	c.serving.Wait()
	return nil
}

// guarded runs f and makes an error of its panic, so that one bad turn does not take
// the other sessions with it.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal error: %v", v)
		}
	}()
	return f()
}
