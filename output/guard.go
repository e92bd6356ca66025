package output

import (
	"errors"
	"io"
	"sync"
	"time"
)

// ErrGiveUp is the error of a write that was not done when the time that
// [Guard.Deadline] gave was over: somebody holds stdout open and does not read.
var ErrGiveUp = errors.New("the reader of the output does not read")

// Guard is a writer that a reader can hold up only until a deadline.
//
// Without a deadline a write takes as long as the reader makes it, which is the
// back-pressure that reaches the agent. The first error stays: all later writes
// fail with it. Safe for concurrent use; writes do not mix.
type Guard struct {
	work     chan []byte
	done     chan error
	patience *patience

	mu     sync.Mutex // held during a write; guards what follows
	buf    []byte     // what the writing goroutine reads
	err    error
	closed bool
}

// NewGuard returns a guard of w. It owns a goroutine until Close.
func NewGuard(w io.Writer) *Guard {
	g := &Guard{work: make(chan []byte), done: make(chan error, 1), patience: newPatience()}
	go func() {
		for p := range g.work {
			_, err := w.Write(p)
			g.done <- err
		}
	}()
	return g
}

// Write writes all of p or fails. It does not keep p.
func (g *Guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil && g.closed {
		g.err = io.ErrClosedPipe
	}
	if g.err != nil {
		return 0, g.err
	}
	for rest := p; len(rest) > 0; {
		part := rest[:min(len(rest), guardBytes)]
		if g.err = g.part(part); g.err != nil {
			return len(p) - len(rest), g.err
		}
		rest = rest[len(part):]
	}
	return len(p), nil
}

// guardBytes is how much is copied at a time: a write that is given up keeps its
// bytes, which are the caller's to reuse.
const guardBytes = 128 << 10

// part writes one copied part; it needs the mutex.
func (g *Guard) part(p []byte) error {
	g.buf = append(g.buf[:0], p...)
	g.patience.begin()
	defer g.patience.end()
	g.work <- g.buf
	select {
	case err := <-g.done:
		return err
	case <-g.patience.expired:
		return g.late()
	}
}

// late is the end of a write when the time is over: one that is done by then
// counts, whatever select saw first.
func (g *Guard) late() error {
	select {
	case err := <-g.done:
		return err
	default:
		return ErrGiveUp
	}
}

// Deadline gives the write at hand and all later ones d in all; then they fail
// with [ErrGiveUp]. The time between writes does not count. Of several deadlines
// the one that ends first counts.
func (g *Guard) Deadline(d time.Duration) { g.patience.limit(d) }

// Close ends the goroutine, unless a write that was given up still holds it, and
// returns the error that writes ended with. The writer below stays open.
func (g *Guard) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.closed = true
		close(g.work)
	}
	return g.err
}

// IsReaderGone says whether a write failed because nobody reads any more.
func IsReaderGone(err error) bool {
	if errors.Is(err, io.ErrClosedPipe) {
		return true
	}
	for _, gone := range readerGone() {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
