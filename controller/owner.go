package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// ownerState is what became of one request of the agent.
type ownerState int

const (
	statePending   ownerState = iota // nothing is decided
	stateSending                     // its write began
	stateSent                        // it is written
	stateFailed                      // the write failed and may be tried again
	stateWithdrawn                   // the agent withdrew it and was told so
	stateStale                       // its connection ended, or its id is in use again
)

// delivery is the state's name in events.
func (s ownerState) delivery() string {
	switch s {
	case stateSent:
		return "sent"
	case stateWithdrawn:
		return "withdrawn"
	case stateStale:
		return "stale"
	default:
		return "failed"
	}
}

// maxWrites is how often one answer is written at most: once, and twice more
// with the same decision.
const maxWrites = 3

// owner holds the right to answer one request of the agent. It is bound to the
// request and through it to the connection: another request with the same id has
// another owner. One goroutine answers; the state may be read by any.
type owner struct {
	c *Conn
	r *jsonrpc.Request

	state ownerState // guarded by the connection's mu
	seen  observed
}

// own takes a request over from the ordered handler. A request that still waits
// under the same id is stale from now on: the agent has forgotten it.
func (c *Conn) own(r *jsonrpc.Request) *owner {
	r.LatchCancel()
	r.Detach()
	o := &owner{c: c, r: r}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.owners[r.ID]; old != nil {
		old.state = stateStale
		old.tell(RequestStale)
	}
	c.owners[r.ID] = o
	o.tell(RequestPending)
	return o
}

// canRespond says whether the request still waits for an answer.
func (o *owner) canRespond() bool {
	o.c.mu.Lock()
	defer o.c.mu.Unlock()
	return o.open()
}

// open needs the mutex.
func (o *owner) open() bool {
	return o.c.owners[o.r.ID] == o && o.state != stateSending && !o.c.closed
}

// withdrawn says whether the agent took the request back.
func (o *owner) withdrawn() bool {
	return errors.Is(context.Cause(o.r.Context()), jsonrpc.ErrPeerCancelled)
}

// gone is closed when the request was withdrawn or its connection ended.
func (o *owner) gone() <-chan struct{} { return o.r.Context().Done() }

// answer writes the result that choose gives, up to [maxWrites] times. choose is
// asked before each write, so that a turn that was cancelled between two of them
// is answered so. A request that the agent withdrew gets -32800 instead, and
// nothing else from then on.
func (o *owner) answer(choose func() any) ownerState {
	o.tell(RequestPrepared)
	state := stateFailed
	for range maxWrites {
		if state = o.write(choose()); state != stateFailed {
			break
		}
	}
	return state
}

// write makes one attempt.
func (o *owner) write(result any) ownerState {
	if !o.begin() {
		return stateStale
	}
	err := jsonrpc.ErrPeerCancelled
	if !o.withdrawn() {
		if refusal, ok := result.(*jsonrpc.Error); ok {
			err = o.r.ReplyError(refusal)
		} else {
			err = o.r.Reply(result)
		}
	}
	withdrawn := errors.Is(err, jsonrpc.ErrPeerCancelled)
	if withdrawn {
		err = o.r.ReplyError(&jsonrpc.Error{Code: jsonrpc.CodeCancelled, Message: "the request was cancelled"})
	}
	return o.end(err, withdrawn)
}

// begin claims the request for one write.
func (o *owner) begin() bool {
	o.c.mu.Lock()
	defer o.c.mu.Unlock()
	if !o.open() {
		return false
	}
	o.state = stateSending
	o.tell(RequestSending)
	return true
}

// end records how a write went and gives the request free when it is settled.
func (o *owner) end(err error, withdrawn bool) ownerState {
	o.c.mu.Lock()
	defer o.c.mu.Unlock()
	var lost *jsonrpc.ConnError
	switch {
	case o.state == stateStale: // the id was used again meanwhile
	case err == nil && withdrawn:
		o.state = stateWithdrawn
	case err == nil:
		o.state = stateSent
	case errors.Is(err, jsonrpc.ErrAnswered), errors.Is(err, jsonrpc.ErrClosed), errors.As(err, &lost):
		o.state = stateStale
	default:
		o.state = stateFailed
	}
	o.tell(o.state.observed())
	if o.state != stateFailed && o.c.owners[o.r.ID] == o {
		delete(o.c.owners, o.r.ID)
	}
	return o.state
}

// idText is a request's id as events show it: a text id without its quotes.
func idText(id jsonrpc.ID) string {
	raw := id.String()
	return cmp.Or(jsonString(json.RawMessage(raw)), raw)
}
