package controller

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// testAgent is an agent behind a transport that misbehaves; serve may be nil.
type testAgent struct {
	serve func(tr jsonrpc.Transport)
	wrap  func(jsonrpc.Transport) jsonrpc.Transport
}

func (a *testAgent) Open(context.Context) (Link, error) {
	ours, theirs := jsonrpc.Pipe()
	l := &testLink{transport: a.wrap(ours), exited: make(chan struct{})}
	go func() {
		defer close(l.exited)
		defer func() { _ = theirs.Close() }()
		if a.serve != nil {
			a.serve(theirs)
			return
		}
		for {
			if _, err := theirs.ReadFrame(); err != nil {
				return
			}
		}
	}()
	return l, nil
}

type testLink struct {
	transport jsonrpc.Transport
	exited    chan struct{}
}

func (l *testLink) Transport() jsonrpc.Transport { return l.transport }
func (l *testLink) Command() []string            { return nil }
func (l *testLink) Exited() <-chan struct{}      { return l.exited }
func (l *testLink) Exit() Exit                   { return Exit{} }
func (l *testLink) Kill()                        { _ = l.transport.Close() }
func (l *testLink) Shutdown(context.Context) {
	l.Kill()
	<-l.exited
}

// deafTransport never finishes a write, whatever its context says, until it is
// closed.
type deafTransport struct {
	jsonrpc.Transport
	once   sync.Once
	closed chan struct{}
}

func (d *deafTransport) WriteFrame(context.Context, []byte) error {
	<-d.closed
	return errors.New("closed")
}

func (d *deafTransport) Close() error {
	d.once.Do(func() { close(d.closed) })
	return d.Transport.Close()
}

// flakyTransport fails as many writes as it is told to.
type flakyTransport struct {
	jsonrpc.Transport
	failures atomic.Int32
}

var errFlaky = errors.New("the write failed")

func (f *flakyTransport) WriteFrame(ctx context.Context, frame []byte) error {
	if f.failures.Add(-1) >= 0 {
		return errFlaky
	}
	return f.Transport.WriteFrame(ctx, frame)
}

// gateTransport holds writes back until the gate is opened.
type gateTransport struct {
	jsonrpc.Transport
	gate atomic.Pointer[chan struct{}]
}

func (g *gateTransport) WriteFrame(ctx context.Context, frame []byte) error {
	if gate := g.gate.Load(); gate != nil {
		<-*gate
	}
	return g.Transport.WriteFrame(ctx, frame)
}
