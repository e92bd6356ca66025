package jsonrpc

import (
	"context"
	"io"
	"sync"
)

// What one direction of a [Pipe] holds before its writer waits.
const (
	pipeFrames = 64
	pipeBytes  = 1 << 20
)

// Pipe returns the two ends of a connection in memory. Frames pass as they are,
// without a copy. A direction holds 64 frames or 1 MiB, and one frame of any size.
// When one end is closed the other one still reads what was written before, then
// io.EOF; its writes fail with io.ErrClosedPipe.
func Pipe() (a, b Transport) {
	there, back := newLane(), newLane()
	return &pipeEnd{in: back, out: there}, &pipeEnd{in: there, out: back}
}

// pipeEnd is one end of a Pipe.
type pipeEnd struct{ in, out *lane }

func (p *pipeEnd) ReadFrame() ([]byte, error)                         { return p.in.take() }
func (p *pipeEnd) WriteFrame(ctx context.Context, frame []byte) error { return p.out.put(ctx, frame) }

func (p *pipeEnd) Close() error {
	p.in.abandon()
	return p.CloseWrite()
}

// CloseWrite makes the other end read io.EOF.
func (p *pipeEnd) CloseWrite() error {
	p.out.finish()
	return nil
}

// lane is one direction of a Pipe.
type lane struct {
	mu      sync.Mutex
	changed sync.Cond
	// mu guards what follows.
	frames    fifo[[]byte]
	bytes     int
	finished  bool // by the writing end
	abandoned bool // by the reading end
}

func newLane() *lane {
	l := &lane{}
	l.changed.L = &l.mu
	return l
}

func (l *lane) put(ctx context.Context, frame []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ready(len(frame)) {
		defer context.AfterFunc(ctx, l.wake)()
	}
	for !l.ready(len(frame)) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		l.changed.Wait()
	}
	if l.finished || l.abandoned {
		return io.ErrClosedPipe
	}
	l.frames.push(frame)
	l.bytes += len(frame)
	l.changed.Broadcast()
	return nil
}

// ready says whether a frame of n bytes may be put, or never can be.
func (l *lane) ready(n int) bool {
	return l.finished || l.abandoned || l.frames.len() == 0 ||
		l.frames.len() < pipeFrames && l.bytes+n <= pipeBytes
}

func (l *lane) take() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.frames.len() == 0 && !l.finished && !l.abandoned {
		l.changed.Wait()
	}
	switch {
	case l.abandoned:
		return nil, ErrClosed
	case l.frames.len() == 0:
		return nil, io.EOF
	}
	frame := l.frames.pop()
	l.bytes -= len(frame)
	l.changed.Broadcast()
	return frame, nil
}

func (l *lane) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed.Broadcast()
}

func (l *lane) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished = true
	l.changed.Broadcast()
}

func (l *lane) abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.abandoned = true
	l.frames, l.bytes = fifo[[]byte]{}, 0
	l.changed.Broadcast()
}
