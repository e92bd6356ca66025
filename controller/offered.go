package controller

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// Purposes of options, as they are asked for by name. They are also the ids and
// categories that are looked for.
const (
	Model  = "model"
	Effort = "effort"
	Mode   = "mode"
)

// category is ACP's name for a purpose.
func category(purpose string) string {
	if purpose == Effort {
		return "thought_level"
	}
	return purpose
}

// Offered is what a session lets one choose. Raw is the agent's list of options,
// unchanged; nil when it reported none, "[]" when it reported an empty one.
type Offered struct {
	Options []Option        `json:"options"`
	Raw     json.RawMessage `json:"configOptions,omitempty"`
}

// Option is one choice that a session offers: a config option, or the modes or
// models of an agent that has no option for them.
//
// ACP: configOptions, modes, models.
type Option struct {
	Purpose  string          `json:"purpose,omitempty"` // model, effort, mode; empty for others
	ID       string          `json:"id,omitempty"`      // configId; empty for the older modes and models
	Label    string          `json:"label"`
	Category string          `json:"category,omitempty"`
	Type     string          `json:"type"` // select, boolean, or a newer one
	Current  json.RawMessage `json:"current,omitempty"`
	Choices  []Choice        `json:"choices,omitempty"`
}

// Choice is one value of an option.
type Choice struct {
	Value   string `json:"value"`
	Name    string `json:"name,omitempty"`
	Group   string `json:"group,omitempty"`
	Current bool   `json:"current,omitempty"`
}

// Groups returns the options that have choices, in the agent's order.
func (o Offered) Groups() []Option {
	return slices.DeleteFunc(slices.Clone(o.Options), func(op Option) bool { return len(op.Choices) == 0 })
}

// Offered returns what can be selected now. It shares nothing with the session.
func (s *Session) Offered() Offered {
	s.c.stage.enter()
	defer s.c.stage.leave()
	return s.offered()
}

// offered needs the stage.
func (s *Session) offered() Offered {
	raw, reported := s.proj.Options()
	var o Offered
	if reported {
		o.Raw = bytes.Clone(raw)
	}
	for _, item := range rawList(raw) {
		if op, ok := readOption(item); ok {
			o.Options = append(o.Options, op)
		}
	}
	for _, purpose := range []string{Model, Effort, Mode} {
		if i := o.find(purpose); i >= 0 {
			o.Options[i].Purpose = purpose
		}
	}
	o.Options = append(o.Options, s.legacy.options(&o)...)
	return o
}

// find returns the option for a purpose: by id, then by category; -1 without one.
// Only selects count: a switch named "model" chooses no model.
func (o *Offered) find(purpose string) int {
	byID := slices.IndexFunc(o.Options, func(op Option) bool { return op.Type == "select" && op.ID == purpose })
	if byID >= 0 {
		return byID
	}
	return slices.IndexFunc(o.Options, func(op Option) bool { return op.Type == "select" && op.Category == category(purpose) })
}

// purpose returns the option that was found for it, nil without one.
func (o *Offered) purpose(purpose string) *Option {
	for i := range o.Options {
		if o.Options[i].Purpose == purpose {
			return &o.Options[i]
		}
	}
	return nil
}

// current is the value in use for a purpose, empty when unknown.
func (o *Offered) current(purpose string) string {
	if op := o.purpose(purpose); op != nil {
		return jsonString(op.Current)
	}
	return ""
}

// readOption reads one config option; ok is false for something that has no id.
func readOption(raw json.RawMessage) (Option, bool) {
	m := members(raw)
	op := Option{
		ID: jsonString(m["id"]), Category: jsonString(m["category"]), Type: jsonString(m["type"]),
		Current: bytes.Clone(m["currentValue"]),
	}
	op.Label = cmp.Or(jsonString(m["name"]), op.ID)
	if op.Type == "select" {
		op.Choices = readChoices(m["options"], "", jsonString(op.Current))
	}
	return op, op.ID != ""
}

// readChoices reads the values of a select, flat or in groups.
func readChoices(raw json.RawMessage, group, current string) []Choice {
	var out []Choice
	for _, item := range rawList(raw) {
		m := members(item)
		if nested, ok := m["options"]; ok {
			out = append(out, readChoices(nested, cmp.Or(jsonString(m["name"]), jsonString(m["group"])), current)...)
			continue
		}
		if _, ok := m["value"]; ok {
			v := jsonString(m["value"])
			out = append(out, Choice{Value: v, Name: jsonString(m["name"]), Group: group, Current: v == current})
		}
	}
	return out
}

func rawList(raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}
