package controller

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

// ruledKinds are the kinds of which a call needs a rule: an unasked one that none
// covers is told. Agents read, search and think without asking anybody, so of
// other kinds only what a rule forbids or wants asked is.
func ruledKinds() []string { return []string{"edit", "delete", "move", "execute", "fetch"} }

// audit holds the calls that the turn ran without asking, or that changed since
// they were allowed, against the rules. The stage must be held.
func (t *turn) audit() {
	for _, tc := range t.s.proj.ToolCalls() {
		if tc.Status != "completed" && tc.Status != "in_progress" && tc.Status != "failed" {
			continue
		}
		call := policyCall(&tc)
		if facts, asked := t.asked[tc.ToolCallID]; asked && (facts == "" || facts == factsOf(&tc)) {
			continue
		}
		out := t.judge(call)
		if !tellsOf(tc.Kind, tc.Status, out.Decision) {
			continue
		}
		u := event.Unasked{
			ToolCallID: tc.ToolCallID, Kind: tc.Kind, Command: tc.Command, Paths: slices.Clone(tc.Paths),
			Decision: string(out.Decision), Rule: out.Rule, At: out.At, Message: out.Message,
			Suggest: append([]string{}, out.Suggest...), Hint: out.Hint,
		}
		t.s.show(u)
		t.result.Unasked = append(t.result.Unasked, u)
	}
}

// judge asks the policy; one that panics covers nothing.
func (t *turn) judge(call *policy.Call) (out policy.Outcome) {
	defer func() {
		if r := recover(); r != nil {
			out = policy.Outcome{Decision: policy.Uncovered, Why: fmt.Sprintf("the policy could not decide: %v", r)}
		}
	}()
	return t.prompt.Decide(call)
}

// tellsOf says whether an unasked call is worth telling. One that failed may
// never have run, so only a rule against it counts.
func tellsOf(kind, status string, d policy.Decision) bool {
	switch d {
	case policy.Allow:
		return false
	case policy.Uncovered:
		return status != "failed" && slices.Contains(ruledKinds(), kind)
	default:
		return true
	}
}

// factsOf tells whether a call is still the one that was decided: the command that
// it runs, else the paths that it touches. A call without either stays the same.
func factsOf(tc *event.ToolCallState) string {
	if tc.Command != "" {
		return tc.Command
	}
	paths := slices.Clone(tc.Paths)
	slices.Sort(paths)
	return strings.Join(paths, "\x00")
}
