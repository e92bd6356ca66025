package event

import (
	"encoding/json"
	"errors"
)

// Class sorts failures by what a caller can do about them. Each has one exit
// code, see [Class.ExitCode].
type Class string

// The classes, as they stand in result.error.class.
const (
	ClassAgent      Class = "agent"      // the agent failed, or stopped for a reason that is no success
	ClassProtocol   Class = "protocol"   // the agent broke the protocol or the connection was lost
	ClassInternal   Class = "internal"   // acpctl itself failed
	ClassUsage      Class = "usage"      // bad flags, recipe, policy, schema or choice
	ClassTimeout    Class = "timeout"    // time or idle limit
	ClassSession    Class = "session"    // no such session, or busy
	ClassPermission Class = "permission" // an uncovered call, or a denied one under onDeny: fail
	ClassQuestion   Class = "question"   // a question without an answer
	ClassSchema     Class = "schema"     // output does not match its schema
	ClassAssert     Class = "assert"     // an assertion or a run step failed
	ClassLimit      Class = "limit"      // any other limit
	ClassStart      Class = "start"      // the agent did not start, or lacks a needed capability
	ClassAuth       Class = "auth"       // authentication needed or failed
	ClassMCP        Class = "mcp"        // a required MCP server failed its check
	ClassReplay     Class = "replay"     // a replay differs from its recording
	ClassSignal     Class = "signal"     // SIGINT, SIGTERM, or the reader went away
)

// Failure is the one error type of a run: why it, a step or a turn failed. It is
// also the error field of turn.end and result.
//
// Reason is a stable snake_case word finer than the class; for ClassSignal it is
// interrupted, terminated or reader_gone. Data is what the agent sent with its
// error, unchanged. Hints say what to do next, one line each. The zero value is
// not useful: Class is required.
type Failure struct { //nolint:errname // the word of result.error.class and of its documentation
	Class     Class           `json:"class"`
	Reason    string          `json:"reason,omitempty"`
	Message   string          `json:"message"`
	Retryable bool            `json:"retryable,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Hints     []string        `json:"hints,omitempty"`
	Err       error           `json:"-"` // cause, for errors.Is and errors.As
}

// Error returns the message without the hints.
func (f *Failure) Error() string { return f.Message }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// AsFailure returns err as a failure: the one in its chain, else a failure of
// class internal that wraps it, else nil for nil.
func AsFailure(err error) *Failure {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Class: ClassInternal, Reason: "internal", Message: err.Error(), Err: err}
}
