package jsonrpc

import (
	"context"
	"encoding/json"
	"os"
	"sync"
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
func open(tb testing.TB, tr Transport, opts *Options) *Conn {
	tb.Helper()
	c := NewConn(tr, opts)
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// osPipe returns two transports over pipes of the operating system.
func osPipe(tb testing.TB, opts *StreamOptions) (a, b Transport) {
	tb.Helper()
	ar, bw := pipeFiles(tb)
	br, aw := pipeFiles(tb)
	a, b = NewStream(ar, aw, opts), NewStream(br, bw, opts)
	tb.Cleanup(func() { _, _ = a.Close(), b.Close() })
	return a, b
}

func pipeFiles(tb testing.TB) (r, w *os.File) {
	tb.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	return r, w
}

// pairs make the two ends of each kind of transport.
var pairs = map[string]func(tb testing.TB) (a, b Transport){
	"os pipe": func(tb testing.TB) (a, b Transport) {
		tb.Helper()
		return osPipe(tb, nil)
	},
	"memory": func(testing.TB) (a, b Transport) { return Pipe() },
}

// send writes frames by hand.
func send(tb testing.TB, to Transport, frames ...string) {
	tb.Helper()
	for _, f := range frames {
		if err := to.WriteFrame(tb.Context(), []byte(f)); err != nil {
			tb.Errorf("writing %.100s: %v", f, err)
			return
		}
	}
}

// wantFrames reads frames by hand and compares them.
func wantFrames(tb testing.TB, from Transport, want ...string) {
	tb.Helper()
	for _, w := range want {
		got, err := from.ReadFrame()
		if err != nil || string(got) != w {
			tb.Errorf("read %.300s, %v\nwant %s", got, err, w)
			return
		}
	}
}

// log keeps what happened, in order.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *log) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

// note logs the notifications it gets.
func (l *log) note(_ context.Context, n *Notification) { l.add(n.Method + string(n.Params)) }

// junk logs reports.
func (l *log) junk(j Junk) { l.add(j.Reason + ": " + string(j.Line)) }

// fake is a transport whose writes the test decides; what it reads comes from in.
type fake struct {
	write func(ctx context.Context, frame []byte) error
	in    chan []byte

	once   sync.Once
	closed chan struct{}
}

func newFake(write func(ctx context.Context, frame []byte) error) *fake {
	return &fake{write: write, in: make(chan []byte), closed: make(chan struct{})}
}

func (f *fake) ReadFrame() ([]byte, error) {
	select {
	case frame := <-f.in:
		return frame, nil
	case <-f.closed:
		return nil, ErrClosed
	}
}

func (f *fake) WriteFrame(ctx context.Context, frame []byte) error { return f.write(ctx, frame) }

// block is a write that returns only when the transport is closed.
func (f *fake) block(context.Context, []byte) error {
	<-f.closed
	return ErrClosed
}

func (f *fake) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

// scale is a number of repetitions, smaller where they are slow.
func scale(n int) int {
	if testing.Short() || raceEnabled {
		return max(1, n/10)
	}
	return n
}

func mustJSON(tb testing.TB, v any) json.RawMessage {
	tb.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
