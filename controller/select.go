package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
)

// Selection says what a session is set to. Empty parts are left as they are.
type Selection struct {
	Models []string       // the first one that is offered
	Effort string         // resolved after the model, on which its choices may depend
	Mode   string         // likewise
	Config map[string]any // other options by id; in the order of their ids
}

// Select makes the choices, one request after another, and emits session.start
// where that is still due. A choice is found by exact value, exact name, then
// by either in any case; what is unknown or ambiguous is a failure of class
// usage whose hints list the choices, and nothing further is set.
//
// ACP: session/set_config_option, session/set_mode.
func (s *Session) Select(ctx context.Context, sel Selection) error {
	if f := s.selectAll(ctx, &sel); f != nil {
		return f
	}
	s.c.stage.enter()
	defer s.c.stage.leave()
	s.start()
	return nil
}

func (s *Session) selectAll(ctx context.Context, sel *Selection) *event.Failure {
	for _, want := range []struct {
		purpose string
		names   []string
	}{{Model, sel.Models}, {Effort, oneName(sel.Effort)}, {Mode, oneName(sel.Mode)}} {
		if f := s.selectPurpose(ctx, want.purpose, want.names); f != nil {
			return f
		}
	}
	for _, id := range slices.Sorted(maps.Keys(sel.Config)) {
		if f := s.selectOption(ctx, id, sel.Config[id]); f != nil {
			return f
		}
	}
	return nil
}

func oneName(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// selectPurpose sets model, effort or mode to the first name that is offered.
func (s *Session) selectPurpose(ctx context.Context, purpose string, names []string) *event.Failure {
	if len(names) == 0 {
		return nil
	}
	offer := s.Offered()
	op := offer.purpose(purpose)
	if op == nil {
		return failf(event.ClassUsage, "no_"+purpose, "the agent offers no choice of %s", purpose)
	}
	value, f := op.firstOf(names)
	if f != nil {
		return f
	}
	switch {
	case op.ID != "":
		return s.setOption(ctx, op.ID, value)
	case purpose == Mode:
		return s.setMode(ctx, value)
	default:
		return s.setModel(ctx, value)
	}
}

// selectOption sets one option by its id. A value for an option of a type that
// is not known here is sent as it is.
func (s *Session) selectOption(ctx context.Context, id string, value any) *event.Failure {
	offer := s.Offered()
	i := slices.IndexFunc(offer.Options, func(op Option) bool { return op.ID == id && id != "" })
	if i < 0 {
		f := failf(event.ClassUsage, "unknown_option", "the agent has no option %q", id)
		for _, op := range offer.Options {
			if op.ID != "" {
				f.Hints = append(f.Hints, op.ID)
			}
		}
		return f
	}
	op := &offer.Options[i]
	switch op.Type {
	case "select":
		v, f := op.firstOf([]string{fmt.Sprint(value)})
		if f != nil {
			return f
		}
		return s.setOption(ctx, id, v)
	case "boolean":
		on, ok := asBool(value)
		if !ok {
			return failf(event.ClassUsage, "invalid_value", "option %s takes true or false, not %q", id, fmt.Sprint(value))
		}
		return s.setOption(ctx, id, on)
	default:
		return s.setOption(ctx, id, value)
	}
}

func asBool(v any) (on, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		return v == "true", v == "true" || v == "false"
	}
	return false, false
}

// firstOf returns the value of the first name that is offered.
func (o *Option) firstOf(names []string) (string, *event.Failure) {
	for _, name := range names {
		found := o.match(name)
		if len(found) == 1 {
			return found[0].Value, nil
		}
		if len(found) > 1 {
			f := failf(event.ClassUsage, "ambiguous_"+o.word(), "%s %q is ambiguous", o.word(), name)
			f.Hints = hintsFor(found)
			return "", f
		}
	}
	f := failf(event.ClassUsage, "unknown_"+o.word(), "the agent offers no %s %s", o.word(), quotedList(names))
	f.Hints = hintsFor(o.Choices)
	return "", f
}

// word names the option in messages and reasons.
func (o *Option) word() string { return cmp.Or(o.Purpose, "value") }

// match finds the choices that a name means: by exact value, by exact name, by
// either in any case. The first way that finds something counts.
func (o *Option) match(name string) []Choice {
	ways := []func(c *Choice) bool{
		func(c *Choice) bool { return c.Value == name },
		func(c *Choice) bool { return c.Name == name },
		func(c *Choice) bool { return strings.EqualFold(c.Value, name) || strings.EqualFold(c.Name, name) },
	}
	for _, way := range ways {
		var found []Choice
		for i := range o.Choices {
			if way(&o.Choices[i]) {
				found = append(found, o.Choices[i])
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func hintsFor(choices []Choice) []string {
	var out []string
	for _, c := range choices {
		line := c.Value
		if c.Name != "" && c.Name != c.Value {
			line += " (" + c.Name + ")"
		}
		out = append(out, line)
	}
	return out
}

func quotedList(names []string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(q, ", ")
}

// setOption sends one choice. The answer replaces the whole list in wire order,
// also when it comes after the caller gave up.
func (s *Session) setOption(ctx context.Context, id string, value any) *event.Failure {
	params := map[string]any{"sessionId": s.id, "configId": id, "value": value}
	if _, ok := value.(bool); ok {
		params["type"] = "boolean"
	}
	return s.set(ctx, "session/set_config_option", params, func(result json.RawMessage, err error) {
		if options, ok := members(result)["configOptions"]; ok && err == nil {
			s.stageDo(func() { s.showAll(s.proj.Config(options, "response")) })
		}
	})
}

func (s *Session) setMode(ctx context.Context, mode string) *event.Failure {
	params := map[string]any{"sessionId": s.id, "modeId": mode}
	return s.set(ctx, "session/set_mode", params, func(_ json.RawMessage, err error) {
		if err == nil {
			s.stageDo(func() { s.show(event.Mode{ModeID: mode, Origin: "response"}) })
		}
	})
}

// setModel uses the call of agents that list models without a config option.
func (s *Session) setModel(ctx context.Context, model string) *event.Failure {
	params := map[string]any{"sessionId": s.id, "modelId": model}
	return s.set(ctx, "session/set_model", params, func(_ json.RawMessage, err error) {
		if err == nil {
			s.stageDo(func() { s.legacy.model = model })
		}
	})
}

func (s *Session) set(ctx context.Context, method string, params any, onResponse func(json.RawMessage, error)) *event.Failure {
	_, f := s.c.call(ctx, method, params, s.c.opts.Deadlines.Call, onResponse)
	return f
}

// stageDo runs f with the stage held.
func (s *Session) stageDo(f func()) {
	s.c.stage.enter()
	defer s.c.stage.leave()
	f()
}

func (s *Session) showAll(bodies []event.Body) {
	for _, b := range bodies {
		s.show(b)
	}
}
