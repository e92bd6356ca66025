package agentcore

import (
	"errors"
	"slices"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// Stop reasons. ACP: StopReason.
const (
	stopEnd       = "end_turn"
	stopTokens    = "max_tokens"
	stopRequests  = "max_turn_requests"
	stopRefusal   = "refusal"
	stopCancelled = "cancelled"
	stopError     = "error" // in records only; the answer is an error
)

// run plays the turn and answers the prompt.
func (t *turn) run() {
	var stop string
	err := guarded(func() (err error) {
		stop, err = t.play()
		return err
	})
	switch {
	case t.ctx.Err() != nil:
		stop, err = stopCancelled, nil
	case err != nil:
		stop = stopError
	}
	if e := t.end(stop); e != nil && err == nil {
		err = e
	}
	t.s.mu.Lock()
	t.answering = true
	t.s.mu.Unlock()
	if err != nil {
		t.s.conn.refuse(t.r, turnError(err))
	} else {
		t.s.conn.reply(t.r, map[string]string{"stopReason": stop})
	}
	t.release()
}

// play asks the model until it wants nothing more. It returns early when the turn is
// cancelled.
func (t *turn) play() (string, error) {
	t.base = len(t.s.history)
	if err := t.begin(); err != nil {
		return "", err
	}
	for step := 1; step <= t.s.conn.core.opts.MaxSteps; step++ {
		a, err := t.ask(step)
		if err != nil {
			return "", err
		}
		if err := t.take(a); err != nil {
			return "", err
		}
		if len(a.calls) == 0 {
			return stopOf(a.end)
		}
		for _, c := range a.calls {
			if err := t.call(c); err != nil {
				return "", err
			}
		}
	}
	return stopRequests, nil
}

// begin stores the prompt. The first one gives the session its title.
func (t *turn) begin() error {
	s := t.s
	h := s.handle.Header()
	h.Updated = s.conn.core.opts.Clock()
	if h.Title == "" {
		h.Title = titleOf(t.user.Text)
	}
	if err := s.handle.SetHeader(h); err != nil {
		return storageError(err)
	}
	return t.commit(t.user)
}

// commit stores a record, makes it part of the history and sends updates.
func (t *turn) commit(r record, updates ...update) error {
	if err := t.s.chain.commit([]record{r}, updates...); err != nil {
		return err
	}
	if m := r.message(); m != nil {
		t.s.history = append(t.s.history, *m)
	}
	return nil
}

// take commits an answer of the model. Calls of an answer that was cut off or
// refused are dropped: they may lack their other half.
func (t *turn) take(a *answer) error {
	if a.end == model.EndMaxTokens || a.end == model.EndRefusal {
		a.calls = nil
	}
	usage := usageUpdates(a.usage, &t.sel.entry)
	if a.empty() {
		t.s.chain.send(usage...)
		return nil
	}
	for i := range a.calls {
		a.calls[i].ID = t.s.conn.core.opts.NewID("call_")
	}
	r := a.record()
	var shown []update
	if !t.s.conn.core.opts.Stream {
		shown = r.updates()
	}
	return t.commit(r, append(shown, usage...)...)
}

// end stores how the turn ended. The history is left so that the next prompt can
// follow it: every prompt has an answer, and a refused turn is taken out.
func (t *turn) end(stop string) error {
	s := t.s
	r := record{Type: recordEnd, Stop: stop}
	if stop == stopRefusal {
		s.history = slices.Clip(s.history[:t.base])
	} else if n := len(s.history); n > 0 && s.history[n-1].Role != model.RoleAssistant {
		r.Text = closings()[stop]
	}
	return t.commit(r)
}

// closings are what stands in the history for the answer that a turn lacks.
func closings() map[string]string {
	return map[string]string{
		stopEnd:       "(no answer)",
		stopTokens:    "(the answer was cut off before it began)",
		stopRequests:  "(the turn was ended: too many model requests)",
		stopCancelled: "(the user cancelled the turn)",
		stopError:     "(the turn ended with an error)",
	}
}

// stopOf is the stop reason for an ending of the model.
func stopOf(end model.End) (string, error) {
	switch end {
	case model.EndStop, model.EndToolCalls:
		return stopEnd, nil
	case model.EndMaxTokens:
		return stopTokens, nil
	case model.EndRefusal:
		return stopRefusal, nil
	}
	return "", fail(jsonrpc.CodeInternal, model.ReasonProvider, "the model ended its answer for an unknown reason: "+string(end), "ending", string(end))
}

// turnError is the response for a turn that failed.
func turnError(err error) error {
	var e *model.Error
	if errors.As(err, &e) {
		return fail(jsonrpc.CodeInternal, e.Reason, e.Error())
	}
	return err
}
