package jsonrpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// WebSocketOptions configure [NewWebSocket]; nil is legal.
type WebSocketOptions struct {
	// MaxFrame is the longest frame that is read, in bytes; longer ones are
	// skipped. Default 64 MiB.
	MaxFrame int
	// Ping is how often the other side is asked for a sign of life, and how long
	// that may take. Default 30 s.
	Ping time.Duration
}

// CloseError is how the other side closed a WebSocket.
type CloseError struct {
	Code   int
	Reason string
}

// Error names the code and the reason.
func (e *CloseError) Error() string {
	text := fmt.Sprintf("the connection was closed with code %d", e.Code)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// ErrNoPong is the end of a connection whose other side gave no sign of life.
var ErrNoPong = errors.New("the other side did not answer a ping")

// closeTime is how long the closing handshake may take.
const closeTime = 5 * time.Second

// webSocket is a Transport of one frame a message.
type webSocket struct {
	conn *websocket.Conn
	max  int

	ctx    context.Context //nolint:containedctx // of the transport: it ends with Close
	cancel context.CancelCauseFunc
	// waiting: the reader waits for a message. Pongs are seen only then, so a ping
	// that finds it elsewhere says nothing about the other side.
	waiting atomic.Bool
	got     atomic.Int64 // messages so far
	pinging sync.WaitGroup
}

// NewWebSocket returns a transport of one frame a text message over a connection
// that is open; it owns and closes it. The other side is pinged from time to
// time: one that is gone without a word ends the connection with [ErrNoPong].
//
// The end is io.EOF after a normal close, and a [*CloseError] after any other.
func NewWebSocket(conn *websocket.Conn, opts *WebSocketOptions) Transport {
	w := &webSocket{conn: conn, max: 64 << 20}
	every := 30 * time.Second
	if opts != nil && opts.MaxFrame > 0 {
		w.max = opts.MaxFrame
	}
	if opts != nil && opts.Ping > 0 {
		every = opts.Ping
	}
	conn.SetReadLimit(-1) // too large frames are skipped, not the end
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	w.pinging.Go(func() { w.ping(every) })
	return w
}

// ReadFrame returns the next message.
func (w *webSocket) ReadFrame() ([]byte, error) {
	w.waiting.Store(true)
	_, r, err := w.conn.Reader(w.ctx)
	if err != nil {
		return nil, w.end(err)
	}
	var frame bytes.Buffer
	size, err := io.Copy(&frame, io.LimitReader(r, int64(w.max)+1))
	if err == nil && size > int64(w.max) {
		var rest int64
		if rest, err = io.Copy(io.Discard, r); err == nil {
			head := bytes.Clone(frame.Bytes()[:headSize])
			w.seen()
			return nil, &FrameTooLargeError{Limit: w.max, Size: int(size + rest), head: head}
		}
	}
	if err != nil {
		return nil, w.end(err)
	}
	w.seen()
	return frame.Bytes(), nil
}

// seen notes that a message came and that its reader is busy with it.
func (w *webSocket) seen() {
	w.got.Add(1)
	w.waiting.Store(false)
}

// end sorts what ended the reading.
func (w *webSocket) end(err error) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	var closed websocket.CloseError
	switch {
	case !errors.As(err, &closed):
		return err
	case closed.Code == websocket.StatusNormalClosure || closed.Code == websocket.StatusGoingAway && closed.Reason == "":
		return io.EOF
	default:
		return &CloseError{Code: int(closed.Code), Reason: closed.Reason}
	}
}

// WriteFrame writes one text message. A message that was begun is written to its
// end, or ends the connection: half of one cannot be taken back.
func (w *webSocket) WriteFrame(ctx context.Context, frame []byte) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := w.conn.Write(w.ctx, websocket.MessageText, frame)
	if err != nil && w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	return err
}

// CloseWrite begins the closing handshake and waits for its end, within a bound.
func (w *webSocket) CloseWrite() error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = w.conn.Close(websocket.StatusNormalClosure, "")
	}()
	t := time.NewTimer(closeTime)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
		_ = w.conn.CloseNow()
		<-done
	}
	return nil
}

// Close ends the connection at once.
func (w *webSocket) Close() error {
	w.cancel(ErrClosed)
	err := w.conn.CloseNow()
	w.pinging.Wait()
	return err
}

// ping asks for signs of life until Close.
func (w *webSocket) ping(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-tick.C:
		}
		if !w.waiting.Load() {
			continue
		}
		before := w.got.Load()
		ctx, cancel := context.WithTimeout(w.ctx, every)
		err := w.conn.Ping(ctx)
		late := ctx.Err() != nil
		cancel()
		if err != nil && late && w.ctx.Err() == nil && w.waiting.Load() && w.got.Load() == before {
			w.cancel(ErrNoPong)
			_ = w.conn.CloseNow()
			return
		}
	}
}
