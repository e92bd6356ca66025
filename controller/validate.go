package controller

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/acpctl/acpctl/controller/event"
)

// validate holds a value against the keywords of its property, and returns it as
// it is to be sent. It is a validator of its own, since the restricted schema of
// elicitations has other keywords for choices than JSON Schema in general.
func (p *property) validate(v any) (any, error) {
	switch p.Type {
	case "string":
		return v, p.validateString(v)
	case "number", "integer":
		return p.validateNumber(v)
	case "boolean":
		if _, ok := v.(bool); !ok {
			return v, errors.New("is not true or false")
		}
		return v, nil
	case "array":
		return v, p.validateArray(v)
	default:
		return v, fmt.Errorf("has the unknown type %q", p.Type)
	}
}

func (p *property) validateString(v any) error {
	s, ok := v.(string)
	if !ok {
		return errors.New("is not a string")
	}
	n := utf8.RuneCountInString(s)
	switch options := p.options(); {
	case len(options) > 0 && !isOption(options, s):
		return fmt.Errorf("%q is none of its options", s)
	case p.MinLength != nil && n < *p.MinLength:
		return fmt.Errorf("is shorter than %d characters", *p.MinLength)
	case p.MaxLength != nil && n > *p.MaxLength:
		return fmt.Errorf("is longer than %d characters", *p.MaxLength)
	}
	if err := matchPattern(p.Pattern, s); err != nil {
		return err
	}
	return checkFormat(p.Format, s)
}

func isOption(options []event.Option, s string) bool {
	return slices.ContainsFunc(options, func(o event.Option) bool { return o.Value == s })
}

// matchPattern refuses what it cannot check: a pattern of another dialect.
func matchPattern(pattern, s string) error {
	if pattern == "" {
		return nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("its pattern cannot be checked: %w", err)
	}
	if !re.MatchString(s) {
		return fmt.Errorf("does not match the pattern %s", pattern)
	}
	return nil
}

// checkFormat knows the formats of the restricted schema; others say nothing.
func checkFormat(format, s string) error {
	ok := true
	switch format {
	case "email":
		a, err := mail.ParseAddress(s)
		ok = err == nil && a.Name == "" && a.Address == s
	case "uri":
		u, err := url.Parse(s)
		ok = err == nil && u.IsAbs()
	case "date":
		_, err := time.Parse(time.DateOnly, s)
		ok = err == nil
	case "date-time":
		_, err := time.Parse(time.RFC3339, s)
		ok = err == nil
	}
	if !ok {
		return fmt.Errorf("is not of the format %s", format)
	}
	return nil
}

func (p *property) validateNumber(v any) (any, error) {
	number, ok := v.(json.Number)
	if !ok {
		return v, errors.New("is not a number")
	}
	f, err := number.Float64()
	switch {
	case err != nil || math.IsInf(f, 0):
		return v, errors.New("is not a number that can be sent")
	case p.Minimum != nil && f < *p.Minimum:
		return v, fmt.Errorf("is less than %v", *p.Minimum)
	case p.Maximum != nil && f > *p.Maximum:
		return v, fmt.Errorf("is more than %v", *p.Maximum)
	case p.Type == "number":
		return v, nil
	}
	if _, err := number.Int64(); err == nil {
		return v, nil
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return v, errors.New("is not an integer")
	}
	return int64(f), nil
}

func (p *property) validateArray(v any) error {
	list, ok := v.([]any)
	if !ok {
		return errors.New("is not a list")
	}
	switch {
	case p.MinItems != nil && len(list) < *p.MinItems:
		return fmt.Errorf("has fewer than %d values", *p.MinItems)
	case p.MaxItems != nil && len(list) > *p.MaxItems:
		return fmt.Errorf("has more than %d values", *p.MaxItems)
	}
	options := p.options()
	for i, item := range list {
		s, ok := item.(string)
		switch {
		case !ok:
			return errors.New("has a value that is not a string")
		case len(options) > 0 && !isOption(options, s):
			return fmt.Errorf("%q is none of its options", s)
		case slices.Contains(list[:i], item):
			return fmt.Errorf("has %q twice", s)
		}
	}
	return nil
}
