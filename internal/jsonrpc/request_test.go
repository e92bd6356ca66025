package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// inbox is a handler that hands its requests to the test.
func inbox() (funcs, chan *Request) {
	requests := make(chan *Request, 16)
	return funcs{request: func(_ context.Context, r *Request) {
		r.Detach()
		requests <- r
	}}, requests
}

func request(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"m"}` }

func TestOneAnswer(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			h, requests := inbox()
			open(t, a, &Options{Handler: h})
			for round := range scale(300) {
				send(t, b, request(fmt.Sprint(round)))
				r := <-requests
				var mu sync.Mutex
				var wg sync.WaitGroup
				counts := map[error]int{}
				for i := range 8 {
					wg.Go(func() {
						answer := func() error { return r.Reply(i) }
						if i%2 == 0 {
							answer = func() error { return r.ReplyError(&Error{Code: 1, Message: "m"}) }
						}
						err := answer()
						mu.Lock()
						defer mu.Unlock()
						counts[err]++
					})
				}
				send(t, b, request(`"next"`))
				if _, err := b.ReadFrame(); err != nil {
					t.Fatal(err)
				}
				wg.Wait()
				if err := r.Reply(1); !errors.Is(err, ErrAnswered) || !r.Answered() {
					t.Fatalf("Reply = %v, Answered = %v", err, r.Answered())
				}
				if !errors.Is(context.Cause(r.Context()), ErrAnswered) {
					t.Fatalf("cause = %v", context.Cause(r.Context()))
				}
				if err := (<-requests).Reply("next"); err != nil {
					t.Fatal(err)
				}
				wantFrames(t, b, `{"jsonrpc":"2.0","id":"next","result":"next"}`)
				if counts[ErrAnswered] != 7 || counts[nil] != 1 {
					t.Fatalf("answers %v", counts)
				}
			}
		})
	}
}

func TestOneAnswerWhileItIsWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var written log
		gate := make(chan struct{})
		h, requests := inbox()
		f := newFake(func(_ context.Context, frame []byte) error {
			<-gate
			written.add(string(frame))
			return nil
		})
		c := NewConn(f, &Options{Handler: h})
		f.in <- []byte(request("7"))
		r := <-requests
		go func() { _ = r.Reply("first") }()
		synctest.Wait()
		for _, err := range []error{r.Reply("second"), r.ReplyError(&Error{}), r.ReplyThen(1, nil)} {
			if !errors.Is(err, ErrAnswered) {
				t.Errorf("second answer: %v", err)
			}
		}
		if r.Answered() {
			t.Error("answered before the answer is written")
		}
		close(gate)
		synctest.Wait()
		_ = c.Close()
		if got := written.all(); !slices.Equal(got, []string{`{"jsonrpc":"2.0","id":7,"result":"first"}`}) {
			t.Errorf("written %q", got)
		}
	})
}

// failing is a write function that fails n times.
func failing(n int, written *log) func(context.Context, []byte) error {
	return func(_ context.Context, frame []byte) error {
		if n--; n >= 0 {
			return fmt.Errorf("failure %d", n)
		}
		written.add(string(frame))
		return nil
	}
}

func TestCT23_FailedWriteMayBeRetried(t *testing.T) {
	t.Parallel()
	var written log
	h, requests := inbox()
	f := newFake(failing(2, &written))
	open(t, f, &Options{Handler: h})
	f.in <- []byte(request("7"))
	r := <-requests
	for attempt := range 3 {
		err := r.Reply("same")
		if sent := asSent(err); (err == nil) != (attempt == 2) || err != nil && (sent == nil || sent.State != Unknown || asLost(err) != nil) {
			t.Errorf("attempt %d: %v", attempt, err)
		}
		if r.Answered() != (attempt == 2) {
			t.Errorf("attempt %d: Answered = %v", attempt, r.Answered())
		}
	}
	if err := r.Reply("same"); !errors.Is(err, ErrAnswered) {
		t.Errorf("after the answer: %v", err)
	}
	if got := written.all(); !slices.Equal(got, []string{`{"jsonrpc":"2.0","id":7,"result":"same"}`}) {
		t.Errorf("written %q", got)
	}
}

const (
	cancel7    = `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}`
	cancelled7 = `{"jsonrpc":"2.0","id":7,"error":{"code":-32800,"message":"cancelled"}}`
)

var errCancelled = &Error{Code: CodeCancelled, Message: "cancelled"}

// After the peer's cancel nothing but its confirmation can be sent, and a failed
// confirmation is repeated as such.
func TestCT24_CancelBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"latched before", "latched after"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			var written log
			h, requests := inbox()
			f := newFake(failing(1, &written))
			open(t, f, &Options{Handler: h})
			f.in <- []byte(request("7"))
			r := <-requests
			if when == "latched before" {
				r.LatchCancel()
			}
			f.in <- []byte(cancel7)
			<-r.Context().Done()
			if !errors.Is(context.Cause(r.Context()), ErrPeerCancelled) {
				t.Errorf("cause = %v", context.Cause(r.Context()))
			}
			r.LatchCancel()
			for _, err := range []error{r.Reply(1), r.ReplyError(&Error{Code: CodeInternal})} {
				if !errors.Is(err, ErrPeerCancelled) {
					t.Errorf("answer = %v", err)
				}
			}
			if err := r.ReplyError(errCancelled); asSent(err) == nil {
				t.Errorf("first confirmation: %v", err)
			}
			if err := r.Reply(1); !errors.Is(err, ErrPeerCancelled) {
				t.Errorf("answer after a failed confirmation: %v", err)
			}
			if err := r.ReplyError(errCancelled); err != nil {
				t.Errorf("second confirmation: %v", err)
			}
			if got := written.all(); !slices.Equal(got, []string{cancelled7}) {
				t.Errorf("written %q", got)
			}
		})
	}
}

func TestCancelWithoutLatch(t *testing.T) {
	t.Parallel()
	a, b := Pipe()
	h, requests := inbox()
	open(t, a, &Options{Handler: h})
	send(t, b, request("7"), cancel7)
	r := <-requests
	<-r.Context().Done()
	if err := r.Reply("cancelled"); err != nil {
		t.Errorf("Reply = %v", err)
	}
	wantFrames(t, b, `{"jsonrpc":"2.0","id":7,"result":"cancelled"}`)
}

// An answer whose write has begun may finish; one that waits for the writer is
// taken back.
func TestCT24_CancelDuringTheWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var written log
		gate := make(chan struct{})
		h, requests := inbox()
		f := newFake(func(_ context.Context, frame []byte) error {
			<-gate
			written.add(string(frame))
			return nil
		})
		c := NewConn(f, &Options{Handler: h})
		f.in <- []byte(request("7"))
		f.in <- []byte(request(`"7"`))
		first, second := <-requests, <-requests
		first.LatchCancel()
		second.LatchCancel()
		var firstErr, secondErr error
		go func() { firstErr = first.Reply(1) }()
		synctest.Wait()
		go func() { secondErr = second.Reply(2) }()
		synctest.Wait()
		f.in <- []byte(cancel7)
		f.in <- []byte(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"7"}}`)
		synctest.Wait()
		if !errors.Is(secondErr, ErrPeerCancelled) {
			t.Errorf("queued answer: %v", secondErr)
		}
		go func() { secondErr = second.ReplyError(errCancelled) }()
		synctest.Wait()
		f.in <- []byte(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"7"}}`) // once more changes nothing
		synctest.Wait()
		close(gate)
		synctest.Wait()
		if firstErr != nil || secondErr != nil {
			t.Errorf("begun answer: %v, confirmation: %v", firstErr, secondErr)
		}
		want := []string{`{"jsonrpc":"2.0","id":7,"result":1}`, `{"jsonrpc":"2.0","id":"7","error":{"code":-32800,"message":"cancelled"}}`}
		if got := written.all(); !slices.Equal(got, want) {
			t.Errorf("written %q", got)
		}
		_ = c.Close()
	})
}

// `$/cancel_request` does not wait behind frames whose handler is busy.
func TestCT24_CancelIsHandledWhenRead(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			requests, gate := make(chan *Request, 1), make(chan struct{})
			open(t, a, &Options{Handler: funcs{
				request: func(_ context.Context, r *Request) {
					r.Detach()
					requests <- r
				},
				notify: func(context.Context, *Notification) { <-gate },
			}})
			send(t, b, request("7"), notification(1), notification(2), cancel7)
			<-(<-requests).Context().Done()
			close(gate)
		})
	}
}

func TestCancelOfUnknownRequests(t *testing.T) {
	t.Parallel()
	a, b := Pipe()
	h, requests := inbox()
	open(t, a, &Options{Handler: h})
	send(t, b, request("7"))
	r := <-requests
	for _, params := range []string{`{"requestId":8}`, `{"requestId":"7"}`, `{}`, `[]`, `{"requestId":{}}`, `7`} {
		send(t, b, `{"jsonrpc":"2.0","method":"$/cancel_request","params":`+params+`}`)
	}
	send(t, b, `{"jsonrpc":"2.0","method":"$/cancel_request"}`, request("9"))
	<-requests
	if err := r.Context().Err(); err != nil {
		t.Errorf("cancelled: %v", context.Cause(r.Context()))
	}
	if err := r.Reply(1); err != nil {
		t.Error(err)
	}
	send(t, b, cancel7, request("7"))
	wantFrames(t, b, `{"jsonrpc":"2.0","id":7,"result":1}`)
	if again := <-requests; again.Context().Err() != nil {
		t.Error("a late cancel hit the next request of that id")
	}
}

// What is sent because of an answer comes behind it.
func TestAC66_ReplyThen(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			var c *Conn
			h, requests := inbox()
			c = open(t, a, &Options{Handler: h})
			for range scale(300) {
				send(t, b, request("1"))
				r := <-requests
				known := make(chan struct{})
				var wg sync.WaitGroup
				wg.Go(func() {
					<-known
					if err := c.Notify(context.Background(), "update", nil); err != nil {
						t.Error(err)
					}
				})
				if err := r.ReplyThen("new", func() { close(known) }); err != nil {
					t.Error(err)
				}
				wantFrames(t, b, `{"jsonrpc":"2.0","id":1,"result":"new"}`, `{"jsonrpc":"2.0","method":"update"}`)
				wg.Wait()
			}
		})
	}
}

func TestReplyThenNeedsTheWrite(t *testing.T) {
	t.Parallel()
	var written log
	h, requests := inbox()
	f := newFake(failing(1, &written))
	open(t, f, &Options{Handler: h})
	f.in <- []byte(request("7"))
	r := <-requests
	calls := 0
	for range 2 {
		_ = r.ReplyThen(1, func() { calls++ })
	}
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
}

func TestResultThatCannotBeEncoded(t *testing.T) {
	t.Parallel()
	a, b := Pipe()
	h, requests := inbox()
	open(t, a, &Options{Handler: h})
	send(t, b, request("7"))
	r := <-requests
	if err := r.Reply(make(chan int)); err == nil || asSent(err) != nil {
		t.Errorf("Reply = %v", err)
	}
	if err := r.Reply("good"); err != nil {
		t.Errorf("Reply = %v", err)
	}
}
