package controller

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// drainWait is how long a pipe may stay silent once the process that was to
// write to it is gone. What it wrote is in the pipe by then; what holds the pipe
// open is a child of it.
const drainWait = 250 * time.Millisecond

// drain reads a pipe to its end, or, once the writer is gone, to the first
// silence. What is in the pipe is always read, however slow the reader is.
type drain struct {
	f *os.File

	mu sync.Mutex // guards what follows
	// gone: the process ended.
	gone bool
	// reading: a Read is in progress.
	reading bool
	reads   int // Reads so far, so that a wait knows the one it was for
	timer   *time.Timer
}

func newDrain(f *os.File) *drain { return &drain{f: f} }

// Read implements [io.Reader].
func (d *drain) Read(b []byte) (int, error) {
	d.begin()
	n, err := d.f.Read(b)
	d.end()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

func (d *drain) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reading = true
	d.arm()
}

func (d *drain) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reading = false
	d.reads++
	if d.timer != nil {
		d.timer.Stop()
	}
}

// writerGone says that the process ended.
func (d *drain) writerGone() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = true
	d.arm()
}

// arm starts the wait of the Read in progress. The mutex must be held.
func (d *drain) arm() {
	if !d.gone || !d.reading {
		return
	}
	this := d.reads
	d.timer = time.AfterFunc(drainWait, func() { d.giveUp(this) })
}

// giveUp ends the Read in progress, and all later ones. Systems without
// deadlines on pipes get it closed.
func (d *drain) giveUp(read int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.reading || d.reads != read {
		return
	}
	if err := d.f.SetReadDeadline(time.Unix(1, 0)); err != nil {
		_ = d.f.Close()
	}
}

// Close implements [io.Closer].
func (d *drain) Close() error { return d.f.Close() }

// SetReadDeadline makes a blocked Read end when the pipe is closed: it says that
// the pipe has deadlines.
func (d *drain) SetReadDeadline(t time.Time) error { return d.f.SetReadDeadline(t) }
