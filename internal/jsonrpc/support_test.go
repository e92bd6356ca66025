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
func open(t testing.TB, tr Transport, opts *Options) *Conn {
	t.Helper()
	c := NewConn(tr, opts)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// osPipe returns two transports over pipes of the operating system.
func osPipe(t testing.TB, opts *StreamOptions) (a, b Transport) {
	t.Helper()
	ar, bw := pipeFiles(t)
	br, aw := pipeFiles(t)
	a, b = NewStream(ar, aw, opts), NewStream(br, bw, opts)
	t.Cleanup(func() { _, _ = a.Close(), b.Close() })
	return a, b
}

func pipeFiles(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// overEach runs a test over each kind of transport.
func overEach(t *testing.T, test func(t *testing.T, a, b Transport)) {
	t.Helper()
	t.Run("os pipe", func(t *testing.T) {
		t.Parallel()
		a, b := osPipe(t, nil)
		test(t, a, b)
	})
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		a, b := Pipe()
		test(t, a, b)
	})
}

// send writes frames by hand.
func send(t testing.TB, to Transport, frames ...string) {
	t.Helper()
	for _, f := range frames {
		if err := to.WriteFrame(t.Context(), []byte(f)); err != nil {
			t.Errorf("writing %.100s: %v", f, err)
			return
		}
	}
}

// wantFrames reads frames by hand and compares them.
func wantFrames(t testing.TB, from Transport, want ...string) {
	t.Helper()
	for _, w := range want {
		got, err := from.ReadFrame()
		if err != nil || string(got) != w {
			t.Errorf("read %.300s, %v\nwant %s", got, err, w)
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

func mustJSON(t testing.TB, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
