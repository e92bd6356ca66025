package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"slices"
	"testing"
)

func TestCallAndNotify(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
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

func TestFramesOnTheWire(t *testing.T) {
	t.Parallel()
	a, b := Pipe()
	c := open(t, a, &Options{Handler: funcs{request: func(_ context.Context, r *Request) {
		switch r.Method {
		case "null":
			_ = r.Reply(nil)
		case "error":
			_ = r.ReplyError(&Error{Code: -5, Message: "<no>", Data: json.RawMessage(`{"a":1}`)})
		default:
			_ = r.Reply(r.Params)
		}
	}}})
	tests := []struct{ in, out string }{
		{`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"x":"&"}}`, `{"jsonrpc":"2.0","id":1,"result":{"x":"&"}}`},
		{`{"jsonrpc":"2.0","id":"1","method":"echo"}`, `{"jsonrpc":"2.0","id":"1","result":null}`},
		{`{"jsonrpc":"2.0","id":0,"method":"null"}`, `{"jsonrpc":"2.0","id":0,"result":null}`},
		{`{"jsonrpc":"2.0","id":1.0,"method":"error"}`, `{"jsonrpc":"2.0","id":1.0,"error":{"code":-5,"message":"<no>","data":{"a":1}}}`},
		{`{"jsonrpc":"2.0","id":null,"method":"null"}`, `{"jsonrpc":"2.0","id":null,"result":null}`},
		{`{"\u006asonrpc":"2\u002e0","id":"\u0041","method":"nu\u006cl"}`, `{"jsonrpc":"2.0","id":"\u0041","result":null}`},
		{`{"jsonrpc":"2.0","id":[1],"method":"null"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the id is no string, number or null","data":{"reason":"invalid_id"}}}`},
		{`{"jsonrpc":"2.0","id":7,"method":3}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"the method is no string","data":{"reason":"invalid_method"}}}`},
	}
	for _, tt := range tests {
		send(t, b, tt.in)
		wantFrames(t, b, tt.out)
	}
	go func() { _ = c.Notify(t.Context(), `a"b`, nil) }()
	wantFrames(t, b, `{"jsonrpc":"2.0","method":"a\"b"}`)
	for _, want := range []string{`{"jsonrpc":"2.0","id":0,"method":"m","params":[]}`, `{"jsonrpc":"2.0","id":1,"method":"m","params":[]}`} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = c.Call(ctx, "m", []int{}, nil) }()
		wantFrames(t, b, want)
		cancel()
	}
}

func TestNoHandler(t *testing.T) {
	t.Parallel()
	a, b := Pipe()
	open(t, a, nil)
	send(t, b, `{"jsonrpc":"2.0","method":"n"}`, `{"jsonrpc":"2.0","id":1,"method":"m"}`)
	wantFrames(t, b, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method \"m\" not found"}}`)
}

func TestEndOfPeer(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
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
			if lost, sent := asLost(err), asSent(err); lost == nil || sent == nil || sent.State != NeverStarted {
				t.Errorf("Call = %v", err)
			}
			err = c.Notify(t.Context(), "m", nil)
			if asLost(err) == nil {
				t.Errorf("Notify = %v", err)
			}
		})
	}
}

func asLost(err error) *ConnError {
	var lost *ConnError
	errors.As(err, &lost)
	return lost
}

func asSent(err error) *SendError {
	var sent *SendError
	errors.As(err, &sent)
	return sent
}

func TestCloseSettlesAll(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			handling := make(chan struct{})
			var seen log
			c := open(t, a, &Options{Handler: funcs{
				request: func(ctx context.Context, r *Request) {
					close(handling)
					<-ctx.Done()
					if lost := asLost(context.Cause(ctx)); lost == nil || !errors.Is(lost, ErrClosed) {
						t.Errorf("cause = %v", context.Cause(ctx))
					}
					if err := r.Reply(1); !errors.Is(err, ErrClosed) {
						t.Errorf("Reply = %v", err)
					}
				},
				notify: seen.note,
			}})
			called := make(chan error)
			go func() {
				_, err := c.Call(t.Context(), "m", nil, &CallOptions{OnResponse: func(_ json.RawMessage, err error) {
					seen.add("lost: " + err.Error())
				}})
				called <- err
			}()
			wantFrames(t, b, `{"jsonrpc":"2.0","id":0,"method":"m"}`)
			send(t, b, `{"jsonrpc":"2.0","id":1,"method":"m"}`, `{"jsonrpc":"2.0","method":"dropped"}`)
			send(t, b, responseTo(0))
			<-handling
			for n := 0; n < 3; n, _ = c.queued() {
				runtime.Gosched()
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			<-c.Done()
			if err := <-called; !errors.Is(err, ErrClosed) || asLost(err) == nil {
				t.Errorf("Call = %v", err)
			}
			if !errors.Is(c.Err(), ErrClosed) {
				t.Errorf("Err = %v", c.Err())
			}
			if got := seen.all(); !slices.Equal(got, []string{"lost: connection closed"}) {
				t.Errorf("seen %q", got)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A peer that has said all it has to say, such as a shell pipeline, still gets its
// answers.
func TestAnswersAfterEndOfInput(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			open(t, a, &Options{Handler: funcs{request: func(ctx context.Context, r *Request) {
				<-ctx.Done()
				if lost := asLost(context.Cause(ctx)); lost == nil || !errors.Is(lost, io.EOF) {
					t.Errorf("cause = %v", context.Cause(ctx))
				}
				_ = r.Reply("late")
			}}})
			send(t, b, `{"jsonrpc":"2.0","id":1,"method":"m"}`)
			if err := b.(halfCloser).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			wantFrames(t, b, `{"jsonrpc":"2.0","id":1,"result":"late"}`)
		})
	}
}
