package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// ErrCancelNotConfirmed is in the chain of a turn's failure when the agent did
// not answer its cancelled prompt: not in time, so that its connection was
// closed, or not at all, since it ended.
var ErrCancelNotConfirmed = errors.New("the agent did not confirm the cancel; its connection is closed")

// Error codes of ACP beside those of JSON-RPC.
const (
	codeAuthRequired     = -32000
	codeResourceNotFound = -32002
)

func failf(class event.Class, reason, format string, args ...any) *event.Failure {
	return &event.Failure{Class: class, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// asError avoids an interface that holds a nil failure.
func asError(f *event.Failure) error {
	if f == nil {
		return nil
	}
	return f
}

// unsupported is the failure of a call that the agent did not announce; nothing
// was sent.
func unsupported(what, capability string) *event.Failure {
	return failf(event.ClassStart, "unsupported_by_agent", "the agent does not support %s (it did not announce %s)", what, capability)
}

// causeFailure is what the end of a context means. Callers put failures as the
// cause; a bare deadline is a time limit.
func causeFailure(err error) *event.Failure {
	var f *event.Failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.DeadlineExceeded):
		return &event.Failure{Class: event.ClassTimeout, Reason: "time", Message: "the time limit was reached", Err: err}
	case errors.Is(err, context.Canceled):
		return &event.Failure{Class: event.ClassInternal, Reason: "cancelled", Message: "the caller cancelled", Err: err}
	default:
		return event.AsFailure(err)
	}
}

// noAnswer is the cause of a call's deadline.
func noAnswer(class event.Class, method string, limit time.Duration) *event.Failure {
	return failf(class, "no_answer", "the agent did not answer %s within %s", method, limit)
}

// callFailure sorts the error of one call.
func (c *Conn) callFailure(method string, err error) *event.Failure {
	var peer *jsonrpc.Error
	var lost *jsonrpc.ConnError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &peer):
		return c.peerFailure(method, peer)
	case errors.As(err, &lost):
		return c.lostFailure(method, lost)
	}
	f := causeFailure(err)
	var unsent *jsonrpc.SendError
	if f.Class == event.ClassInternal && f.Reason == "internal" && errors.As(err, &unsent) {
		f.Class, f.Reason = event.ClassProtocol, "not_sent"
	}
	return f
}

// peerFailure is an error answer of the agent. Its data stays as it was sent;
// data.reason and data.retryable are lifted where they are there.
func (c *Conn) peerFailure(method string, e *jsonrpc.Error) *event.Failure {
	data := members(e.Data)
	f := &event.Failure{
		Class: event.ClassAgent, Reason: "agent_error", Data: e.Data, Err: e,
		Message:   fmt.Sprintf("%s: %s (code %d)", method, cmp.Or(e.Message, "the agent answered an error"), e.Code),
		Retryable: string(data["retryable"]) == "true",
	}
	if reason := jsonString(data["reason"]); reason != "" {
		f.Reason = reason
	}
	switch {
	case e.Code == codeAuthRequired:
		f.Class, f.Reason = event.ClassAuth, "auth_required"
		f.Hints = c.authHints()
	case strings.HasPrefix(method, "session/") && (e.Code == codeResourceNotFound || saysNoSession(e)):
		f.Class, f.Reason = event.ClassSession, "session_not_found"
	case f.Reason == "session_active" || f.Reason == "session_in_use":
		f.Class, f.Reason = event.ClassSession, "session_in_use"
		f.Hints = []string{"another process works in this session: wait for it, or fork the session"}
	case strings.HasPrefix(f.Reason, "mcp_"):
		f.Class = event.ClassMCP
		f.Hints = []string{"the agent could not mount an MCP server; try its command by hand"}
	case f.Reason == "provider_auth":
		f.Class = event.ClassAuth
		f.Hints = []string{"check the key of the provider: docs/models.md names the variables"}
	case f.Reason == "no_model":
		f.Class = event.ClassUsage
		f.Hints = []string{"choose a model with --model or model: in the recipe"}
	}
	return f
}

// noSession finds the sentence by which agents say that a session is gone, under
// whatever code.
var noSession = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)session[^.]{0,80}(not found|not exist|unknown|expired)|(unknown|no such|invalid) session|no (previous )?sessions? (was |were )?found`)
})

// saysNoSession reads the message and the data of an error. Not every agent has
// ACP's own code for it.
func saysNoSession(e *jsonrpc.Error) bool {
	return (e.Code == jsonrpc.CodeInvalidParams || e.Code == jsonrpc.CodeInternal) &&
		(noSession().MatchString(e.Message) || noSession().Match(e.Data))
}

// exitWait is how long a lost connection waits to learn how the process ended:
// the exit status usually follows within a millisecond.
const exitWait = 500 * time.Millisecond

// lostFailure is the failure of everything that was pending when the connection
// ended; it says how the agent ended.
func (c *Conn) lostFailure(method string, err error) *event.Failure {
	waitFor(context.Background(), c.link.Exited(), exitWait)
	exit := c.link.Exit()
	f := &event.Failure{
		Class: event.ClassProtocol, Reason: "connection_lost", Err: err, Data: exit.data(c.link.Command()),
		Message: "connection to the agent lost during " + method,
	}
	if how := exit.describe(); how != "" {
		f.Message += ": " + how
	} else if err != nil {
		f.Message += ": " + err.Error()
	}
	return f
}

// describe says in words how an agent ended; empty while it runs.
func (e Exit) describe() string {
	var how string
	switch {
	case e.Signal != "":
		how = "ended by signal: " + e.Signal
	case e.Code != nil:
		how = "exit status " + strconv.Itoa(*e.Code)
	case e.Err != nil:
		how = e.Err.Error()
	}
	if line := lastLine(e.Stderr); line != "" && how != "" {
		how += "; stderr: " + line
	}
	return how
}

// data are the facts of an end for a failure's data.
func (e Exit) data(command []string) json.RawMessage {
	raw, err := json.Marshal(struct {
		Command  []string `json:"command,omitempty"`
		ExitCode *int     `json:"exitCode,omitempty"`
		Signal   string   `json:"signal,omitempty"`
		Stderr   string   `json:"stderr,omitempty"`
	}{command, e.Code, e.Signal, e.Stderr})
	if err != nil || string(raw) == "{}" {
		return nil
	}
	return raw
}

func lastLine(text string) string {
	text = strings.TrimRight(text, "\r\n\t ")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

func jsonString(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
