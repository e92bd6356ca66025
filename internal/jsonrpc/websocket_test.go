package jsonrpc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// dialed returns a transport to a server that does what serve says.
func dialed(t *testing.T, opts *WebSocketOptions, serve func(ctx context.Context, conn *websocket.Conn)) Transport {
	t.Helper()
	over, cancel := context.WithCancel(context.Background())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.CloseNow() }()
		serve(over, conn)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(cancel)
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), nil) //nolint:bodyclose // Dial has closed it
	if err != nil {
		t.Fatal(err)
	}
	w := NewWebSocket(conn, opts)
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func TestWebSocketOneFrameAMessage(t *testing.T) {
	t.Parallel()
	big := bytes.Repeat([]byte("x"), 3000)
	w := dialed(t, &WebSocketOptions{MaxFrame: 1000}, func(ctx context.Context, conn *websocket.Conn) {
		_, got, err := conn.Read(ctx)
		if err != nil || string(got) != `{"a":"ü\n"}` {
			t.Errorf("read %q, %v", got, err)
		}
		for _, m := range [][]byte{[]byte("one\ntwo"), big, []byte("three")} {
			_ = conn.Write(ctx, websocket.MessageText, m)
		}
		_ = conn.Close(websocket.StatusNormalClosure, "")
	})
	if err := w.WriteFrame(t.Context(), []byte(`{"a":"ü\n"}`)); err != nil {
		t.Fatal(err)
	}
	if f, err := w.ReadFrame(); err != nil || string(f) != "one\ntwo" {
		t.Errorf("first %q, %v", f, err)
	}
	var large *FrameTooLargeError
	if _, err := w.ReadFrame(); !errors.As(err, &large) || large.Size != 3000 || large.Limit != 1000 {
		t.Errorf("second: %v", err)
	}
	if f, err := w.ReadFrame(); err != nil || string(f) != "three" {
		t.Errorf("third %q, %v", f, err)
	}
	if _, err := w.ReadFrame(); !errors.Is(err, io.EOF) {
		t.Errorf("the end: %v", err)
	}
}

func TestWebSocketTellsTheCloseCode(t *testing.T) {
	t.Parallel()
	w := dialed(t, nil, func(_ context.Context, conn *websocket.Conn) {
		_ = conn.Close(websocket.StatusInternalError, "out of memory")
	})
	_, err := w.ReadFrame()
	var closed *CloseError
	if !errors.As(err, &closed) || closed.Code != 1011 || closed.Reason != "out of memory" {
		t.Errorf("the end: %v", err)
	}
}

// TestWebSocketWithoutASignOfLife has a server that never reads, so it answers no
// ping.
func TestWebSocketWithoutASignOfLife(t *testing.T) {
	t.Parallel()
	w := dialed(t, &WebSocketOptions{Ping: 20 * time.Millisecond}, func(ctx context.Context, _ *websocket.Conn) { <-ctx.Done() })
	if _, err := w.ReadFrame(); !errors.Is(err, ErrNoPong) {
		t.Errorf("the end: %v", err)
	}
}

// TestWebSocketSlowReader is pinged while nobody reads: that says nothing about
// the other side.
func TestWebSocketSlowReader(t *testing.T) {
	t.Parallel()
	ready := make(chan struct{})
	w := dialed(t, &WebSocketOptions{Ping: 5 * time.Millisecond}, func(ctx context.Context, conn *websocket.Conn) {
		_ = conn.Write(ctx, websocket.MessageText, []byte("one"))
		<-ready
		_ = conn.Write(ctx, websocket.MessageText, []byte("two"))
		_, _, _ = conn.Read(ctx)
	})
	if f, err := w.ReadFrame(); err != nil || string(f) != "one" {
		t.Fatalf("%q, %v", f, err)
	}
	<-time.After(60 * time.Millisecond)
	close(ready)
	if f, err := w.ReadFrame(); err != nil || string(f) != "two" {
		t.Errorf("%q, %v", f, err)
	}
}

func TestWebSocketCloseEndsTheReader(t *testing.T) {
	t.Parallel()
	w := dialed(t, nil, func(ctx context.Context, _ *websocket.Conn) { <-ctx.Done() })
	done := make(chan error, 1)
	go func() {
		_, err := w.ReadFrame()
		done <- err
	}()
	_ = w.Close()
	if err := <-done; !errors.Is(err, ErrClosed) {
		t.Errorf("the reader ended with %v", err)
	}
	if err := w.WriteFrame(t.Context(), []byte("{}")); !errors.Is(err, ErrClosed) {
		t.Errorf("a write behind it: %v", err)
	}
}
