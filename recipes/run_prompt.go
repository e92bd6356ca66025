package recipes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/recipes/expr"
)

// prompting is a prompt step under way.
type prompting struct {
	step    *planStep
	session Session
	prompt  Prompt // but for its blocks and tool calls
	budget  budget
	outcome *outcome
	calls   []event.ToolCall
	denials []event.Denial
	missing []event.UncoveredCall
}

// promptStep opens or takes the session, selects what the step wants, and prompts
// until the output fits its schema.
func (r *run) promptStep(ctx context.Context, s *planStep, o *outcome) error {
	text, err := r.promptText(ctx, s)
	if err != nil {
		return err
	}
	p := &prompting{step: s, outcome: o, budget: budget{step: s}}
	if p.prompt, err = r.promptOf(ctx, s); err != nil {
		return err
	}
	session, done, err := r.session(ctx, s)
	if err != nil {
		return err
	}
	defer done()
	p.session = session
	r.result.SessionID = session.ID()
	o.members["sessionId"] = session.ID()
	if s.schema != nil {
		return r.structured(ctx, p, text)
	}
	_, err = r.turn(ctx, p, text)
	return err
}

// promptText evaluates the prompt. One that is empty, or that holds a declared
// secret, is refused: what an agent reads goes to a provider.
func (r *run) promptText(ctx context.Context, s *planStep) (string, error) {
	v := r.values
	if s.step.prompt.file != nil {
		vars, err := treeValues(ctx, s.step.prompt.vars, v)
		if err != nil {
			return "", err
		}
		v = v.with("vars", vars)
	}
	text, err := s.prompt.string(ctx, v)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "", &event.Failure{Class: event.ClassUsage, Reason: "empty_prompt", Message: fmt.Sprintf("step %s: the prompt is empty", s.id)}
	}
	if name := r.plan.holdsSecret(text); name != "" && !r.plan.allowSecret {
		return "", &event.Failure{
			Class: event.ClassUsage, Reason: "secret_in_prompt", Message: fmt.Sprintf("step %s: the prompt holds the secret %s", s.id, name),
			Hints: []string{"--allow-secret-in-prompt lifts this"},
		}
	}
	return text, nil
}

// promptOf are the rules and bounds of the step's turns.
func (r *run) promptOf(ctx context.Context, s *planStep) (Prompt, error) {
	p := Prompt{
		Idle: r.plan.Limits.Idle, Policy: r.plan.policy, Questions: r.plan.questions,
		OnUncovered: r.plan.onUncovered, OnDeny: r.plan.onDeny,
	}
	if s.limits.idle {
		p.Idle = s.limits.Idle
	}
	if s.permissions == nil {
		return p, nil
	}
	spec, err := s.permissions.spec(ctx, r.values)
	if err != nil {
		return p, err
	}
	if p.Policy, err = policy.Compile(policy.Merge(r.plan.rules, spec)); err != nil {
		return p, &event.Failure{Class: event.ClassUsage, Reason: "rule", Message: fmt.Sprintf("step %s: %v", s.id, err), Err: err}
	}
	for _, w := range p.Policy.Warnings(r.plan.policyEnv) {
		r.emit(s.id, event.Warning{Code: "rule_void", Message: w.Error()})
	}
	p.OnUncovered = cmp.Or(s.permissions.onUncovered, p.OnUncovered)
	p.OnDeny = cmp.Or(s.permissions.onDeny, p.OnDeny)
	return p, nil
}

// turn sends one prompt and takes its turn into the step and the result.
func (r *run) turn(ctx context.Context, p *prompting, text string) (Turn, error) {
	toolCalls, err := r.next(&p.budget)
	if err != nil {
		return Turn{}, err
	}
	prompt := p.prompt
	prompt.ToolCalls = toolCalls
	prompt.Blocks = append(prompt.Blocks, expr.JSON(map[string]any{"type": "text", "text": text}))
	t, err := p.session.Prompt(ctx, prompt)
	r.take(p, &t)
	return t, err
}

// take adds a turn to the step and to the result.
func (r *run) take(p *prompting, t *Turn) {
	p.budget.toolCalls += len(t.ToolCalls)
	r.toolCalls += len(t.ToolCalls)
	end := &p.outcome.end
	end.Text = t.Text
	end.Changes = mergeChanges(end.Changes, t.Changes)
	end.Usage = addUsage(end.Usage, t.Usage)
	r.result.Text, r.result.StopReason = t.Text, t.StopReason
	r.result.Usage = addUsage(r.result.Usage, t.Usage)
	if t.Cost != nil {
		r.costs[p.session.ID()] = *t.Cost
	}
	if t.Question != nil {
		r.result.Question = t.Question
	}
	r.result.Denials = append(r.result.Denials, t.Denials...)
	r.result.Uncovered = append(r.result.Uncovered, t.Uncovered...)
	p.calls, p.denials, p.missing = append(p.calls, t.ToolCalls...), append(p.denials, t.Denials...), append(p.missing, t.Uncovered...)
	p.show(t)
	r.refuse(p, t)
}

// show makes the turns of a step its result in expressions.
func (p *prompting) show(t *Turn) {
	m := p.outcome.members
	m["text"], m["stopReason"] = t.Text, t.StopReason
	m["usage"] = asValue(p.outcome.end.Usage)
	for name, list := range map[string]any{
		"toolCalls": p.calls, "changes": p.outcome.end.Changes, "denials": p.denials, "uncovered": p.missing,
	} {
		if m[name] = asValue(list); m[name] == nil {
			m[name] = []any{}
		}
	}
}

// refuse keeps the failure that calls which were not allowed make of a run that
// goes well otherwise, also out of a step with continueOnError: the step is ok and
// later ones run.
func (r *run) refuse(p *prompting, t *Turn) {
	switch {
	case r.refused != nil:
	case p.prompt.OnUncovered == reactFail && len(t.Uncovered) > 0:
		c := t.Uncovered[0]
		r.refused = &event.Failure{
			Class: event.ClassPermission, Reason: "uncovered", Message: "no rule covers " + callName(c.Kind, c.Command, c.Paths),
			Hints: uncoveredHints(t.Uncovered),
		}
	case r.plan.onUnasked == reactFail && len(t.Unasked) > 0:
		u := t.Unasked[0]
		f := &event.Failure{
			Class: event.ClassPermission, Reason: "unasked",
			Message: "the agent ran without asking, and no rule allows it: " + callName(u.Kind, u.Command, u.Paths),
			Hints:   []string{"onUnasked: warn in permissions only tells it", "a mode that asks, see --mode and docs/agents"},
		}
		if u.Rule != "" {
			f.Message = fmt.Sprintf("the agent ran without asking, against the rule %s (%s): %s", u.Rule, u.At, callName(u.Kind, u.Command, u.Paths))
		}
		for _, rule := range u.Suggest {
			f.Hints = append(f.Hints, "allow: "+rule)
		}
		r.refused = f
	case p.prompt.OnDeny == reactFail && len(t.Denials) > 0:
		d := t.Denials[0]
		r.refused = &event.Failure{
			Class: event.ClassPermission, Reason: "denied",
			Message: fmt.Sprintf("the rule %s (%s) denied %s", d.Rule, d.At, callName(d.Kind, d.Command, d.Paths)),
		}
	}
}

func uncoveredHints(calls []event.UncoveredCall) []string {
	var hints []string
	for _, c := range calls {
		for _, rule := range c.Suggest {
			hints = append(hints, "allow: "+rule)
		}
		if len(c.Suggest) == 0 && c.Hint != "" {
			hints = append(hints, c.Hint)
		}
	}
	slices.Sort(hints)
	return slices.Compact(hints)
}

// callName says in a few words what a call is.
func callName(kind, command string, paths []string) string {
	switch {
	case command != "":
		return fmt.Sprintf("the command %q", preview(command))
	case len(paths) > 0:
		return fmt.Sprintf("the %s of %s", cmp.Or(kind, "call"), preview(strings.Join(paths, " ")))
	default:
		return fmt.Sprintf("a call of kind %s", cmp.Or(kind, "other"))
	}
}

func addUsage(sum, more *event.Usage) *event.Usage {
	if sum == nil || more == nil {
		return cmp.Or(sum, more)
	}
	out := sum.Add(*more)
	return &out
}

// mergeChanges keeps one entry for each path, with the lines of both.
func mergeChanges(old, more []event.Change) []event.Change {
	out := slices.Clone(old)
	for _, c := range more {
		i := slices.IndexFunc(out, func(o event.Change) bool { return o.Path == c.Path })
		if i < 0 {
			out = append(out, c)
			continue
		}
		out[i].Added += c.Added
		out[i].Removed += c.Removed
		if out[i].Kind != "add" || c.Kind == "delete" {
			out[i].Kind = c.Kind
		}
	}
	return out
}
