package controller

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/acpctl/acpctl/controller/event"
)

// callbacks contains the panics of what the caller gave: they cost neither the
// run nor the events of others, and each callback is reported once.
type callbacks struct {
	mu       sync.Mutex // guards what follows
	reported map[string]bool
	waiting  []event.Warning // to be emitted ahead of the next event
}

// guarded runs a callback.
func (c *Conn) guarded(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			c.callbacks.note(name, r)
			if name != "Logf" {
				c.opts.Logf("panic in %s: %v\n%s", name, r, debug.Stack())
			}
		}
	}()
	f()
}

// note keeps the first panic of a callback for a warning.
func (b *callbacks) note(name string, value any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reported[name] {
		return
	}
	if b.reported == nil {
		b.reported = map[string]bool{}
	}
	b.reported[name] = true
	b.waiting = append(b.waiting, event.Warning{Code: "callback_panic", Message: fmt.Sprintf("the callback %s failed: %v", name, value)})
}

// take returns the warnings that are due.
func (b *callbacks) take() []event.Warning {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.waiting
	b.waiting = nil
	return list
}

// contain puts the guards around the callbacks of the options.
func (c *Conn) contain() {
	emit, logf := c.opts.Emit, c.opts.Logf
	c.opts.Emit = func(e event.Event) {
		for _, w := range c.callbacks.take() {
			c.guarded("Emit", func() { emit(event.Event{Body: w}) })
		}
		c.guarded("Emit", func() { emit(e) })
	}
	c.opts.Logf = func(format string, args ...any) {
		c.guarded("Logf", func() { logf(format, args...) })
	}
	if tap := c.opts.Tap; tap != nil {
		c.opts.Tap = func(dir string, frame []byte) { c.guarded("Tap", func() { tap(dir, frame) }) }
	}
}
