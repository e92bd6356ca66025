package jsonrpc

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
)

// lineWriter writes lines. One that was written in part breaks it for good, since
// the next one would be read as its rest.
type lineWriter struct {
	out  ctxWriter
	shut func() error

	last   []byte // the end of a line and its LF
	broken error
	count  atomic.Int64
}

// ctxWriter is a writer whose blocked Write ends with its context or its Close.
type ctxWriter interface {
	WriteContext(ctx context.Context, p []byte) (int, error)
	Close() error
}

// progress returns the number of bytes written.
func (w *lineWriter) progress() int64 { return w.count.Load() }

// writeLine writes in blocks, so that progress is visible, and copies no more than
// the last one.
func (w *lineWriter) writeLine(ctx context.Context, line []byte) error {
	if w.broken != nil {
		return w.broken
	}
	whole := len(line) / blockSize * blockSize
	for at := 0; at < whole; at += blockSize {
		if err := w.write(ctx, line[at:at+blockSize], at > 0); err != nil {
			return err
		}
	}
	w.last = append(append(w.last[:0], line[whole:]...), '\n')
	return w.write(ctx, w.last, whole > 0)
}

// write writes one block; begun says that it is not the first one.
func (w *lineWriter) write(ctx context.Context, p []byte, begun bool) error {
	n, err := w.out.WriteContext(ctx, p)
	w.count.Add(int64(n))
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	switch {
	case err == nil:
		return nil
	case isGone(err):
		w.broken = err
	case begun || n > 0:
		w.broken = fmt.Errorf("%w: a frame was written in part: %w", io.ErrClosedPipe, err)
		return w.broken
	}
	return err
}
