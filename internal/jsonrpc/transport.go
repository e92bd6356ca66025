package jsonrpc

import (
	"context"
	"fmt"
)

// Transport moves whole frames, without any line end.
type Transport interface {
	// ReadFrame returns the next frame; the slice is the caller's. One goroutine
	// calls it. The end is io.EOF; a frame that the end cut short comes before it.
	// After a [*FrameTooLargeError] the next call goes on behind that frame; every
	// other error is final.
	ReadFrame() ([]byte, error)
	// WriteFrame writes one frame and may block; one goroutine calls it. The frame
	// must not be changed afterwards. It returns when Close is called, and where
	// the system can do it when ctx ends. A failed call may be repeated.
	WriteFrame(ctx context.Context, frame []byte) error
	// Close ends both directions. It may be called at any time, from anywhere,
	// more than once.
	Close() error
}

// SendOptions tell a transport about a frame; the zero value is an ordinary one.
type SendOptions struct {
	// DiagnosticOnly is set for notices of a cancellation: that one fails is told to
	// the caller and is no fault of the connection.
	DiagnosticOnly bool
}

// optionSender is a transport that wants to know about the frames. It is asked
// for this instead of WriteFrame.
type optionSender interface {
	WriteFrameWith(ctx context.Context, frame []byte, opts SendOptions) error
}

// halfCloser is a transport that can end its outbound direction alone.
type halfCloser interface{ CloseWrite() error }

// cutter is a transport that can tell whether the last frame of ReadFrame was
// ended by the end of the stream instead of a line end.
type cutter interface{ lastCut() bool }

// progresser is a transport that counts the bytes it has written.
type progresser interface{ progress() int64 }

// FrameTooLargeError reports a frame that was skipped. Both sizes are in bytes.
type FrameTooLargeError struct {
	Limit, Size int

	head []byte
}

// Error names the limit and the size.
func (e *FrameTooLargeError) Error() string {
	return fmt.Sprintf("frame of %d bytes is over the limit of %d", e.Size, e.Limit)
}
