package jsonrpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Codes of JSON-RPC 2.0, and the one for a request that its sender took back.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeCancelled      = -32800
)

// Error is the error member of a response. Data is raw JSON, nil for none.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error returns the message and the code.
func (e *Error) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }

var (
	// ErrClosed is the end of a connection by its own Close.
	ErrClosed = errors.New("connection closed")
	// ErrAnswered is returned for a second answer to one request, and is the cause
	// of an answered request's context.
	ErrAnswered = errors.New("request already answered")
	// ErrPeerCancelled is the cause of a request's context after the peer's
	// `$/cancel_request`, and what a late answer gets: see [Request.LatchCancel].
	ErrPeerCancelled = errors.New("request cancelled by the peer")
	// ErrWriteTimeout is the end of a connection whose peer stopped reading.
	ErrWriteTimeout = errors.New("the peer stopped reading")
)

// SendState is how far a frame came.
type SendState int

const (
	// NeverStarted means that nothing of the frame was handed to the transport.
	NeverStarted SendState = iota
	// Unknown means that the transport had the frame and did not say that it is written.
	Unknown
	// Written means that the transport wrote the whole frame.
	Written
)

// String returns the state in words.
func (s SendState) String() string {
	switch s {
	case NeverStarted:
		return "never started"
	case Written:
		return "written"
	default:
		return "unknown"
	}
}

// SendError is the error of a frame that was not written, or of a call that was
// given up. Err is the cause of the caller's context, the transport's error, or a
// [*ConnError] when nothing can be written any more.
type SendError struct {
	State SendState
	Err   error
}

// Error returns the cause and the state.
func (e *SendError) Error() string { return fmt.Sprintf("%v (sending: %v)", e.Err, e.State) }

// Unwrap returns the cause.
func (e *SendError) Unwrap() error { return e.Err }

// ConnError is the error of everything that was open when the connection was
// lost. Err is what [Conn.Err] says. Truncated: the last line was JSON that was
// cut off, so the peer died while it wrote.
type ConnError struct {
	Err       error
	Truncated bool
}

// Error says how the connection ended.
func (e *ConnError) Error() string {
	text := "connection lost: "
	switch {
	case errors.Is(e.Err, ErrClosed):
		return e.Err.Error()
	case errors.Is(e.Err, io.EOF):
		text += "the peer closed it"
	default:
		text += e.Err.Error()
	}
	if e.Truncated {
		text += " in the middle of a frame"
	}
	return text
}

// Unwrap returns why the connection ended.
func (e *ConnError) Unwrap() error { return e.Err }

// isGone says whether a write error means that no later write can succeed.
func isGone(err error) bool {
	for _, gone := range []error{ErrClosed, io.ErrClosedPipe, os.ErrClosed, syscall.EPIPE, syscall.ECONNRESET} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
