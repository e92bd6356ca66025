package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
)

// Request is an inbound request. It may be answered from any goroutine, once.
// Params is nil when absent. Raw is the whole frame as it was read, of which Params
// is a part; neither may be changed.
type Request struct {
	ID     ID
	Method string
	Params json.RawMessage
	Raw    []byte

	c      *Conn
	rawID  []byte          // as the peer wrote it
	ctx    context.Context //nolint:containedctx // it is the life of the request
	cancel context.CancelCauseFunc

	mu sync.Mutex // guards what follows; taken before the outbox's
	// sending is the answer on its way, nil before and after a failed write.
	sending   *sending
	confirms  bool // it is the error of a cancelled request
	answered  bool
	detached  bool
	latched   bool
	withdrawn bool // the peer sent `$/cancel_request`
}

func newRequest(c *Conn, id ID, e *envelope, method string, frame []byte) *Request {
	r := &Request{ID: id, Method: method, Params: e.params, Raw: frame, c: c, rawID: e.id}
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	return r
}

// Context ends when the peer cancels the request (cause [ErrPeerCancelled]), when
// the request is answered ([ErrAnswered]), and when the connection is lost (a
// [*ConnError]), also when answers can still be written.
func (r *Request) Context() context.Context { return r.ctx }

// Detach lets the handler return before the request is answered. Whoever detaches
// a request has to answer it.
func (r *Request) Detach() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.detached = true
}

// LatchCancel makes the peer's `$/cancel_request` final, also one that came
// before: an answer whose write has begun may finish, every other one is refused
// with [ErrPeerCancelled] but for an error with [CodeCancelled].
func (r *Request) LatchCancel() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latched = true
}

// Answered says whether an answer is written.
func (r *Request) Answered() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answered
}

// Reply answers with a result; nil is null. It blocks until the frame is written,
// or fails, or the connection is closed. Nil means written. After a [*SendError]
// the request is open again and Reply may be repeated; it makes no sense if the
// error holds a [*ConnError]. Other errors are [ErrAnswered], also while another
// answer is being written, and [ErrPeerCancelled].
func (r *Request) Reply(result any) error { return r.ReplyThen(result, nil) }

// ReplyThen is Reply with a function that runs once, when the frame is written and
// before any later frame is, on the goroutine that writes: what is sent because of
// it comes behind the answer. It must not wait for a write.
func (r *Request) ReplyThen(result any, after func()) error {
	value, err := encodeResult(result)
	if err != nil {
		return err
	}
	return r.answer("result", value, false, after)
}

// ReplyError answers with an error, otherwise as Reply does.
func (r *Request) ReplyError(e *Error) error {
	value, err := encode(e)
	if err != nil {
		return err
	}
	return r.answer("error", value, e.Code == CodeCancelled, nil)
}

func (r *Request) answer(member string, value []byte, confirms bool, after func()) error {
	s, err := r.begin(member, value, confirms, after)
	if err != nil {
		return err
	}
	<-s.done
	if s.err == nil {
		return nil
	}
	if errors.Is(s.err, ErrPeerCancelled) {
		return ErrPeerCancelled
	}
	return s.err
}

// begin puts an answer in front of the writer. confirms says that it is the one a
// cancelled request may still get.
func (r *Request) begin(member string, value []byte, confirms bool, after func()) (*sending, error) {
	s := newSending(answerParts(r.rawID, member, value))
	s.then, s.settled = after, r.settled
	lost, err := r.queue(s, confirms)
	if lost != nil {
		s.settle(&SendError{State: NeverStarted, Err: lost})
	}
	return s, err
}

func (r *Request) queue(s *sending, confirms bool) (*ConnError, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.answered || r.sending != nil:
		return nil, ErrAnswered
	case r.latched && r.withdrawn && !confirms:
		return nil, ErrPeerCancelled
	}
	r.sending, r.confirms = s, confirms
	return r.c.out.put(s), nil
}

// settled records what became of the answer.
func (r *Request) settled(err *SendError) {
	r.mu.Lock()
	r.sending = nil
	r.answered = err == nil
	r.mu.Unlock()
	if err == nil {
		r.c.release(r)
		r.cancel(ErrAnswered)
	}
}

// withdraw ends the context. An answer that still waits for the writer is taken
// back where the cancel is final.
func (r *Request) withdraw() {
	r.mu.Lock()
	r.withdrawn = true
	var revoke *sending
	if r.latched && !r.confirms {
		revoke = r.sending
	}
	r.mu.Unlock()
	if revoke != nil {
		r.c.out.revoke(revoke, ErrPeerCancelled)
	}
	r.cancel(ErrPeerCancelled)
}

// answerFor answers in place of a handler that did not, without waiting for it.
func (r *Request) answerFor(message, why string) {
	if r.isTaken() {
		return
	}
	e := &Error{Code: CodeInternal, Message: message, Data: reason(why)}
	if err := r.answerLater(e); errors.Is(err, ErrPeerCancelled) {
		_ = r.answerLater(&Error{Code: CodeCancelled, Message: "the request was cancelled"})
	}
}

func (r *Request) answerLater(e *Error) error {
	value, err := encode(e)
	if err != nil {
		return err
	}
	_, err = r.begin("error", value, e.Code == CodeCancelled, nil)
	return err
}

// isTaken says whether an answer is written or on its way.
func (r *Request) isTaken() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answered || r.sending != nil
}

func (r *Request) isDetached() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.detached
}
