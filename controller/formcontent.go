package controller

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
)

// content makes the content of an accepting answer: labels become values, own
// words go where the form has a place for them, defaults are filled in, and
// everything is checked.
func (f *elicitationForm) content(answer map[string]any) (map[string]any, error) {
	given, err := plainValues(answer)
	if err != nil {
		return nil, err
	}
	for name := range given {
		if f.property(name) == nil {
			return nil, fmt.Errorf("the form has no field %q", name)
		}
	}
	content := map[string]any{}
	for i := range f.properties {
		f.place(&f.properties[i], given, content)
	}
	for i := range f.properties {
		if err := f.check(&f.properties[i], content); err != nil {
			return nil, fmt.Errorf("field %s: %w", f.properties[i].name, err)
		}
	}
	if len(content) == 0 && len(f.properties) > 0 {
		return nil, errors.New("the answer has no value for any field")
	}
	return content, nil
}

// place puts one given value, or the default, into the content.
func (f *elicitationForm) place(p *property, given, content map[string]any) {
	v, ok := given[p.name]
	if !ok {
		if _, own := content[p.name]; !own && p.Default != nil && given[p.name+otherSuffix] == nil {
			if d, err := plainValue(p.Default); err == nil {
				content[p.name] = d
			}
		}
		return
	}
	options := p.options()
	other := f.property(p.name + otherSuffix)
	if text, isText := v.(string); isText && len(options) > 0 {
		value, found := optionValue(options, text)
		switch {
		case !found && other != nil && other.companion == p.name:
			content[other.name] = text
			return
		case p.Type == "array":
			v = []any{value}
		default:
			v = value
		}
	}
	if list, isList := v.([]any); isList && len(options) > 0 {
		v = optionValues(options, list)
	}
	content[p.name] = v
}

// check holds one field against its schema.
func (f *elicitationForm) check(p *property, content map[string]any) error {
	v, ok := content[p.name]
	if !ok {
		if p.required {
			return errors.New("is required")
		}
		return nil
	}
	if p.companion != "" {
		base, chosen := content[p.companion]
		switch note := strings.HasSuffix(p.name, noteSuffix); {
		case note && (!chosen || isEmpty(base)):
			return fmt.Errorf("a note needs a choice of %s", p.companion)
		case !note && chosen && !isEmpty(base):
			return fmt.Errorf("own words and a choice of %s cannot both be given", p.companion)
		}
	}
	checked, err := p.validate(v)
	content[p.name] = checked
	return err
}

func isEmpty(v any) bool {
	list, isList := v.([]any)
	return v == nil || v == "" || isList && len(list) == 0
}

// optionValue finds the option that a text means: by value, by label, then by
// either in any case where that is unique. Without one the text itself is
// returned.
func optionValue(options []event.Option, text string) (value string, found bool) {
	ways := []func(o *event.Option) bool{
		func(o *event.Option) bool { return o.Value == text },
		func(o *event.Option) bool { return o.Label == text },
		func(o *event.Option) bool {
			return strings.EqualFold(o.Value, text) || strings.EqualFold(o.Label, text)
		},
	}
	for _, way := range ways {
		var hits []string
		for i := range options {
			if way(&options[i]) {
				hits = append(hits, options[i].Value)
			}
		}
		if len(hits) == 1 {
			return hits[0], true
		}
	}
	return text, false
}

func optionValues(options []event.Option, list []any) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
		if text, ok := v.(string); ok {
			out[i], _ = optionValue(options, text)
		}
	}
	return out
}

// plainValues gives values of any Go type the form of decoded JSON; nulls are
// left out.
func plainValues(answer map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for name, v := range answer {
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", name, err)
		}
		plain, err := plainValue(raw)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", name, err)
		}
		if plain != nil {
			out[name] = plain
		}
	}
	return out, nil
}

func plainValue(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}
