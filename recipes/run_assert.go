package recipes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/recipes/expr"
)

// assertAll checks every assertion of a step that went well, and fails with the
// first that does not hold. The step's own result is the input.
func (r *run) assertAll(ctx context.Context, s *planStep, o *outcome) error {
	var first error
	for i := range s.asserts {
		if err := r.assert(ctx, s, &s.asserts[i], o); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (r *run) assert(ctx context.Context, s *planStep, a *assertion, o *outcome) error {
	ok, err := a.that.Bool(ctx, o.members, r.values.vars)
	e := event.Assert{That: a.that.String(), OK: ok}
	if ok {
		r.emit(s.id, e)
		return nil
	}
	message := fmt.Sprintf("step %s: assertion failed: %s", s.id, a.that)
	e.Message, _ = a.message.string(ctx, r.values) // a message that fails says less than the assertion
	if e.Message != "" {
		message += ": " + e.Message
	}
	if err != nil {
		message += ": " + err.Error()
		e.Message = cmp.Or(e.Message, err.Error())
	} else if e.Value = r.subject(ctx, a.that, o); e.Value != nil {
		message += ": the value is " + cut(string(e.Value), valueShown)
	}
	r.emit(s.id, e)
	return &event.Failure{Class: event.ClassAssert, Reason: "assertion", Message: message, Err: err}
}

// How much of a value stands in a message and in an event, in characters.
const (
	valueShown = 200
	valueKept  = 16 << 10
)

// subject is the value that a failed assertion is about, as JSON; nil when it
// cannot be told. A long one is cut, and then a string.
func (r *run) subject(ctx context.Context, that *expr.Code, o *outcome) json.RawMessage {
	code, ok := that.Subject()
	if !ok {
		return nil
	}
	v, err := code.Value(ctx, o.members, r.values.vars)
	if err != nil {
		return nil
	}
	value := expr.JSON(v)
	if len(value) > valueKept {
		return expr.JSON(cut(string(value), valueKept))
	}
	return value
}

func cut(s string, length int) string {
	if runes := []rune(s); len(runes) > length {
		return string(runes[:length]) + "..."
	}
	return s
}
