package jsonrpc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
)

func notification(n int) string {
	return `{"jsonrpc":"2.0","method":"n","params":` + strconv.Itoa(n) + `}`
}

func responseTo(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":1}`, id) }

// answer writes what frames gives for each frame that is read. The ids of a
// connection are counted from 0.
func answer(peer Transport, frames func(id int) []string) {
	for id := 0; ; id++ {
		if _, err := peer.ReadFrame(); err != nil {
			return
		}
		for _, f := range frames(id) {
			if err := peer.WriteFrame(context.Background(), []byte(f)); err != nil {
				return
			}
		}
	}
}

// number reads the params of notification.
func number(tb testing.TB, params json.RawMessage) int {
	tb.Helper()
	n, err := strconv.Atoi(string(params))
	if err != nil {
		tb.Errorf("params %s", params)
	}
	return n
}

// A response waits for everything that was read before it.
func TestCT14_ResponseComesAfterTheNotificationsBefore(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			var handled atomic.Int64
			c := open(t, a, &Options{Handler: funcs{notify: func(context.Context, *Notification) { handled.Add(1) }}})
			const burst = 10
			go answer(b, func(id int) []string {
				return append(slices.Repeat([]string{notification(1)}, burst), responseTo(id))
			})
			for round := range scale(500) {
				if _, err := c.Call(t.Context(), "m", nil, nil); err != nil {
					t.Fatal(err)
				}
				if got := handled.Load(); got != int64(burst*(round+1)) {
					t.Fatalf("round %d: %d handled when Call returned", round, got)
				}
			}
		})
	}
}

// A response and what is written right behind it are handled in that order.
func TestCT30_ResponsesPassInOrderWithNotifications(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			var state atomic.Int64
			update := make(chan int64, 1)
			c := open(t, a, &Options{Handler: funcs{notify: func(_ context.Context, n *Notification) {
				update <- state.Load()
			}}})
			go answer(b, func(id int) []string { return []string{responseTo(id), notification(1)} })
			for round := range int64(scale(1000)) {
				_, err := c.Call(t.Context(), "m", nil, &CallOptions{OnResponse: func(json.RawMessage, error) { state.Store(round) }})
				if err != nil {
					t.Fatal(err)
				}
				if got := <-update; got != round {
					t.Fatalf("round %d: the notification saw state %d", round, got)
				}
			}
		})
	}
}

func TestRequestsFollowNotifications(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			var handled atomic.Int64
			open(t, a, &Options{Handler: funcs{
				notify:  func(context.Context, *Notification) { handled.Add(1) },
				request: func(_ context.Context, r *Request) { _ = r.Reply(handled.Load()) },
			}})
			for n := range scale(2000) {
				send(t, b, notification(n), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`, n))
				wantFrames(t, b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%d}`, n, n+1))
			}
		})
	}
}

// Pipelined requests are handled in the order of the wire.
func TestAC39_ReceiveOrder(t *testing.T) {
	t.Parallel()
	a, b := osPipe(t, nil)
	open(t, a, &Options{Handler: echo})
	const n = 2000
	go func() {
		for i := range n {
			_ = b.WriteFrame(context.Background(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"m","params":%d}`, i, i))
		}
	}()
	for i := range n {
		wantFrames(t, b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%d}`, i, i))
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	a, b := Pipe()
	var seen log
	blocked, free := make(chan struct{}), make(chan struct{})
	c := open(t, a, &Options{
		OrderKey: func(_ string, params json.RawMessage) string {
			var key string
			_ = json.Unmarshal(params, &key)
			return key
		},
		Handler: funcs{notify: func(_ context.Context, n *Notification) {
			if n.Method == "block" {
				close(blocked)
				<-free
			}
			seen.add(n.Method)
		}},
	})
	send(t, b,
		`{"jsonrpc":"2.0","method":"block","params":"x"}`,
		`{"jsonrpc":"2.0","method":"behind","params":"x"}`,
		`{"jsonrpc":"2.0","method":"other","params":"y"}`)
	<-blocked
	// A call of another key is not held up; one of the blocked key is.
	for _, key := range []string{"y", "x"} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = c.Call(context.Background(), "call", nil, &CallOptions{Key: &key})
			seen.add("call " + key)
		}()
		frame, err := b.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		e, _ := scanFrame(frame)
		send(t, b, `{"jsonrpc":"2.0","id":`+string(e.id)+`,"result":1}`)
		if key == "x" {
			close(free)
		}
		<-done
	}
	want := []string{"other", "call y", "block", "behind", "call x"}
	if got := seen.all(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What a peer said before it ended is handled, whole and in order.
func TestAnswerThenExitLosesNothing(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		for before, rounds := range map[int]int{0: 400, 1: 400, 100: 400, 3000: 40} {
			t.Run(fmt.Sprintf("%s, %d before", name, before), func(t *testing.T) {
				t.Parallel()
				for range scale(rounds) {
					a, b := pair(t)
					answerThenExit(t, a, b, before)
				}
			})
		}
	}
}

func answerThenExit(t *testing.T, a, b Transport, before int) {
	t.Helper()
	handled := 0
	c := NewConn(a, &Options{Handler: funcs{notify: func(_ context.Context, n *Notification) {
		if number(t, n.Params) != handled {
			t.Errorf("notification %s at %d", n.Params, handled)
		}
		handled++
	}}})
	go func() {
		_, _ = b.ReadFrame()
		for n := range before {
			_ = b.WriteFrame(context.Background(), []byte(notification(n)))
		}
		_ = b.WriteFrame(context.Background(), []byte(`{"jsonrpc":"2.0","id":0,"result":"bye"}`))
		_ = b.WriteFrame(context.Background(), []byte(notification(before)))
		_ = b.Close()
	}()
	result, err := c.Call(t.Context(), "m", nil, nil)
	if err != nil || string(result) != `"bye"` {
		t.Errorf("Call = %s, %v", result, err)
	}
	<-c.Done()
	if handled != before+1 || c.Err() != io.EOF { //nolint:errorlint // the promise is this very value
		t.Errorf("%d of %d handled, Err %v", handled, before+1, c.Err())
	}
	_ = c.Close()
}

// Calls that get no response any more learn it behind what was read before.
func TestLossHasItsPlaceInLine(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			var seen log
			gate := make(chan struct{})
			c := open(t, a, &Options{Handler: funcs{notify: func(ctx context.Context, n *Notification) {
				<-gate
				seen.note(ctx, n)
			}}})
			done := make(chan error, 2)
			for i := range 2 {
				go func() {
					_, err := c.Call(context.Background(), "m", nil, &CallOptions{OnResponse: func(_ json.RawMessage, err error) {
						seen.add(err.Error())
					}})
					done <- err
				}()
				wantFrames(t, b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m"}`, i))
			}
			send(t, b, notification(1))
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			close(gate)
			for range 2 {
				if err := <-done; asLost(err) == nil {
					t.Errorf("Call = %v", err)
				}
			}
			lost := "connection lost: the peer closed it"
			if got := seen.all(); !slices.Equal(got, []string{"n1", lost, lost}) {
				t.Errorf("got %q", got)
			}
		})
	}
}
