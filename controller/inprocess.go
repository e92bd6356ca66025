package controller

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// serveEnd is how long an agent in process may take to return once its
// connection is closed, before its context ends as well. The bundled core needs
// at most 4 s.
const serveEnd = 5 * time.Second

// InProcess serves an agent in this process over in-memory frames.
type InProcess struct {
	// Name is shown in messages. Recommended.
	Name string
	// Serve answers one connection until it ends, and returns when everything it
	// owned is closed. Its context ends when the agent is killed. Required.
	Serve func(ctx context.Context, t jsonrpc.Transport) error
}

// Open starts Serve on a goroutine of its own.
func (p *InProcess) Open(context.Context) (Link, error) {
	ours, theirs := jsonrpc.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	l := &inProcessLink{transport: ours, cancel: cancel, exited: make(chan struct{})}
	go l.serve(ctx, p, theirs)
	return l, nil
}

type inProcessLink struct {
	transport jsonrpc.Transport
	cancel    context.CancelFunc
	exited    chan struct{}

	mu  sync.Mutex // guards what follows
	err error
}

func (l *inProcessLink) serve(ctx context.Context, p *InProcess, t jsonrpc.Transport) {
	defer close(l.exited)
	defer l.cancel()
	defer func() { _ = t.Close() }()
	defer func() {
		if r := recover(); r != nil {
			l.setErr(fmt.Errorf("agent %s: panic: %v", p.Name, r))
		}
	}()
	l.setErr(p.Serve(ctx, t))
}

func (l *inProcessLink) setErr(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

func (l *inProcessLink) Transport() jsonrpc.Transport { return l.transport }
func (l *inProcessLink) Command() []string            { return nil }
func (l *inProcessLink) Exited() <-chan struct{}      { return l.exited }

func (l *inProcessLink) Exit() Exit {
	select {
	case <-l.exited:
	default:
		return Exit{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return Exit{Err: l.err}
}

// Shutdown closes the connection and waits for Serve to return. A Serve that
// ignores both the end of its connection and of its context is left behind:
// there is no way to end a goroutine from outside.
func (l *inProcessLink) Shutdown(ctx context.Context) {
	_ = l.transport.Close()
	if waitFor(ctx, l.exited, serveEnd) {
		return
	}
	l.cancel()
	waitFor(context.Background(), l.exited, serveEnd)
}

func (l *inProcessLink) Kill() {
	l.cancel()
	_ = l.transport.Close()
}

// waitFor waits until done is closed, at most d and only while ctx lives.
func waitFor(ctx context.Context, done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	return false
}
