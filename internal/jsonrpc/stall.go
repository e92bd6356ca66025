package jsonrpc

import (
	"sync"
	"time"
)

// stallWatch calls expire when one write makes no progress for a time.
type stallWatch struct {
	timeout  time.Duration
	progress func() int64
	expire   func()

	mu    sync.Mutex // guards what follows
	timer *time.Timer
	over  bool
	seen  int64
}

func (w *stallWatch) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = w.progress()
	w.timer = time.AfterFunc(w.timeout, w.check)
}

func (w *stallWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.timer.Stop()
}

func (w *stallWatch) check() {
	w.mu.Lock()
	now := w.progress()
	stalled := !w.over && now == w.seen
	if !w.over && !stalled {
		w.seen = now
		w.timer.Reset(w.timeout)
	}
	w.mu.Unlock()
	if stalled {
		w.expire()
	}
}
