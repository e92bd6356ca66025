package acptest

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// Options say how a scenario is played in process; nil is legal.
type Options struct {
	// Wait passes the time of wait. The default is a timer, which passes at once
	// inside a bubble of testing/synctest.
	Wait func(ctx context.Context, d time.Duration) error
	// Stderr takes what the agent writes on standard error. The default drops it.
	Stderr io.Writer
}

// Connect plays the scenario in memory and returns the client's end. Closing it
// ends the agent. Wait returns what [Scenario.Serve] does, when the agent has
// ended.
func Connect(s *Scenario, opts *Options) (client jsonrpc.Transport, wait func() error) {
	a, b := jsonrpc.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, b, opts) }()
	return &clientEnd{Transport: a, cancel: cancel}, sync.OnceValue(func() error { return <-ended })
}

// clientEnd ends an agent that does not read any more.
type clientEnd struct {
	jsonrpc.Transport
	cancel context.CancelFunc
}

func (c *clientEnd) Close() error {
	c.cancel()
	return c.Transport.Close()
}

// Serve plays the scenario as the agent at the other end of t, until it ends, the
// client closes t, or ctx ends, and closes t. The error says what the client did
// that the scenario does not expect; an exit is none, whatever its code, nor is a
// client that went away.
func (s *Scenario) Serve(ctx context.Context, t jsonrpc.Transport, opts *Options) error {
	p := &player{s: s, w: &frames{ctx, t}, stderr: io.Discard, wait: sleep}
	if opts != nil && opts.Wait != nil {
		p.wait = opts.Wait
	}
	if opts != nil && opts.Stderr != nil {
		p.stderr = opts.Stderr
	}
	err := p.play(ctx)
	closeErr := t.Close()
	if errors.As(err, new(exitError)) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, context.Canceled) {
		return nil
	}
	return errors.Join(err, closeErr)
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
