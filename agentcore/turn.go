package agentcore

import (
	"context"
	"errors"
	"slices"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/store"
	"github.com/acpctl/acpctl/agentcore/tool"
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
		if err != nil && !errors.Is(err, context.Canceled) {
			t.s.conn.core.opts.Logf("cancelled turn of session %s: %v", t.s.id, err)
		}
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
		t.s.conn.reply(t.r, t.result(stop))
	}
	t.release()
}

// result is the answer to the prompt, with the tokens that the provider told of.
// They are not in the standard yet.
func (t *turn) result(stop string) map[string]any {
	out := map[string]any{"stopReason": stop}
	u := &t.spent
	if u.InputTokens+u.OutputTokens == 0 || t.s.conn.core.opts.StandardOnly {
		return out
	}
	usage := map[string]int{"inputTokens": u.InputTokens, "outputTokens": u.OutputTokens, "totalTokens": u.InputTokens + u.OutputTokens}
	if u.ThoughtTokens > 0 {
		usage["thoughtTokens"] = u.ThoughtTokens
	}
	if u.CachedReadTokens > 0 {
		usage["cachedReadTokens"] = u.CachedReadTokens
	}
	out["usage"] = usage
	return out
}

// spend adds up what an answer cost.
func (t *turn) spend(u *model.Usage) {
	if u == nil {
		return
	}
	t.spent.InputTokens += u.InputTokens
	t.spent.OutputTokens += u.OutputTokens
	t.spent.ThoughtTokens += u.ThoughtTokens
	t.spent.CachedReadTokens += u.CachedReadTokens
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
	now := t.s.conn.core.opts.Clock()
	err := t.s.editHeader(func(h *store.Header) {
		h.Updated, h.Title = now, or(h.Title, titleOf(t.user.Text))
	})
	if err != nil {
		return err
	}
	return t.commit(t.user)
}

// commit makes a record part of the history, stores it and sends updates. The
// history has it also when the store fails, so that it stays whole.
func (t *turn) commit(r record, updates ...update) error {
	if m := r.message(); m != nil {
		t.s.history = append(t.s.history, *m)
	}
	return t.s.chain.commit([]record{r}, updates...)
}

// take commits an answer of the model. Calls of an answer that was cut off or
// refused are dropped: they may lack their other half.
func (t *turn) take(a *answer) error {
	if a.end == model.EndMaxTokens || a.end == model.EndRefusal {
		a.calls = nil
	}
	t.spend(a.usage)
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
// follow it: every call has a result and every prompt an answer, and a refused turn
// is taken out.
func (t *turn) end(stop string) error {
	s := t.s
	for _, c := range openCalls(s.history) {
		r := record{Type: recordTool, ID: c.ID, Text: "not run: the turn has ended", Tool: &recordedTool{
			Name: c.Name, Kind: tool.KindOther, RawInput: asJSON(string(c.Args)), IsError: true,
		}}
		if err := t.commit(r); err != nil {
			s.conn.core.opts.Logf("ending a turn of session %s: %v", s.id, err)
		}
	}
	r := record{Type: recordEnd, Stop: stop}
	if stop == stopRefusal {
		s.history = slices.Clip(s.history[:t.base])
	} else if n := len(s.history); n > 0 && s.history[n-1].Role != model.RoleAssistant {
		r.Text = closings()[stop]
	}
	return t.commit(r)
}

// openCalls are the calls at the end of the history that have no result.
func openCalls(history []model.Message) []model.Call {
	done := map[string]bool{}
	for _, m := range slices.Backward(history) {
		if m.Role != model.RoleTool {
			return slices.DeleteFunc(slices.Clone(m.Calls), func(c model.Call) bool { return done[c.ID] })
		}
		done[m.CallID] = true
	}
	return nil
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
	if e, ok := errors.AsType[*model.Error](err); ok {
		facts := []any{"retryable", e.Retryable}
		if e.RetryAfter > 0 {
			facts = append(facts, "retryAfterMs", e.RetryAfter.Milliseconds())
		}
		return fail(jsonrpc.CodeInternal, e.Reason, e.Error(), facts...)
	}
	return err
}
