package recipes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/recipes/expr"
)

// promptStep opens or takes the session, selects what the step wants, and
// prompts until the output fits its schema.
func (r *run) promptStep(ctx context.Context, s *planStep, o *outcome) error {
	text, err := r.promptOf(ctx, s)
	if err != nil {
		return err
	}
	p, err := r.permissionsOf(ctx, s)
	if err != nil {
		return err
	}
	session, err := r.session(ctx, s)
	if err != nil {
		return err
	}
	r.result.SessionID = session.ID()
	o.value["sessionId"] = session.ID()
	if s.schema == nil {
		_, err := r.turn(ctx, s, session, p, text, o)
		return err
	}
	return r.structured(ctx, s, session, p, text, o)
}

// promptOf evaluates the prompt; one that holds a declared secret is refused.
func (r *run) promptOf(ctx context.Context, s *planStep) (string, error) {
	v := r.values
	if s.step.prompt.file != nil {
		vars, err := treeValues(ctx, s.step.prompt.vars, v)
		if err != nil {
			return "", err
		}
		if vars == nil {
			vars = map[string]any{}
		}
		v = v.with("vars", vars)
	}
	text, err := s.prompt.string(ctx, v)
	if err != nil {
		return "", err
	}
	if name := r.plan.holdsSecret(text); name != "" && !r.plan.allowSecret {
		return "", &event.Failure{
			Class: event.ClassUsage, Reason: "secret_in_prompt", Message: fmt.Sprintf("step %s: the prompt holds the secret %s", s.id, name),
			Hints: []string{"--allow-secret-in-prompt lifts this"},
		}
	}
	return text, nil
}

// permissionsOf are the rules of the run with those of the step.
func (r *run) permissionsOf(ctx context.Context, s *planStep) (*stepPolicy, error) {
	out := &stepPolicy{r.plan.policy, r.plan.onUncovered, r.plan.onDeny}
	if s.permissions == nil {
		return out, nil
	}
	spec, err := s.permissions.spec(ctx, r.values)
	if err != nil {
		return nil, err
	}
	if out.policy, err = policy.Compile(policy.Merge(r.plan.rules, spec)); err != nil {
		return nil, &event.Failure{Class: event.ClassUsage, Reason: "rule", Message: fmt.Sprintf("step %s: %v", s.id, err)}
	}
	out.onUncovered, out.onDeny = cmp.Or(s.permissions.onUncovered, out.onUncovered), cmp.Or(s.permissions.onDeny, out.onDeny)
	return out, nil
}

type stepPolicy struct {
	policy              *policy.Policy
	onUncovered, onDeny string
}

// session is the step's session with its selections made.
func (r *run) session(ctx context.Context, s *planStep) (Session, error) {
	want, err := s.settings.selection(ctx, r.values)
	if err != nil {
		return nil, err
	}
	want = r.plan.selection.with(want).with(r.plan.flags)
	session, selected := r.main, r.selected
	if s.fresh || session == nil {
		if session, err = r.opts.Driver.Open(ctx, SessionSpec{Cwd: r.plan.Cwd, AddDirs: r.plan.AddDirs, MCPServers: r.plan.MCPServers}); err != nil {
			return nil, err
		}
		selected = Selection{}
	}
	if err := session.Select(ctx, want.beyond(selected)); err != nil {
		return nil, err
	}
	if !s.fresh {
		r.main, r.selected = session, want
	}
	return session, nil
}

// turn sends one prompt and takes its turn into the step and the result.
func (r *run) turn(ctx context.Context, s *planStep, session Session, p *stepPolicy, text string, o *outcome) (Turn, error) {
	tools, err := r.budget(s)
	if err != nil {
		return Turn{}, err
	}
	block, err := json.Marshal(map[string]string{"type": "text", "text": text})
	if err != nil {
		return Turn{}, err
	}
	r.turns++
	idle := r.plan.Limits.Idle
	if s.limits.idle {
		idle = s.limits.Idle
	}
	t, err := session.Prompt(ctx, Prompt{
		Blocks: []json.RawMessage{block}, Idle: idle, ToolCalls: tools,
		Policy: p.policy, OnUncovered: p.onUncovered, OnDeny: p.onDeny, Questions: r.plan.questions,
	})
	r.take(o, &t)
	if err == nil {
		err = r.reaction(p, &t)
	}
	return t, err
}

// budget is how many tool calls the next turn may make, 0 for any number.
func (r *run) budget(s *planStep) (int, error) {
	if most := r.plan.Limits.Turns; most > 0 && r.turns >= most {
		r.emit(s.id, event.Limit{Name: "turns", Value: float64(r.turns + 1), Max: float64(most)})
		return 0, &event.Failure{Class: event.ClassLimit, Reason: "turns", Message: fmt.Sprintf("the run would need more than %d turns", most)}
	}
	most := s.limits.ToolCalls
	if whole := r.plan.Limits.ToolCalls; whole > 0 {
		left := whole - r.tools
		if left <= 0 {
			r.emit(s.id, event.Limit{Name: "toolCalls", Value: float64(r.tools), Max: float64(whole)})
			return 0, &event.Failure{Class: event.ClassLimit, Reason: "toolCalls", Message: fmt.Sprintf("the run made its %d tool calls", whole)}
		}
		if most == 0 || left < most {
			most = left
		}
	}
	return most, nil
}

// take adds a turn to the step and to the result.
func (r *run) take(o *outcome, t *Turn) {
	r.tools += len(t.ToolCalls)
	o.text = t.Text
	o.changes = mergeChanges(o.changes, t.Changes)
	if t.Usage != nil {
		r.usage, r.used = r.usage.Add(*t.Usage), true
		sum := *t.Usage
		if o.usage != nil {
			sum = o.usage.Add(sum)
		}
		o.usage = &sum
	}
	res := r.result
	res.Text, res.StopReason, res.Cost = t.Text, t.StopReason, t.Cost
	res.Denials = append(res.Denials, t.Denials...)
	res.Uncovered = append(res.Uncovered, t.Uncovered...)
	if t.Question != nil {
		res.Question = t.Question
	}
	old := func(name string) []any { list, _ := o.value[name].([]any); return list }
	for name, v := range map[string]any{"toolCalls": t.ToolCalls, "denials": t.Denials, "uncovered": t.Uncovered} {
		more, _ := asValue(v).([]any)
		o.value[name] = slices.Concat([]any{}, old(name), more)
	}
	changes, _ := asValue(o.changes).([]any)
	o.value["text"], o.value["stopReason"], o.value["changes"] = t.Text, t.StopReason, slices.Concat([]any{}, changes)
	o.value["usage"] = asValue(o.usage)
}

// mergeChanges keeps one entry per path, with the lines of both.
func mergeChanges(old, more []event.Change) []event.Change {
	out := slices.Clone(old)
	for _, c := range more {
		if i := slices.IndexFunc(out, func(o event.Change) bool { return o.Path == c.Path }); i >= 0 {
			out[i].Added += c.Added
			out[i].Removed += c.Removed
			continue
		}
		out = append(out, c)
	}
	return out
}

// reaction fails a step whose calls were denied where the policy says so. What
// was not covered fails the run at its end, since later steps still run.
func (r *run) reaction(p *stepPolicy, t *Turn) error {
	if p.onUncovered == "fail" && len(t.Uncovered) > 0 && r.result.Error == nil {
		r.uncovered(t.Uncovered)
	}
	if p.onDeny == "fail" && len(t.Denials) > 0 {
		d := t.Denials[0]
		return &event.Failure{Class: event.ClassPermission, Reason: "denied", Message: fmt.Sprintf("the rule %s (%s) denied a call of kind %s", d.Rule, d.At, d.Kind)}
	}
	return nil
}

// structured prompts until the final message is one JSON value that matches the
// schema, telling the agent each time what is wrong.
func (r *run) structured(ctx context.Context, s *planStep, session Session, p *stepPolicy, text string, o *outcome) error {
	text += "\n\nAnswer with one JSON value and nothing else. It must match this JSON Schema:\n" + string(s.schema.source)
	var candidates []string
	for attempt := 1; ; attempt++ {
		t, err := r.turn(ctx, s, session, p, text, o)
		if err != nil {
			return err
		}
		r.result.OutputAttempts, o.value["outputAttempts"] = attempt, attempt
		value, faults := s.schema.read(t.Text)
		if faults == nil {
			o.output = expr.JSON(value)
			o.value["output"], r.result.Output = value, o.output
			return nil
		}
		candidates = append(candidates, t.Text)
		if attempt > s.step.output.retries {
			r.result.Candidates = candidates
			return &event.Failure{Class: event.ClassSchema, Reason: "schema", Message: fmt.Sprintf("step %s: the output does not match its schema: %s", s.id, shorten(joined(faults)))}
		}
		r.emit(s.id, event.Retry{Reason: "schema", Attempt: attempt + 1})
		text = "Your answer does not match the JSON Schema:\n" + joined(faults) + "\nAnswer again with one JSON value and nothing else."
	}
}
