package controller

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
)

// property is one property of a requested schema, as far as the restricted
// schema of elicitations goes.
//
// ACP: ElicitationPropertySchema.
type property struct {
	name      string
	required  bool
	companion string

	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	Enum        []string        `json:"enum"`
	OneOf       []enumOption    `json:"oneOf"`
	AnyOf       []enumOption    `json:"anyOf"`
	Items       *property       `json:"items"`
	MinLength   *int            `json:"minLength"`
	MaxLength   *int            `json:"maxLength"`
	MinItems    *int            `json:"minItems"`
	MaxItems    *int            `json:"maxItems"`
	Minimum     *float64        `json:"minimum"`
	Maximum     *float64        `json:"maximum"`
	Pattern     string          `json:"pattern"`
	Format      string          `json:"format"`
}

// enumOption is a titled choice.
//
// ACP: EnumOption.
type enumOption struct {
	Const       string `json:"const"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// readForm reads a requested schema; its properties keep their order. A property
// that cannot be read counts as one of an unknown type.
func readForm(raw json.RawMessage) (*elicitationForm, error) {
	m := members(raw)
	if m == nil {
		return nil, errors.New("not an object")
	}
	if t, ok := m["type"]; ok && jsonString(t) != "object" {
		return nil, errors.New("its type is not object")
	}
	names, err := memberNames(m["properties"])
	if err != nil {
		return nil, fmt.Errorf("properties: %w", err)
	}
	f := &elicitationForm{}
	required := stringList(m["required"])
	values := members(m["properties"])
	for _, name := range names {
		var p property
		if json.Unmarshal(values[name], &p) != nil {
			p = property{}
		}
		p.name, p.required = name, slices.Contains(required, name)
		if string(p.Default) == "null" {
			p.Default = nil
		}
		f.properties = append(f.properties, p)
	}
	f.findCompanions()
	return f, nil
}

// memberNames returns the names of an object's members in their order; an absent
// object has none.
func memberNames(raw json.RawMessage) ([]string, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not an object")
	}
	var names []string
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok || slices.Contains(names, name) {
			return nil, fmt.Errorf("member %v appears twice", t)
		}
		names = append(names, name)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// Suffixes of the properties that go with another one: own words in place of a
// choice, and a note on it.
const (
	otherSuffix = "_other"
	noteSuffix  = "_note"
)

// findCompanions marks the properties that only comment on a choice.
func (f *elicitationForm) findCompanions() {
	for i := range f.properties {
		p := &f.properties[i]
		for _, suffix := range []string{otherSuffix, noteSuffix} {
			base, ok := strings.CutSuffix(p.name, suffix)
			if q := f.property(base); ok && q != nil && p.Type == "string" && len(q.options()) > 0 {
				p.companion = base
			}
		}
	}
}

func (f *elicitationForm) property(name string) *property {
	for i := range f.properties {
		if f.properties[i].name == name {
			return &f.properties[i]
		}
	}
	return nil
}

// options are the values that may be chosen; nil leaves the value free.
func (p *property) options() []event.Option {
	var out []event.Option
	for _, v := range p.Enum {
		out = append(out, event.Option{Value: v})
	}
	for _, o := range slices.Concat(p.OneOf, p.AnyOf) {
		out = append(out, event.Option{Value: o.Const, Label: o.Title, Description: o.Description})
	}
	if p.Items != nil {
		out = append(out, p.Items.options()...)
	}
	return out
}
