package controller

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/acpctl/acpctl/controller/event"
)

// asking is a question on its way through answer and delivery.
type asking struct {
	t    *turn
	o    *owner
	body event.Question
	form form
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
func (c *Conn) question(o *owner, session string, body event.Question, f form) {
	s, _ := c.lookup(session)
	q := &asking{o: o, body: body, form: f}
	q.body.RequestID = idText(o.r.ID)
	if s != nil {
		s.received(func() {
			s.showAll(s.proj.Question(body.ToolCallID))
			q.t = s.running()
		})
	}
	if q.t == nil || !q.t.ask(q.run) {
		go o.answer(func() any { return f.refusal(ActionCancel) })
		c.warnNoise("", "late_request", fmt.Sprintf("question outside a turn of session %q was cancelled", session))
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
func (q *asking) run() {
	ans, decided := q.ask()
	res := q.resolve(&ans)
	if decided && res.err != nil {
		q.body.Error = res.err.Error()
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
	if state == stateFailed {
		q.t.stop(failf(event.ClassProtocol, "answer_not_delivered", "the answer to a question could not be written"))
	}
}

// ask gets the answer. decided is false when the question was withdrawn before
// there was one; a source that panics has no answer.
func (q *asking) ask() (ans Answer, decided bool) {
	source := q.t.prompt.Answer
	if q.t.cause() != nil {
		return ans, false
	}
	if source == nil {
		return Answer{Action: ActionStop, By: "default"}, true
	}
	ctx, cancel := context.WithCancel(q.o.r.Context())
	defer cancel()
	answers := make(chan Answer, 1)
	body := q.body
	go func() {
		defer func() {
			if r := recover(); r != nil {
				q.t.s.c.opts.Logf("answering a question: panic: %v", r)
				answers <- Answer{Action: ActionStop}
			}
		}()
		answers <- source(ctx, &body)
	}()
	select {
	case ans = <-answers:
		return ans, true
	case <-q.o.gone():
	case <-q.t.halted:
	case <-q.t.settled:
	}
	return ans, false
}

// resolve turns an answer into what is sent.
func (q *asking) resolve(ans *Answer) resolved {
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
func (q *asking) record(ans *Answer, sent *resolved, decided bool, state ownerState) {
	q.body.Action, q.body.Content = sent.action, sent.content
	if decided {
		q.body.By, q.body.Rule, q.body.At = ans.By, ans.Rule, ans.At
	}
	switch state {
	case stateFailed:
		q.body.Error = "the answer could not be written"
	case stateWithdrawn, stateStale:
		q.body.Action, q.body.Content = ActionCancel, nil
		q.body.Error = orText(q.body.Error, "the question was withdrawn")
	}
	if q.t.finished {
		return
	}
	q.t.s.show(q.body)
	if q.body.Error != "" || sent.action == ActionStop {
		body := q.body
		q.t.result.Question = &body
	}
}

// subject names the question in a message.
func (q *asking) subject() string {
	if q.body.Message != "" || len(q.body.Fields) == 0 {
		return q.body.Message
	}
	return orText(q.body.Fields[0].Description, q.body.Fields[0].Title)
}
