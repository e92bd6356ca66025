package jsonrpc

import (
	"context"
	"fmt"
)

// Notify sends one notification and returns when it is written, or when ctx ends.
// Params are as for [Conn.Call]. The error is a [*SendError].
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	raw, err := encodeParams(params)
	if err != nil {
		return &SendError{State: NeverStarted, Err: fmt.Errorf("encoding params of %s: %w", method, err)}
	}
	return c.send(ctx, newSending(callParts(ID{}, method, raw)))
}

// NotifyDiagnostic is Notify for notices of a cancellation, which a transport may
// treat as such: see [SendOptions].
func (c *Conn) NotifyDiagnostic(ctx context.Context, method string, params any) error {
	raw, err := encodeParams(params)
	if err != nil {
		return &SendError{State: NeverStarted, Err: fmt.Errorf("encoding params of %s: %w", method, err)}
	}
	s := newSending(callParts(ID{}, method, raw))
	s.diagnostic = true
	return c.send(ctx, s)
}

// CancelRequest sends `$/cancel_request` for a call of this side, as Notify does.
// The call goes on until the peer responds.
func (c *Conn) CancelRequest(ctx context.Context, id ID) error {
	return c.send(ctx, newCancel(id))
}

func newCancel(id ID) *sending {
	s := newSending(cancelParts(id))
	s.diagnostic = true
	return s
}

func cancelParts(id ID) frameParts {
	return callParts(ID{}, cancelMethod, []byte(`{"requestId":`+id.raw+`}`))
}

func (c *Conn) send(ctx context.Context, s *sending) error {
	if ctx.Err() != nil {
		return &SendError{State: NeverStarted, Err: context.Cause(ctx)}
	}
	c.out.post(s)
	select {
	case <-s.done:
	case <-ctx.Done():
		c.out.revoke(s, context.Cause(ctx))
	}
	if err := s.fate(ctx); err != nil {
		return err
	}
	return nil
}

// fate says how far s came, nil for written; ctx has ended if s is not settled.
func (s *sending) fate(ctx context.Context) *SendError {
	select {
	case <-s.done:
		return s.err
	default:
		return &SendError{State: Unknown, Err: context.Cause(ctx)}
	}
}
