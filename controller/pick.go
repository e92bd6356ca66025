package controller

import (
	"errors"
	"fmt"
	"slices"

	"github.com/acpctl/acpctl/controller/policy"
)

// permissionOption is one offered choice.
//
// ACP: PermissionOption.
type permissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

// errNotOffered refuses an option that the request does not have.
var errNotOffered = errors.New("the permission request does not offer that option")

// choice is the answer to a permission request; empty means cancelled.
type choice string

// choose checks that the request offers an option.
func choose(options []permissionOption, id string) (choice, error) {
	for _, op := range options {
		if op.OptionID == id && id != "" {
			return choice(id), nil
		}
	}
	return "", fmt.Errorf("%w: %q", errNotOffered, id)
}

// outcome is the wire form.
//
// ACP: RequestPermissionOutcome.
func (c choice) outcome() any {
	if c == "" {
		return cancelledOutcome()
	}
	return selectedOutcome{Outcome: selected{"selected", string(c)}}
}

type selectedOutcome struct {
	Outcome selected `json:"outcome"`
}

type selected struct {
	Outcome  string `json:"outcome"`
	OptionID string `json:"optionId,omitempty"`
}

func cancelledOutcome() any { return selectedOutcome{Outcome: selected{Outcome: "cancelled"}} }

// optionOf is the option that an outcome selects, empty for cancelled.
func optionOf(outcome any) string {
	if o, ok := outcome.(selectedOutcome); ok {
		return o.Outcome.OptionID
	}
	return ""
}

// pick maps the decision to an offered option by its kind, never by position or
// name and never from deny to allow. Where an allow cannot be said without
// allowing more or something else, the call counts as uncovered.
func (a *permissionAsk) pick(out *policy.Outcome) choice {
	if out.Decision != policy.Allow {
		uncover(out)
		return a.ofKind("reject_once", "reject_always")
	}
	if a.t.s.c.opts.Remember {
		if always := a.all("allow_always"); len(always) == 1 {
			return always[0]
		}
	}
	once := a.all("allow_once")
	if len(once) == 1 {
		return once[0]
	}
	out.Decision, out.Suggest = policy.Uncovered, nil
	switch {
	case len(once) > 1:
		out.Why = fmt.Sprintf("the agent offers %d options that allow once, and a rule cannot tell them apart", len(once))
	case len(a.all("allow_always")) > 0:
		out.Why = "the agent does not offer to allow once"
		out.Hint = "permissions.remember: session lets an allow rule pick allow_always"
	default:
		out.Why = "the agent offers no option that allows"
	}
	return ""
}

// uncover says why a refused ask counts as uncovered; who decided stays visible.
func uncover(out *policy.Outcome) {
	if out.Decision != policy.Ask {
		return
	}
	out.Why = "permissions ask by default, and nobody can answer"
	if out.Rule != "" {
		out.Why = fmt.Sprintf("the rule %q (%s) asks, and nobody can answer", out.Rule, out.At)
	}
	if len(out.Suggest) == 0 && out.Hint == "" {
		out.Hint = "no allow rule overrides an ask; change the one that asks"
	}
}

// ofKind is the first option, in wire order, of the first kind that is offered;
// cancelled without one.
func (a *permissionAsk) ofKind(kinds ...string) choice {
	for _, kind := range kinds {
		if found := a.all(kind); len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

func (a *permissionAsk) all(kind string) []choice {
	var out []choice
	for _, op := range slices.All(a.options) {
		if op.Kind == kind {
			if c, err := choose(a.options, op.OptionID); err == nil {
				out = append(out, c)
			}
		}
	}
	return out
}
