package output

import (
	"io"
	"sync"
)

// batchBytes is how much a [Batch] holds before its writers wait: enough that a
// flood of small lines costs few writes, little enough that a reader which stops
// stops the agent soon.
const batchBytes = 64 << 10

// Batch is a writer that joins what comes while the write before it is still
// under way. Nothing is held back: as soon as the writer below is free, it gets
// what there is. Writes do not mix and stay whole; an error of the writer below
// comes out of the next call and stays. Safe for concurrent use.
type Batch struct {
	w    io.Writer
	done chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex // guards what follows
	changed sync.Cond
	buf     []byte
	busy    bool // a write is under way
	closed  bool
	err     error
}

// NewBatch returns a batch over w. It owns a goroutine until Close.
func NewBatch(w io.Writer) *Batch {
	b := &Batch{w: w, done: make(chan struct{})}
	b.changed.L = &b.mu
	go b.run()
	return b
}

// Write takes p over; it waits while too much is held.
func (b *Batch) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for (len(b.buf) >= batchBytes || b.busy && len(p) >= batchBytes) && b.err == nil && !b.closed {
		b.changed.Wait()
	}
	if b.closed && b.err == nil {
		b.err = io.ErrClosedPipe
	}
	if b.err != nil {
		return 0, b.err
	}
	if len(p) >= batchBytes {
		return b.through(p)
	}
	b.buf = append(b.buf, p...)
	b.changed.Broadcast()
	return len(p), nil
}

// through writes a big p behind what is held, without a copy of it. It needs the
// mutex.
func (b *Batch) through(p []byte) (int, error) {
	for (len(b.buf) > 0 || b.busy) && b.err == nil {
		b.changed.Wait()
	}
	if b.err != nil {
		return 0, b.err
	}
	b.busy = true
	b.mu.Unlock()
	_, err := b.w.Write(p)
	b.mu.Lock()
	b.busy, b.err = false, err
	b.changed.Broadcast()
	return len(p), err
}

// Flush waits until everything is written, or cannot be.
func (b *Batch) Flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for (len(b.buf) > 0 || b.busy) && b.err == nil {
		b.changed.Wait()
	}
	return b.err
}

// Close flushes and ends the goroutine. The writer below stays open.
func (b *Batch) Close() error {
	err := b.Flush()
	b.mu.Lock()
	b.closed = true
	b.changed.Broadcast()
	b.mu.Unlock()
	<-b.done
	return err
}

// run writes what there is, one write at a time. The two buffers change places,
// so that a flood allocates nothing.
func (b *Batch) run() {
	defer close(b.done)
	var out []byte
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		for b.err == nil && (b.busy || len(b.buf) == 0 && !b.closed) {
			b.changed.Wait()
		}
		if b.err != nil || b.closed && len(b.buf) == 0 {
			return
		}
		out, b.buf, b.busy = b.buf, out[:0], true
		b.changed.Broadcast()
		b.mu.Unlock()
		_, err := b.w.Write(out)
		b.mu.Lock()
		b.busy = false
		if err != nil {
			b.err = err
		}
		b.changed.Broadcast()
	}
}
