package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/acpctl/acpctl/controller/event"
)

// questionAsk is a question on its way through answer and delivery.
type questionAsk struct {
	t    *turn
	o    *owner
	body event.Question
	form form
	url  *urlAsk // of a question of mode url
	// unfit: an answer did not fit, and why is in the body.
	unfit bool
}

// form is one of the two ways in which agents ask.
type form interface {
	// fit makes the accepting result of an answer's content, or says why the
	// content does not fit the question; content is what the event shows.
	fit(answer map[string]any) (result any, content json.RawMessage, err error)
	// refusal is the result that declines or cancels.
	refusal(action string) any
}

// question takes a checked question in.
func (c *Conn) question(o *owner, session string, body event.Question, f form, ask *urlAsk) {
	s, _ := c.lookup(session)
	q := &questionAsk{o: o, body: body, form: f, url: ask}
	q.body.RequestID = idText(o.r.ID)
	if s != nil {
		s.received(func() {
			s.showAll(s.proj.Question(body.ToolCallID))
			q.t = s.running()
		})
	}
	if q.t == nil || !q.t.ask(q.run) {
		go o.answer(func() any { return f.refusal(ActionCancel) })
		c.warnNoise("late_request", fmt.Sprintf("question outside a turn of session %q was cancelled", session))
	}
}

// resolved is what will be sent and shown.
type resolved struct {
	result  any
	action  string
	content json.RawMessage
	err     error // why the answer did not fit
}

// run answers and records one question. An answer that does not fit is never
// sent: the source of answers is asked once more, with the reason, and what is
// then still no answer cancels.
func (q *questionAsk) run() {
	ans, decided := q.ask()
	res := q.resolve(&ans)
	if decided && res.err != nil {
		q.unfit, q.body.Error = true, res.err.Error()
		if ans, decided = q.ask(); ans.Action == ActionAccept {
			ans.Action = ActionCancel
		}
		res = q.resolve(&ans)
	}
	if decided && res.action == ActionStop {
		q.t.stop(failf(event.ClassQuestion, "unanswered", "no answer to the agent's question: %s", q.subject()))
	}
	sent := res
	state := q.t.deliver(q.o, func() any {
		if !decided || q.t.cause() != nil || q.t.isMoot() {
			sent = resolved{result: q.form.refusal(ActionCancel), action: ActionCancel}
		}
		return sent.result
	}, func(state ownerState) {
		if decided && res.action == ActionStop {
			sent.action = ActionStop
		}
		q.record(&ans, &sent, decided, state)
	})
	if state == stateSent && sent.action == ActionAccept && q.url != nil {
		q.t.s.c.consented(q.url, q.t.s.id, q.body.RequestID)
	}
	if state == stateFailed {
		q.t.stop(failf(event.ClassProtocol, "answer_not_delivered", "the answer to a question could not be written"))
	}
}

// ask gets the answer; a source that panics has none.
func (q *questionAsk) ask() (ans Answer, decided bool) {
	ctx, cancel := context.WithCancel(q.o.r.Context())
	defer cancel()
	body := q.body
	return consult(q.t, q.o, func() Answer { return q.t.prompt.Answer(ctx, &body) }, func(reason any) Answer {
		q.t.s.c.opts.Logf("answering a question: panic: %v", reason)
		return Answer{Action: ActionStop}
	})
}

// resolve turns an answer into what is sent.
func (q *questionAsk) resolve(ans *Answer) resolved {
	switch ans.Action {
	case ActionDecline, ActionCancel:
		return resolved{result: q.form.refusal(ans.Action), action: ans.Action}
	case ActionAccept:
		result, content, err := q.form.fit(ans.Content)
		if err != nil {
			return resolved{result: q.form.refusal(ActionCancel), action: ActionCancel, err: err}
		}
		return resolved{result: result, action: ActionAccept, content: content}
	default:
		return resolved{result: q.form.refusal(ActionCancel), action: ActionStop}
	}
}

// record emits the question event. The turn's result keeps the question that
// stopped it, or whose answer did not fit. The stage must be held.
func (q *questionAsk) record(ans *Answer, sent *resolved, decided bool, state ownerState) {
	q.body.Action, q.body.Content = sent.action, sent.content
	if decided {
		q.body.By, q.body.Rule, q.body.At = ans.By, ans.Rule, ans.At
	}
	switch state {
	case stateFailed:
		q.body.Error = "the answer could not be written"
	case stateWithdrawn, stateStale:
		q.body.Action, q.body.Content = ActionCancel, nil
		q.body.Error = cmp.Or(q.body.Error, "the question was withdrawn")
	}
	if q.t.finished {
		return
	}
	q.t.s.show(q.body)
	if q.unfit || sent.action == ActionStop {
		body := q.body
		q.t.result.Question = &body
	}
}

// subject names the question in a message.
func (q *questionAsk) subject() string {
	if q.body.Message != "" || len(q.body.Fields) == 0 {
		return q.body.Message
	}
	return cmp.Or(q.body.Fields[0].Description, q.body.Fields[0].Title)
}
