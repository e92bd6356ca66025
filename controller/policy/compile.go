package policy

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Policy is a compiled [Spec]: prepared patterns that never change. It is safe
// for concurrent use.
type Policy struct {
	fallback         Decision // allow, ask or deny
	allow, ask, deny []*rule
	parsers          *sync.Pool // of *syntax.Parser
}

// The names of the lists, as they are written in a recipe.
const (
	listAllow = "allow"
	listAsk   = "ask"
	listDeny  = "deny"
)

// Compile checks and prepares the rules. A nil spec is an empty one. The error
// joins one [*RuleError] for each faulty rule, in the order of the lists.
func Compile(spec *Spec) (*Policy, error) {
	if spec == nil {
		spec = &Spec{}
	}
	p := &Policy{fallback: spec.Default, parsers: newParsers()}
	var faults []error
	switch spec.Default {
	case "":
		p.fallback = Deny
	case Allow, Ask, Deny:
	default:
		faults = append(faults, &RuleError{Rule: string(spec.Default), Message: "unknown default; use deny, ask or allow"})
	}
	compile := func(list string, specs []RuleSpec) []*rule {
		rules := make([]*rule, 0, len(specs))
		for i := range specs {
			r, err := compileRule(list, &specs[i])
			if err != nil {
				faults = append(faults, err)
				continue
			}
			rules = append(rules, r)
		}
		return rules
	}
	p.allow = compile(listAllow, spec.Allow)
	p.ask = compile(listAsk, spec.Ask)
	p.deny = compile(listDeny, spec.Deny)
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return p, nil
}

// compileRule prepares one rule and its exception. The error is a *RuleError.
func compileRule(list string, spec *RuleSpec) (*rule, error) {
	text := joinSegments(spec.Rule)
	fail := func(in string, err *patternError) error {
		return &RuleError{At: spec.At, Rule: in, Message: err.message, Offset: err.offset}
	}
	if list == listAllow && (spec.Layer == LayerProject || spec.Layer == LayerUser) {
		return nil, fail(text.s, faultf(0, "allow rules cannot stand in the %s configuration; it may hold ask and deny", spec.Layer))
	}
	r, err := parseRule(text)
	if err != nil {
		return nil, fail(text.s, err)
	}
	r.list, r.at, r.layer, r.message = list, spec.At, spec.Layer, spec.Message
	if except := joinSegments(spec.Except); strings.TrimSpace(except.s) != "" {
		if r.except, err = parseRule(except); err != nil {
			return nil, fail(except.s, err)
		}
		if r.except.kinds&r.kinds == 0 {
			return nil, fail(except.s, faultf(0, "an exception of another kind than its rule never applies"))
		}
	}
	return r, nil
}

// patternError is a fault at a byte of a rule's text.
type patternError struct {
	offset  int
	message string
}

func faultf(offset int, format string, args ...any) *patternError {
	return &patternError{offset: offset, message: fmt.Sprintf(format, args...)}
}

// AskKinds lists the kinds that an ask or a deny rule is about, in alphabetical
// order: where an agent has to ask for these rules to hold.
func (p *Policy) AskKinds() []string {
	var kinds kindSet
	for _, list := range [][]*rule{p.ask, p.deny} {
		for _, r := range list {
			kinds |= r.kinds
		}
	}
	if kinds&(kindMCP|kindTool) != 0 {
		kinds |= kindOther // the kind under which agents announce calls that have no other
	}
	return (kinds & acpKinds).names()
}
