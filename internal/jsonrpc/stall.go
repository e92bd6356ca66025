package jsonrpc

import (
	"sync"
	"time"
)

// stallWatch calls expire when a write makes no progress for a time. It watches one
// write at a time.
type stallWatch struct {
	timeout  time.Duration
	progress func() int64
	expire   func()

	mu     sync.Mutex // guards what follows
	timer  *time.Timer
	active bool
	seen   int64
	stale  int // checks that were under way when their write ended
}

func (w *stallWatch) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active, w.seen = true, w.progress()
	if w.timer == nil {
		w.timer = time.AfterFunc(w.timeout, w.check)
	} else {
		w.timer.Reset(w.timeout)
	}
}

func (w *stallWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = false
	if !w.timer.Stop() {
		w.stale++
	}
}

func (w *stallWatch) check() {
	if w.stalled() {
		w.expire()
	}
}

// stalled goes on watching when the answer is no.
func (w *stallWatch) stalled() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stale > 0 {
		w.stale--
		return false
	}
	if !w.active {
		return false
	}
	if now := w.progress(); now != w.seen {
		w.seen = now
		w.timer.Reset(w.timeout)
		return false
	}
	return true
}
