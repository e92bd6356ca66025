package agentcore

import (
	"strings"

	"github.com/acpctl/acpctl/agentcore/model"
)

// answer is what the model answered to one request.
type answer struct {
	id, thoughtID string
	text, thought strings.Builder
	calls         []model.Call
	usage         *model.Usage
	end           model.End
}

func (a *answer) empty() bool { return a.text.Len() == 0 && a.thought.Len() == 0 && len(a.calls) == 0 }

func (a *answer) record() record {
	r := record{Type: recordAssistant, ID: a.id, ThoughtID: a.thoughtID, Text: a.text.String(), Thought: a.thought.String()}
	for _, c := range a.calls {
		r.Calls = append(r.Calls, recordCall{ID: c.ID, Name: c.Name, Args: string(c.Args)})
	}
	return r
}

// ask gets one complete answer. What fails for the moment is tried again; such an
// attempt leaves nothing but, where text is streamed, its retraction.
func (t *turn) ask(step int) (*answer, error) {
	wait := waiting{next: firstWait, left: maxWait}
	for attempt := 1; ; attempt++ {
		a, err := t.attempt(step)
		switch {
		case err == nil:
			return a, nil
		case t.ctx.Err() != nil:
			return nil, t.keep(a)
		}
		if t.s.conn.core.opts.Stream {
			t.s.chain.discard(a.ids())
		}
		if attempt == maxAttempts {
			return nil, err
		}
		failed, pause, err := t.pause(&wait, err)
		if err != nil {
			return nil, err
		}
		t.s.chain.retrying(attempt, pause, failed.Reason, failed.Error())
		if err := sleep(t.ctx, pause); err != nil {
			return nil, err
		}
	}
}

// attempt makes one request. The answer is returned with the error as well, as far
// as it came.
func (t *turn) attempt(step int) (*answer, error) {
	a := new(answer)
	if err := t.ctx.Err(); err != nil {
		return a, err
	}
	for c, err := range t.sel.entry.Model.Stream(t.ctx, t.request(step)) {
		if err != nil {
			return a, err
		}
		t.add(a, &c)
	}
	if a.end == "" {
		return a, &model.Error{Reason: model.ReasonProvider, Message: "the answer of the model broke off", Retryable: true}
	}
	return a, nil
}

// add takes in one chunk, and shows it where text is streamed.
func (t *turn) add(a *answer, c *model.Chunk) {
	stream := t.s.conn.core.opts.Stream
	if c.Thought != "" {
		a.thoughtID = t.newID(a.thoughtID)
		a.thought.WriteString(c.Thought)
		if stream {
			t.s.chain.send(chunk("agent_thought_chunk", a.thoughtID, c.Thought))
		}
	}
	if c.Text != "" {
		a.id = t.newID(a.id)
		a.text.WriteString(c.Text)
		if stream {
			t.s.chain.send(chunk("agent_message_chunk", a.id, c.Text))
		}
	}
	if c.Call != nil {
		a.calls = append(a.calls, *c.Call)
	}
	if c.Usage != nil {
		a.usage = c.Usage
	}
	if c.End != "" {
		a.end = c.End
	}
}

// newID is the id of a message, made when the first part of it comes.
func (t *turn) newID(old string) string {
	if old != "" {
		return old
	}
	return t.s.conn.core.opts.NewID("msg_")
}

// ids are those under which parts of the answer were shown.
func (a *answer) ids() []string {
	var list []string
	for _, id := range []string{a.thoughtID, a.id} {
		if id != "" {
			list = append(list, id)
		}
	}
	return list
}

// keep commits what the client saw of an answer that was cancelled.
func (t *turn) keep(a *answer) error {
	a.calls = nil
	if t.s.conn.core.opts.Stream && !a.empty() {
		if err := t.commit(a.record()); err != nil {
			return err
		}
	}
	return t.ctx.Err()
}
