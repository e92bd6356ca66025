package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
)

// funcs is a Handler of two functions; nil ones do nothing.
type funcs struct {
	request func(ctx context.Context, r *Request)
	notify  func(ctx context.Context, n *Notification)
}

func (f funcs) HandleRequest(ctx context.Context, r *Request) {
	if f.request != nil {
		f.request(ctx, r)
	}
}

func (f funcs) HandleNotification(ctx context.Context, n *Notification) {
	if f.notify != nil {
		f.notify(ctx, n)
	}
}

// echo answers with the params it got.
var echo = funcs{request: func(_ context.Context, r *Request) { _ = r.Reply(r.Params) }}

// open starts a connection that ends with the test.
func open(t testing.TB, tr Transport, opts *Options) *Conn {
	t.Helper()
	c := NewConn(tr, opts)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// osPipe returns two transports over operating system pipes.
func osPipe(t testing.TB, opts *StreamOptions) (a, b Transport) {
	t.Helper()
	ar, bw, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	br, aw, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	a, b = NewStream(ar, aw, opts), NewStream(br, bw, opts)
	t.Cleanup(func() { _, _ = a.Close(), b.Close() })
	return a, b
}

// transports are the kinds of transport that every promise holds for.
var transports = map[string]func(t testing.TB) (a, b Transport){
	"os pipe": func(t testing.TB) (a, b Transport) { return osPipe(t, nil) },
	"memory":  func(testing.TB) (a, b Transport) { return Pipe() },
}

func TestCallAndNotify(t *testing.T) {
	t.Parallel()
	for name, pair := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			told := make(chan string, 1)
			open(t, b, &Options{Handler: funcs{
				request: echo.request,
				notify:  func(_ context.Context, n *Notification) { told <- n.Method + string(n.Params) },
			}})
			c := open(t, a, nil)
			got, err := c.Call(t.Context(), "m", map[string]string{"a": "<&>"}, nil)
			if err != nil || string(got) != `{"a":"<&>"}` {
				t.Errorf("Call = %s, %v", got, err)
			}
			if err := c.Notify(t.Context(), "n", json.RawMessage("{\n\"b\": 1}")); err != nil {
				t.Error(err)
			}
			if got := <-told; got != `n{"b":1}` {
				t.Errorf("notified %s", got)
			}
		})
	}
}

func TestEndOfPeer(t *testing.T) {
	t.Parallel()
	for name, pair := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			c := open(t, a, nil)
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			<-c.Done()
			if !errors.Is(c.Err(), io.EOF) {
				t.Errorf("Err = %v", c.Err())
			}
			_, err := c.Call(t.Context(), "m", nil, nil)
			var lost *ConnError
			var sent *SendError
			if !errors.As(err, &lost) || !errors.As(err, &sent) || sent.State != NeverStarted {
				t.Errorf("Call = %v", err)
			}
		})
	}
}
