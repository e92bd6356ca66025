package jsonrpc

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// StreamOptions configure [NewStream]; nil is legal.
type StreamOptions struct {
	// MaxFrame is the longest frame that is read, in bytes; longer ones are
	// skipped. Default 64 MiB.
	MaxFrame int
}

func (o *StreamOptions) maxFrame() int {
	if o == nil || o.MaxFrame <= 0 {
		return 64 << 20
	}
	return o.MaxFrame
}

// stream is a Transport of one frame a line.
type stream struct {
	lineReader
	lineWriter

	closed atomic.Bool
	close  func() error
}

// NewStream returns a transport of newline-ended frames over r and w, which it
// owns and closes. A line end is LF or CR LF; blank lines are skipped,
// and so is a byte order mark at the beginning.
//
// Close ends a blocked ReadFrame and WriteFrame whatever r and w are. Where
// closing r or w does not end a blocked call, as with an inherited standard
// stream, that call is left behind on a goroutine of its own.
func NewStream(r io.ReadCloser, w io.WriteCloser, opts *StreamOptions) Transport {
	in, out := interruptibleReader(r), interruptibleWriter(w)
	s := &stream{}
	s.in, s.max = in, opts.maxFrame()
	s.out, s.shut = out, sync.OnceValue(out.Close)
	s.close = sync.OnceValue(func() error {
		s.closed.Store(true)
		return errors.Join(s.shut(), in.Close())
	})
	return s
}

// ReadFrame returns the next line that is not blank.
func (s *stream) ReadFrame() ([]byte, error) {
	line, err := s.nextLine()
	if err != nil && s.closed.Load() {
		err = ErrClosed
	}
	return line, err
}

// WriteFrame writes the frame and a line end.
func (s *stream) WriteFrame(ctx context.Context, frame []byte) error {
	err := s.writeLine(ctx, frame)
	if err != nil && s.closed.Load() {
		err = ErrClosed
	}
	return err
}

func (s *stream) Close() error { return s.close() }

// CloseWrite closes w alone: the end of input for the peer.
func (s *stream) CloseWrite() error { return s.shut() }
