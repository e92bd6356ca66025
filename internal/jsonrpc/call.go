package jsonrpc

import (
	"context"
	"encoding/json"
	"fmt"
)

// CallOptions configure one [Conn.Call]; nil is legal.
type CallOptions struct {
	// Key is the line of the response. Nil: [Options.OrderKey] of the request.
	// Optional.
	Key *string
	// OnResponse runs once with the response, or with the *Error or *ConnError in
	// its place, at its position in the line and before Call returns; also when the
	// caller gave up before. It never runs when the request was never sent
	// ([NeverStarted]). Optional.
	OnResponse func(result json.RawMessage, err error)
	// CancelOnDone sends `$/cancel_request` when the context ends first. Optional.
	CancelOnDone bool
	// OnSent is told the id once the request has its place in front of the writer:
	// what is sent from then on is written behind it. It runs in the calling
	// goroutine. Optional.
	OnSent func(id ID)
}

// pending is a call without a response.
type pending struct {
	seq        int64
	key        string
	onResponse func(json.RawMessage, error)

	done   chan struct{}
	result json.RawMessage // set before done is closed
	err    error
}

// response is what a call gets.
type response struct {
	call   *pending
	result json.RawMessage
	err    error
}

// settle gives a call its response. A call that the closed connection has dropped
// already gets that as its error.
func (c *Conn) settle(r *response, closed bool) {
	p := r.call
	p.result, p.err = r.result, r.err
	if closed {
		p.result, p.err = nil, c.lost()
	}
	defer close(p.done)
	if p.onResponse != nil {
		defer c.guard()
		p.onResponse(p.result, p.err)
	}
}

// Call sends one request and waits for its response. Every frame of the same key
// that was read before the response is handled before Call returns. Params are
// encoded as they are, nil omits them; a json.RawMessage must not be changed
// afterwards.
//
// When ctx ends Call returns at once, with a [*SendError] that holds the cause. A
// response that comes later is still taken: see [CallOptions.OnResponse]. Other
// errors are the peer's [*Error], a [*ConnError], and the transport's in a
// [*SendError]; only one that says [NeverStarted] is safe to repeat.
func (c *Conn) Call(ctx context.Context, method string, params any, opts *CallOptions) (json.RawMessage, error) {
	var o CallOptions
	if opts != nil {
		o = *opts
	}
	raw, err := encodeParams(params)
	if err != nil {
		return nil, &SendError{State: NeverStarted, Err: fmt.Errorf("encoding params of %s: %w", method, err)}
	}
	if ctx.Err() != nil {
		return nil, &SendError{State: NeverStarted, Err: context.Cause(ctx)}
	}
	p, s, lost := c.start(method, raw, &o)
	if lost != nil {
		return nil, &SendError{State: NeverStarted, Err: lost}
	}
	if o.OnSent != nil {
		o.OnSent(NumberID(p.seq))
	}
	if err := c.await(ctx, p, s); err != nil {
		if o.CancelOnDone && err.State != NeverStarted && ctx.Err() != nil {
			c.out.post(newCancel(NumberID(p.seq)))
		}
		return nil, err
	}
	return p.result, p.err
}

// start gives the call an id and a place in front of the writer, both in the same
// order.
func (c *Conn) start(method string, params json.RawMessage, o *CallOptions) (*pending, *sending, *ConnError) {
	p := &pending{onResponse: o.OnResponse, done: make(chan struct{})}
	if o.Key != nil {
		p.key = *o.Key
	} else {
		p.key = c.key(method, params)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != nil {
		return nil, nil, c.connError()
	}
	id := NumberID(c.nextID)
	s := newSending(callParts(id, method, params))
	if lost := c.out.put(s); lost != nil {
		return nil, nil, lost
	}
	p.seq = c.nextID
	c.nextID++
	c.pending[id] = p
	return p, s, nil
}

// await waits for the response. The error says that the call was given up.
func (c *Conn) await(ctx context.Context, p *pending, s *sending) *SendError {
	select {
	case <-p.done:
		return nil
	case <-s.done:
	case <-ctx.Done():
		c.out.revoke(s, context.Cause(ctx))
	}
	switch err := s.fate(ctx); {
	case p.isDone():
		return nil
	case err == nil:
	case err.State == NeverStarted && !c.forget(p):
		return &SendError{State: Unknown, Err: err.Err} // the lost connection has it already
	default:
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
	}
	if p.isDone() {
		return nil
	}
	return &SendError{State: Written, Err: context.Cause(ctx)}
}

func (p *pending) isDone() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// forget drops a call that was never sent; false means that it is being settled.
func (c *Conn) forget(p *pending) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := NumberID(p.seq)
	_, ok := c.pending[id]
	delete(c.pending, id)
	return ok
}
