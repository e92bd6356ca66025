package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var errGaveUp = errors.New("gave up")

// Every wait ends with its context, although the transport ignores it, and says how
// far the frame came.
func TestCT18_BlockedWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.write = f.block
		c := NewConn(f, nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		var first, second, queued error
		go func() { _, first = c.Call(ctx, "first", nil, &CallOptions{CancelOnDone: true}) }()
		synctest.Wait()
		go func() { second = c.Notify(ctx, "second", nil) }()
		go func() {
			_, queued = c.Call(ctx, "queued", nil, &CallOptions{CancelOnDone: true, OnResponse: func(json.RawMessage, error) {
				t.Error("OnResponse ran for a call that was never sent")
			}})
		}()
		synctest.Wait()
		cancel(errGaveUp)
		synctest.Wait()
		if sent := asSent(first); sent == nil || sent.State != Unknown || !errors.Is(first, errGaveUp) {
			t.Errorf("Call = %v", first)
		}
		if sent := asSent(second); sent == nil || sent.State != NeverStarted || !errors.Is(second, errGaveUp) {
			t.Errorf("Notify = %v", second)
		}
		if sent := asSent(queued); sent == nil || sent.State != NeverStarted || !errors.Is(queued, errGaveUp) {
			t.Errorf("queued Call = %v", queued)
		}
		if n := c.out.waiting(); n != 1 { // the cancel of the first call
			t.Errorf("%d frames wait", n)
		}
		_, third := c.Call(ctx, "third", nil, nil)
		if sent := asSent(third); sent == nil || sent.State != NeverStarted || !errors.Is(third, errGaveUp) {
			t.Errorf("with an ended context: %v", third)
		}
		_ = c.Close()
	})
}

func TestCT18_WrittenAndGivenUp(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			c := open(t, a, nil)
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				wantFrames(t, b, `{"jsonrpc":"2.0","id":0,"method":"m"}`)
				cancel(errGaveUp)
			}()
			_, err := c.Call(ctx, "m", nil, &CallOptions{CancelOnDone: true})
			if sent := asSent(err); sent == nil || !errors.Is(err, errGaveUp) || sent.State == NeverStarted {
				t.Errorf("err = %v", err)
			}
			wantFrames(t, b, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}`)
		})
	}
}

// A response that comes when its caller is gone is still taken, in its place, and
// is no junk.
func TestCT20_LateResponse(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			c, seen := opened(t, a)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				defer cancel()
				wantFrames(t, b, `{"jsonrpc":"2.0","id":0,"method":"m"}`)
			}()
			_, err := c.Call(ctx, "m", nil, &CallOptions{
				OnSent:     func(id ID) { seen.add("sent " + id.String()) },
				OnResponse: func(result json.RawMessage, _ error) { seen.add("late " + string(result)) },
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("err = %v", err)
			}
			send(t, b, notification(1), responseTo(0), notification(2))
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			<-c.Done()
			if got := strings.Join(seen.all(), ", "); got != "sent 0, n1, late 1, n2" {
				t.Errorf("seen %s", got)
			}
		})
	}
}

// A failed cancel is its sender's affair; the connection goes on.
func TestCT19_FailedCancelIsNoLoss(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken for a moment")
		f := newFake(func(_ context.Context, frame []byte) error {
			if strings.Contains(string(frame), cancelMethod) {
				return broken
			}
			return nil
		})
		c := NewConn(f, nil)
		called := make(chan error)
		go func() {
			_, err := c.Call(t.Context(), "m", nil, nil)
			called <- err
		}()
		synctest.Wait()
		err := c.CancelRequest(t.Context(), NumberID(0))
		if sent := asSent(err); !errors.Is(err, broken) || sent == nil || sent.State != Unknown || asLost(err) != nil {
			t.Errorf("CancelRequest = %v", err)
		}
		if c.Err() != nil {
			t.Errorf("the connection ended: %v", c.Err())
		}
		f.in <- []byte(responseTo(0))
		if err := <-called; err != nil {
			t.Errorf("Call = %v", err)
		}
		_ = c.Close()
	})
}

// A call whose write failed is over for its caller; what the peer says to it is
// still taken, since the peer may have got it.
func TestFailedWriteOfCall(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	f := newFake(func(context.Context, []byte) error { return broken })
	c, seen := opened(t, f)
	settled := make(chan struct{})
	_, err := c.Call(t.Context(), "m", nil, &CallOptions{OnResponse: func(result json.RawMessage, _ error) {
		seen.add(string(result))
		close(settled)
	}})
	if sent := asSent(err); !errors.Is(err, broken) || sent == nil || sent.State != Unknown {
		t.Errorf("Call = %v", err)
	}
	f.in <- []byte(responseTo(0))
	<-settled
	if got := seen.all(); !slices.Equal(got, []string{"1"}) {
		t.Errorf("seen %q", got)
	}
}

func TestParamsThatCannotBeEncoded(t *testing.T) {
	t.Parallel()
	a, _ := Pipe()
	c := open(t, a, nil)
	_, err := c.Call(t.Context(), "m", make(chan int), nil)
	if sent := asSent(err); sent == nil || sent.State != NeverStarted || !strings.Contains(err.Error(), "encoding params of m") {
		t.Errorf("Call = %v", err)
	}
	if err := c.Notify(t.Context(), "m", json.RawMessage("{\n")); asSent(err) == nil {
		t.Errorf("Notify = %v", err)
	}
}

func TestPeerError(t *testing.T) {
	t.Parallel()
	a, b := Pipe()
	c := open(t, a, nil)
	go answer(b, func(int) []string {
		return []string{`{"jsonrpc":"2.0","id":0,"error":{"code":-32002,"message":"gone","data":{"sessionId":"s"}}}`}
	})
	_, err := c.Call(t.Context(), "m", nil, nil)
	var failed *Error
	if !errors.As(err, &failed) || failed.Code != -32002 || failed.Message != "gone" || string(failed.Data) != `{"sessionId":"s"}` {
		t.Errorf("err = %v", err)
	}
	if err.Error() != "gone (code -32002)" {
		t.Errorf("err reads %q", err)
	}
}

// A write without progress ends the connection, and only that.
func TestWriteTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.write = f.block
		c := NewConn(f, &Options{WriteTimeout: 3 * time.Second})
		start := time.Now()
		_, err := c.Call(t.Context(), "m", nil, nil)
		if asLost(err) == nil || !errors.Is(err, ErrWriteTimeout) {
			t.Errorf("Call = %v", err)
		}
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("ended after %v", d)
		}
		<-c.Done()
		if !errors.Is(c.Err(), ErrWriteTimeout) {
			t.Errorf("Err = %v", c.Err())
		}
		_ = c.Close()
	})
}

// progressing is a transport whose writes are slow and make progress.
type progressing struct {
	*fake
	steps atomic.Int64
}

func (p *progressing) progress() int64 { return p.steps.Load() }

func TestWriteTimeoutLetsSlowWritesPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &progressing{}
		p.fake = newFake(func(context.Context, []byte) error {
			for range 10 {
				<-time.After(time.Second)
				p.steps.Add(1)
			}
			return nil
		})
		c := NewConn(p, &Options{WriteTimeout: 3 * time.Second})
		if err := c.Notify(t.Context(), "m", nil); err != nil {
			t.Errorf("Notify = %v", err)
		}
		if c.Err() != nil {
			t.Errorf("the connection ended: %v", c.Err())
		}
		_ = c.Close()
	})
}

// A peer that no longer reads cannot be told anything; what it says is still read.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	r, peerOut := pipeFiles(t)
	peerIn, w := pipeFiles(t)
	if err := peerIn.Close(); err != nil {
		t.Fatal(err)
	}
	c, seen := opened(t, NewStream(r, w, nil))
	for range 2 {
		if err := c.Notify(t.Context(), "m", nil); asLost(err) == nil || asSent(err) == nil {
			t.Errorf("Notify = %v", err)
		}
	}
	if c.Err() != nil {
		t.Errorf("Err = %v", c.Err())
	}
	_, _ = io.WriteString(peerOut, notification(1)+"\n")
	_ = peerOut.Close()
	<-c.Done()
	if got := seen.all(); len(got) != 1 {
		t.Errorf("seen %q", got)
	}
}
