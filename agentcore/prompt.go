package agentcore

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// turn is one prompt with all that it leads to.
type turn struct {
	s      *session
	r      *jsonrpc.Request
	sel    selection // pinned: later changes are for later turns
	number int       // from 1 within the session
	until  time.Time // when the client's time is over; zero: not known
	user   record
	base   int         // length of the history before it
	spent  model.Usage // tokens of all answers so far

	ctx      context.Context //nolint:containedctx // ends when the turn is cancelled
	cancel   context.CancelFunc
	released chan struct{} // closed when the prompt slot is free again
	// answering says that the answer is on its way; guarded by the session's mutex.
	answering bool
}

// prompt admits a prompt in wire order and plays its turn beside the handler.
func (c *conn) prompt(r *jsonrpc.Request) {
	t, err := c.admit(r)
	if err != nil {
		c.refuse(r, err)
		return
	}
	r.Detach()
	if !c.detach(t.run) {
		t.release()
		c.refuse(r, noSession("session_closing", t.s.id))
	}
}

func (c *conn) admit(r *jsonrpc.Request) (*turn, error) {
	var p struct {
		SessionID string          `json:"sessionId"`
		Prompt    json.RawMessage `json:"prompt"`
		Meta      json.RawMessage `json:"_meta"`
	}
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	s, err := c.active(p.SessionID)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	sel := s.selection
	s.mu.Unlock()
	in, err := convert(p.Prompt, sel.entry.Vision)
	if err != nil {
		return nil, err
	}
	t := &turn{s: s, r: r, sel: sel, released: make(chan struct{})}
	if ms := number(object(object(p.Meta)["chrys"])["timeLeftMs"]); ms > 0 {
		t.until = c.core.opts.Clock().Add(time.Duration(ms * float64(time.Millisecond)))
	}
	t.user = record{Type: recordUser, ID: c.core.opts.NewID("msg_"), Text: in.text, Images: in.images}
	if err := s.occupy(t); err != nil {
		return nil, err
	}
	t.watch()
	return t, nil
}

// occupy takes the prompt slot. An answer that is on its way is waited for: its
// client may have read it already.
func (s *session) occupy(t *turn) error {
	for {
		s.mu.Lock()
		old := s.turn
		if s.closing {
			s.mu.Unlock()
			return noSession("session_closing", s.id)
		}
		if old == nil {
			break
		}
		answering := old.answering
		s.mu.Unlock()
		if !answering {
			return fail(jsonrpc.CodeInvalidRequest, "prompt_in_progress", "the session's last prompt is not answered yet")
		}
		<-old.released
	}
	defer s.mu.Unlock()
	t.ctx, t.cancel = context.WithCancel(s.conn.ctx)
	s.turns++
	t.number = s.turns
	s.turn = t
	return nil
}

// watch cancels the turn with its request: by the client, or because the
// connection is lost.
func (t *turn) watch() {
	context.AfterFunc(t.r.Context(), func() {
		if !errors.Is(context.Cause(t.r.Context()), jsonrpc.ErrAnswered) {
			t.stop()
		}
	})
}

// stop cancels the turn; it may be called at any time, more than once.
func (t *turn) stop() { t.cancel() }

// release frees the prompt slot.
func (t *turn) release() {
	t.cancel()
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.turn = nil
	close(t.released)
}

// cancelTurn is session/cancel. For a session without a turn it does nothing.
func (c *conn) cancelTurn(id string) {
	s := c.session(id)
	if s == nil {
		return
	}
	s.mu.Lock()
	t := s.turn
	s.mu.Unlock()
	if t != nil {
		t.stop()
	}
}
