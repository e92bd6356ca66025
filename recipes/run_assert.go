package recipes

import (
	"cmp"
	"context"
	"fmt"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/recipes/expr"
)

// assertAll checks every assertion of a step that went well, and fails with the
// first that does not hold. The step's own result is the expression's input.
func (r *run) assertAll(ctx context.Context, s *planStep, o *outcome) error {
	var failure error
	for i := range s.asserts {
		if f := r.assert(ctx, s, &s.asserts[i], o); f != nil && failure == nil {
			failure = f
		}
	}
	return failure
}

func (r *run) assert(ctx context.Context, s *planStep, a *assertion, o *outcome) error {
	ok, err := a.that.Bool(ctx, o.value, r.values.vars)
	e := event.Assert{That: a.that.String(), OK: ok}
	if ok {
		r.emit(s.id, e)
		return nil
	}
	message, textErr := a.message.string(ctx, r.values)
	if textErr != nil {
		message = textErr.Error()
	}
	if err != nil {
		e.Message = cmp.Or(message, err.Error())
		r.emit(s.id, e)
		return &event.Failure{Class: event.ClassAssert, Reason: "assertion", Message: fmt.Sprintf("step %s: %v", s.id, err)}
	}
	e.Message, e.Value = message, r.subject(ctx, a.that, o)
	r.emit(s.id, e)
	text := fmt.Sprintf("step %s: assertion does not hold: %s", s.id, a.that)
	if message != "" {
		text = fmt.Sprintf("step %s: %s: %s", s.id, message, a.that)
	}
	if e.Value != nil {
		text += " (the value is " + shorten(string(e.Value)) + ")"
	}
	return &event.Failure{Class: event.ClassAssert, Reason: "assertion", Message: text}
}

// subject is the value that a failed assertion is about, as JSON; nil when it
// cannot be told.
func (r *run) subject(ctx context.Context, that *expr.Code, o *outcome) []byte {
	code, ok := that.Subject()
	if !ok {
		return nil
	}
	v, err := code.Value(ctx, o.value, r.values.vars)
	if err != nil {
		return nil
	}
	return expr.JSON(v)
}

// shorten cuts a value in a message to 200 characters.
func shorten(s string) string {
	const width = 200
	if r := []rune(s); len(r) > width {
		return string(r[:width]) + "..."
	}
	return s
}
