package agentcore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// elicit asks by a form. Secrets never go through it: the model is told not to ask
// for them.
//
// ACP: elicitation/create, mode form.
func (a askUser) elicit(ctx context.Context, b *batch) ([]inputAnswer, error) {
	raw, err := a.call(ctx, "elicitation/create", map[string]any{
		"sessionId": a.s.id, "toolCallId": a.callID, "mode": "form",
		"message":         b.message(a.s.conn.core.opts.Name),
		"requestedSchema": map[string]any{"type": "object", "properties": b.properties()},
	})
	if err != nil {
		return nil, err
	}
	var p struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return nil, errors.New("the answer is malformed")
	}
	if p.Action != "accept" {
		return nil, errors.New("the user did not answer")
	}
	content := object(p.Content)
	if content == nil && present(p.Content) {
		return nil, errors.New("the answer is malformed: content is no object")
	}
	return b.fromForm(content)
}

// message is the heading of the form: the question, or how many there are.
func (b *batch) message(caller string) string {
	if len(b.Questions) == 1 {
		return caller + ": " + b.Questions[0].Question
	}
	return fmt.Sprintf("%s: %d questions", caller, len(b.Questions))
}

// properties is the form's schema. Nothing is required: a question may stay
// unanswered.
func (b *batch) properties() map[string]any {
	all := map[string]any{}
	for i := range b.Questions {
		q, name := &b.Questions[i], fmt.Sprintf("q%d", i+1)
		all[name] = q.property()
		if len(q.Options) > 0 {
			all[name+"_other"] = map[string]any{"type": "string", "title": "Own words", "description": "instead of a choice"}
			all[name+"_note"] = map[string]any{"type": "string", "title": "Note", "description": "to the choice"}
		}
	}
	return all
}

func (q *question) property() map[string]any {
	p := map[string]any{"type": "string", "title": q.Header, "description": q.Question}
	if len(q.Options) == 0 {
		return p
	}
	choices := make([]map[string]any, len(q.Options))
	for i, o := range q.Options {
		choices[i] = map[string]any{"const": o.Label, "title": o.Label, "description": o.Description}
	}
	if !q.MultiSelect {
		p["oneOf"] = choices
		return p
	}
	p["type"], p["maxItems"] = "array", len(choices)
	p["items"] = map[string]any{"anyOf": choices}
	return p
}

// fromForm reads the fields back. Members that the form does not have void it.
func (b *batch) fromForm(content map[string]json.RawMessage) ([]inputAnswer, error) {
	answers, used := make([]inputAnswer, len(b.Questions)), 0
	for i := range b.Questions {
		n, err := b.Questions[i].fromForm(fmt.Sprintf("q%d", i+1), content, &answers[i])
		if err != nil {
			return nil, err
		}
		used += n
	}
	if used != len(content) {
		return nil, errors.New("the answer has fields that the form has not")
	}
	return answers, nil
}

// fromForm reads the fields of one question and counts them.
func (q *question) fromForm(name string, content map[string]json.RawMessage, a *inputAnswer) (int, error) {
	used := 0
	take := func(name string, into any) error {
		raw, ok := content[name]
		if !ok {
			return nil
		}
		used++
		if err := json.Unmarshal(raw, into); err != nil {
			return fmt.Errorf("the answer is malformed: %s: %w", name, err)
		}
		return nil
	}
	var single, other string
	into := any(&single)
	if q.MultiSelect && len(q.Options) > 0 {
		into = &a.Values
	}
	err := take(name, into)
	if len(q.Options) > 0 {
		err = errors.Join(err, take(name+"_other", &other), take(name+"_note", &a.Note))
	}
	if err != nil {
		return used, err
	}
	if single != "" {
		a.Values = []string{single}
	}
	if other != "" {
		if len(a.Values) > 0 {
			return used, errors.New("both a choice and own words are given")
		}
		a.Values = []string{other}
	}
	if a.Values == nil {
		a.Values = []string{}
	}
	return used, nil
}
