package jsonrpc

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// interruptibleReader returns r, or one around it whose blocked Read ends with
// Close.
func interruptibleReader(r io.ReadCloser) io.ReadCloser {
	switch f := r.(type) {
	case *io.PipeReader:
		return r
	case interface{ SetReadDeadline(time.Time) error }:
		if f.SetReadDeadline(time.Time{}) == nil {
			return r // closing what has deadlines ends its blocked calls
		}
	}
	return &pumpedReader{newPump(r.Read, r.Close)}
}

// interruptibleWriter is the same for Write. A context ends a blocked write where
// w has deadlines, or is left behind.
func interruptibleWriter(w io.WriteCloser) ctxWriter {
	switch f := w.(type) {
	case *io.PipeWriter:
		return closingWriter{w}
	case deadlineWriter:
		if f.SetWriteDeadline(time.Time{}) == nil {
			return timedWriter{f}
		}
	}
	return &pumpedWriter{newPump(w.Write, w.Close)}
}

// closingWriter is a writer whose blocked calls end with Close alone.
type closingWriter struct{ io.WriteCloser }

func (w closingWriter) WriteContext(_ context.Context, p []byte) (int, error) { return w.Write(p) }

type deadlineWriter interface {
	io.WriteCloser
	SetWriteDeadline(t time.Time) error
}

// timedWriter is a writer with deadlines, such as the pipe to a child.
type timedWriter struct{ deadlineWriter }

func (w timedWriter) WriteContext(ctx context.Context, p []byte) (int, error) {
	expired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(expired)
		_ = w.SetWriteDeadline(time.Unix(1, 0))
	})
	n, err := w.Write(p)
	if !stop() {
		<-expired
		_ = w.SetWriteDeadline(time.Time{})
		if err != nil {
			err = context.Cause(ctx)
		}
	}
	return n, err
}

// pump makes blocking calls on a goroutine of its own, which stays behind when one
// does not return.
type pump struct {
	call   func([]byte) (int, error)
	want   chan []byte
	got    chan outcome
	closed chan struct{}
	start  func()
	shut   func() error
}

type outcome struct {
	n   int
	err error
}

func newPump(call func([]byte) (int, error), shut func() error) *pump {
	p := &pump{call: call, want: make(chan []byte), got: make(chan outcome, 1), closed: make(chan struct{})}
	p.start = sync.OnceFunc(func() { go p.serve() })
	p.shut = sync.OnceValue(func() error { close(p.closed); return shut() })
	return p
}

func (p *pump) serve() {
	for {
		select {
		case b := <-p.want:
			n, err := p.call(b)
			p.got <- outcome{n, err}
		case <-p.closed:
			return
		}
	}
}

// do makes one call. One that it leaves behind still uses b; the caller must not go
// on after the error.
func (p *pump) do(ctx context.Context, b []byte) (int, error) {
	p.start()
	select {
	case p.want <- b:
	case <-p.closed:
		return 0, ErrClosed
	}
	select {
	case o := <-p.got:
		return o.n, o.err
	case <-p.closed:
		return 0, ErrClosed
	case <-ctx.Done():
		return 0, fmt.Errorf("%w: a call is still blocked: %w", io.ErrClosedPipe, context.Cause(ctx))
	}
}

// Close does not wait for a blocked call.
func (p *pump) Close() error { return p.shut() }

type pumpedReader struct{ *pump }

func (r *pumpedReader) Read(b []byte) (int, error) { return r.do(context.Background(), b) }

type pumpedWriter struct{ *pump }

func (w *pumpedWriter) WriteContext(ctx context.Context, b []byte) (int, error) {
	return w.do(ctx, b)
}
