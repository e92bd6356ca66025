package jsonrpc

import "sync"

// sending is one outbound frame on its way.
type sending struct {
	parts frameParts
	// diagnostic: the notice of a cancellation, see [SendOptions].
	diagnostic bool
	// then runs on the writer once the frame is written, before the next one. It may
	// be nil, as may settled, which runs once with the frame's fate.
	then    func()
	settled func(*SendError)

	done chan struct{} // closed behind then and settled
	err  *SendError    // set before done is closed; nil: written
}

func newSending(parts frameParts) *sending {
	return &sending{parts: parts, done: make(chan struct{})}
}

// settle tells everybody; nobody else may hold s.
func (s *sending) settle(err *SendError) {
	s.parts = frameParts{}
	s.err = err
	if s.settled != nil {
		s.settled(err)
	}
	close(s.done)
}

// outbox is the line of frames in front of the writer. It is as long as callers
// wait for a write.
type outbox struct {
	mu    sync.Mutex
	ready sync.Cond
	// mu guards what follows.
	line fifo[*sending]
	lost *ConnError // closed, and why
}

func (o *outbox) init() { o.ready.L = &o.mu }

// put gives s a place in line; it returns why not when the connection is closed.
func (o *outbox) put(s *sending) *ConnError {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lost == nil {
		o.line.push(s)
		o.ready.Signal()
	}
	return o.lost
}

// post is put for callers that learn of the end by the frame's own fate.
func (o *outbox) post(s *sending) {
	if lost := o.put(s); lost != nil {
		s.settle(&SendError{State: NeverStarted, Err: lost})
	}
}

// take waits for the next frame; nil is the end.
func (o *outbox) take() *sending {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.line.len() == 0 && o.lost == nil {
		o.ready.Wait()
	}
	if o.lost != nil {
		return nil
	}
	return o.line.pop()
}

// revoke takes s out of line and settles it, unless its write began.
func (o *outbox) revoke(s *sending, cause error) {
	o.mu.Lock()
	found := o.line.remove(func(x *sending) bool { return x == s })
	o.mu.Unlock()
	if !found {
		return
	}
	s.settle(&SendError{State: NeverStarted, Err: cause})
}

// close settles everything that waits.
func (o *outbox) close(lost *ConnError) {
	o.mu.Lock()
	line := o.line
	o.line = fifo[*sending]{}
	if o.lost == nil {
		o.lost = lost
	}
	o.ready.Broadcast()
	o.mu.Unlock()
	for line.len() > 0 {
		line.pop().settle(&SendError{State: NeverStarted, Err: lost})
	}
}
