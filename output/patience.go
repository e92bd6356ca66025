package output

import (
	"sync"
	"time"
)

// patience is how long the reader may hold up writes from now on, in all. Only
// the time inside of a write counts: an agent that takes its time to end does
// not use up what is meant for the reader.
type patience struct {
	expired chan struct{} // closed when it is over
	expire  func()        // closes expired, once

	mu      sync.Mutex // guards what follows
	bounded bool
	left    time.Duration
	timer   *time.Timer // runs while a write does and there is a bound
	since   time.Time   // when the timer was started
	writing bool
}

func newPatience() *patience {
	p := &patience{expired: make(chan struct{})}
	p.expire = sync.OnceFunc(func() { close(p.expired) })
	return p
}

// limit bounds it to d. Of several bounds the one that ends first counts.
func (p *patience) limit(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pause()
	if !p.bounded || d < p.left {
		p.bounded, p.left = true, d
	}
	p.resume()
}

func (p *patience) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writing = true
	p.resume()
}

func (p *patience) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pause()
	p.writing = false
}

// resume and pause need the mutex.
func (p *patience) resume() {
	if p.writing && p.bounded {
		p.timer, p.since = time.AfterFunc(p.left, p.expire), time.Now() //nolint:forbidigo // the length of a wait, as the timer has it
	}
}

func (p *patience) pause() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
		p.left -= time.Since(p.since)
	}
}
