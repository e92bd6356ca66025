package jsonrpc

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// A fast peer and a slow handler: nothing is lost, nothing is out of order, and what
// waits is bounded. Not parallel, since it measures the heap.
func TestFloodOfNotifications(t *testing.T) {
	a, b := osPipe(t, nil)
	t.Run("os pipe", func(t *testing.T) { flood(t, a, b) })
	a, b = Pipe()
	t.Run("memory", func(t *testing.T) { flood(t, a, b) })
}

func flood(t *testing.T, a, b Transport) {
	t.Helper()
	total := scale(200_000)
	const queueFrames, queueBytes = 256, 10_000
	var frames, bytes int
	var heap uint64
	var c *Conn
	next, ready, before := 0, make(chan struct{}), inUse()
	c = open(t, a, &Options{QueueFrames: queueFrames, QueueBytes: queueBytes, Handler: funcs{notify: func(_ context.Context, n *Notification) {
		<-ready
		if got := number(t, n.Params); got != next {
			t.Errorf("got %d, want %d", got, next)
		}
		next++
		f, b := c.queued() // also makes the handler slower than the peer
		frames, bytes = max(frames, f), max(bytes, b)
		if next%20_000 == 0 {
			heap = max(heap, inUse())
		}
	}}})
	close(ready)
	for n := range total {
		if err := b.WriteFrame(t.Context(), []byte(notification(n))); err != nil {
			t.Fatal(err)
		}
	}
	_ = b.Close()
	<-c.Done()
	if next != total {
		t.Errorf("%d of %d handled", next, total)
	}
	if frames > queueFrames || bytes > queueBytes {
		t.Errorf("%d frames, %d bytes in line", frames, bytes)
	}
	if heap > before+8<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before, heap)
	}
}

// queued returns what is read and not handled.
func (c *Conn) queued() (frames, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frames, c.bytes
}

// inUse returns what is reachable.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A peer that asks and never reads gets no more than its share of memory, whether
// the handler answers, detaches or does not exist, or the lines are no JSON.
func TestFloodFromPeerThatNeverReads(t *testing.T) {
	t.Parallel()
	const queue, inflight = 16, 32
	handlers := map[string]Handler{
		"answers": echo,
		"answers elsewhere": funcs{request: func(_ context.Context, r *Request) {
			r.Detach()
			go func() { _ = r.Reply(r.Params) }()
		}},
		"does not answer": funcs{},
		"none":            nil,
	}
	for name, h := range handlers {
		for _, frame := range []string{request("1"), `{bad`, `[]`} {
			synctest.Test(t, func(t *testing.T) {
				a, b := Pipe()
				c := NewConn(a, &Options{Handler: h, QueueFrames: queue, MaxInflight: inflight, ReplyParseError: true})
				passed := 0
				go func() { passed = fill(t.Context(), b, []byte(frame)) }()
				synctest.Wait()
				frames, _ := c.queued()
				answers := c.out.waiting()
				_ = c.Close()
				synctest.Wait()
				// In the pipe both ways, in line, in flight, and one in each hand.
				if most := 2*pipeFrames + queue + inflight + 4; passed > most || frames > queue || answers > inflight+1 {
					t.Errorf("%s, %s: %d frames passed (at most %d), %d in line, %d answers wait", name, frame, passed, most, frames, answers)
				}
			})
		}
	}
}

// Two peers that tell and ask each other more than the pipes hold, at once.
func TestBothPipesFull(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			count := scale(200)
			text := mustJSON(t, strings.Repeat("x", 32<<10))
			var told atomic.Int64
			h := funcs{
				notify: func(context.Context, *Notification) { told.Add(1) },
				request: func(_ context.Context, r *Request) {
					r.Detach()
					go func() { _ = r.Reply(r.Params) }()
				},
			}
			conns := []*Conn{open(t, a, &Options{Handler: h}), open(t, b, &Options{Handler: h})}
			var wg sync.WaitGroup
			for _, c := range conns {
				for i := range count {
					wg.Go(func() {
						if i%2 == 0 {
							if err := c.Notify(context.Background(), "n", text); err != nil {
								t.Error(err)
							}
							return
						}
						if got, err := c.Call(context.Background(), "m", text, nil); err != nil || len(got) != len(text) {
							t.Errorf("%d bytes, %v", len(got), err)
						}
					})
				}
			}
			wg.Wait()
			for _, c := range conns {
				if _, err := c.Call(t.Context(), "last", nil, nil); err != nil {
					t.Error(err)
				}
			}
			if got := told.Load(); got != int64(2*((count+1)/2)) {
				t.Errorf("%d notifications handled", got)
			}
		})
	}
}

// One large frame is let in although it is over the bound by itself.
func TestFrameLargerThanTheQueue(t *testing.T) {
	t.Parallel()
	a, b := Pipe()
	open(t, a, &Options{Handler: echo, QueueBytes: 10})
	c := open(t, b, &Options{QueueBytes: 10})
	for range 3 {
		if got, err := c.Call(t.Context(), "m", mustJSON(t, strings.Repeat("x", 1000)), nil); err != nil || len(got) != 1002 {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

// A panic is contained, reported once, and a request is answered in any case.
func TestPanics(t *testing.T) {
	t.Parallel()
	a, b := Pipe()
	var panics log
	boom := func() { panic("boom") }
	c := open(t, a, &Options{
		Handler: funcs{
			notify: func(context.Context, *Notification) { boom() },
			request: func(_ context.Context, r *Request) {
				switch r.Method {
				case "late":
					_ = r.Reply("answered")
				case "cancelled":
					r.LatchCancel()
					<-r.Context().Done()
				case "returns":
					return
				}
				boom()
			},
		},
		OrderKey: func(method string, _ json.RawMessage) string {
			if method == "key" {
				boom()
			}
			return method
		},
		OnJunk: func(Junk) { boom() },
		Tap: func(_ Direction, frame []byte) {
			if strings.Contains(string(frame), "tapped") {
				boom()
			}
		},
		OnPanic: func(v any, stack []byte) {
			panics.add(fmt.Sprint(v, " ", strings.Contains(string(stack), "TestPanics")))
			boom()
		},
	})
	ask := func(method, answer string) {
		t.Helper()
		send(t, b, `{"jsonrpc":"2.0","id":7,"method":"`+method+`"}`)
		if method == "cancelled" {
			send(t, b, cancel7)
		}
		wantFrames(t, b, `{"jsonrpc":"2.0","id":7,`+answer+`}`)
	}
	panicked := `"error":{"code":-32603,"message":"the handler panicked","data":{"reason":"handler_panic"}}`
	ask("early", panicked)
	ask("late", `"result":"answered"`)
	ask("key", panicked)
	ask("tapped", panicked)
	ask("cancelled", `"error":{"code":-32800,"message":"the request was cancelled"}`)
	ask("returns", `"error":{"code":-32603,"message":"the request was not answered","data":{"reason":"not_answered"}}`)
	send(t, b, notification(1), `noise`)
	go answer(b, func(int) []string { return []string{responseTo(0)} })
	if _, err := c.Call(t.Context(), "m", nil, &CallOptions{OnResponse: func(json.RawMessage, error) { boom() }}); err != nil {
		t.Error(err)
	}
	_ = b.Close()
	<-c.Done()
	if got := panics.all(); !slices.Equal(got, slices.Repeat([]string{"boom true"}, 10)) {
		t.Errorf("%d panics reported: %q", len(got), got)
	}
}

// The outbound frame is seen first also when the answer overtakes the write's return.
func TestTapSeesTheRequestFirst(t *testing.T) {
	t.Parallel()
	var seen log
	handled := make(chan struct{})
	f := newFake(nil)
	f.write = func(context.Context, []byte) error {
		f.in <- []byte(responseTo(0))
		<-handled
		return nil
	}
	c := open(t, f, &Options{Tap: func(dir Direction, _ []byte) { seen.add(string(dir)) }})
	_, err := c.Call(t.Context(), "m", nil, &CallOptions{OnResponse: func(json.RawMessage, error) { close(handled) }})
	if got := seen.all(); err != nil || !slices.Equal(got, []string{"out", "in"}) {
		t.Errorf("seen %q, %v", got, err)
	}
}

// Each frame is seen once, and no answer before what it answers.
func TestTap(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := pair(t)
			var seen log
			c := open(t, a, &Options{Handler: echo, Tap: func(dir Direction, frame []byte) { seen.add(string(dir) + " " + string(frame)) }})
			go answer(b, func(id int) []string { return []string{"noise", responseTo(id)} })
			var want []string
			for id := range scale(300) {
				if _, err := c.Call(t.Context(), "m", nil, nil); err != nil {
					t.Fatal(err)
				}
				want = append(want, fmt.Sprintf(`out {"jsonrpc":"2.0","id":%d,"method":"m"}`, id), "in "+responseTo(id))
			}
			if got := seen.all(); !slices.Equal(got, want) {
				t.Errorf("got %d frames, want %d", len(got), len(want))
			}
		})
	}
}

// waiting returns how many frames wait for the writer.
func (o *outbox) waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.line.len()
}
