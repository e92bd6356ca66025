package recipes

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/controller/policy"
)

// View is the plan as plain values in the words of a recipe: what a run would do.
// What depends on results of steps or on the environment stands as it is written,
// values of variables and headers of agents and servers as ***. Other values are
// not masked: see [Plan.SecretValues].
func (p *Plan) View() map[string]any {
	steps := make([]any, len(p.steps))
	for i, s := range p.steps {
		steps[i] = p.stepView(s)
	}
	return filled(map[string]any{
		"version": 1, "name": p.Name, "inputs": p.inputs, "secrets": p.SecretNames,
		"agent": p.Agent.view(), "model": p.Models, "effort": p.selection.Effort, "mode": p.selection.Mode, "config": p.selection.Config,
		"cwd": p.Cwd, "addDirs": p.AddDirs, "session": p.From.view(), "mcpServers": p.serversView(), "limits": p.Limits.view(),
		"permissions": filled(map[string]any{
			"default": string(cmp.Or(p.rules.Default, policy.Deny)), "onUncovered": p.onUncovered, "onDeny": p.onDeny,
			"allow": rulesView(p.rules.Allow), "ask": rulesView(p.rules.Ask), "deny": rulesView(p.rules.Deny),
		}),
		"steps": steps,
	})
}

// YAML encodes the values of a view.
func YAML(v any) ([]byte, error) { return yaml.Marshal(v) }

func (p *Plan) stepView(s *planStep) map[string]any {
	v := map[string]any{"id": s.id, "run": s.script, "continueOnError": s.goOn}
	if s.condition != nil {
		v["if"] = s.condition.code.String()
	}
	if s.prompt != nil {
		v["prompt"] = p.textView(s.prompt)
		v["limits"] = s.limits.view()
	}
	if s.schema != nil {
		schema, _ := decodeJSON(s.schema.source)
		v["output"] = map[string]any{"schema": schema, "retries": s.output.retries}
	}
	env, set := map[string]any{}, map[string]any{}
	for _, e := range s.env {
		env[e.name] = p.textView(e.value)
	}
	for _, b := range s.set {
		set[b.name] = b.code.String()
	}
	var asserts []any
	for _, a := range s.asserts {
		asserts = append(asserts, a.that.String())
	}
	v["env"], v["set"], v["assert"] = env, set, asserts
	return filled(v)
}

// textView is what a text says, or how it is written if that is not known yet or
// comes from the environment.
func (p *Plan) textView(t *text) string {
	fromOutside := slices.ContainsFunc(t.pieces, func(p piece) bool { return p.variable != nil })
	if !t.readsSteps() && !fromOutside {
		if s, err := t.string(context.Background(), p.values); err == nil {
			return s
		}
	}
	return t.node.Value
}

func (p *Plan) serversView() map[string]any {
	out := map[string]any{}
	for _, m := range p.MCPServers {
		out[m.Name] = filled(map[string]any{
			"type": m.Type, "command": m.Command, "args": m.Args, "env": variablesView(m.Env),
			"url": m.URL, "headers": variablesView(m.Headers), "required": m.Required,
		})
	}
	return out
}

// masked stands for a value that may be a secret.
const masked = "***"

func variablesView(list []Variable) map[string]any {
	out := map[string]any{}
	for _, v := range list {
		out[v.Name] = masked
	}
	return out
}

func (a *AgentSpec) view() any {
	switch {
	case len(a.Argv) > 0:
		env := map[string]any{}
		for name := range a.Env {
			env[name] = masked
		}
		return filled(map[string]any{"command": a.Argv, "env": env})
	case a.URL != "":
		return filled(map[string]any{"url": a.URL, "headers": variablesView(a.Headers), "caFile": a.CAFile})
	case a.Script != "":
		return map[string]any{"core": map[string]any{"script": a.Script}}
	default:
		return "core"
	}
}

func (l Limits) view() map[string]any {
	of := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return d.String()
	}
	return filled(map[string]any{
		"time": of(l.Time), "idle": of(l.Idle), "toolCalls": l.ToolCalls, "turns": l.Turns, "grace": of(l.Grace),
	})
}

func rulesView(rules []policy.RuleSpec) []any {
	text := func(segments []policy.Segment) string {
		var b strings.Builder
		for _, s := range segments {
			b.WriteString(s.Text)
		}
		return b.String()
	}
	var out []any
	for _, r := range rules {
		out = append(out, filled(map[string]any{"rule": text(r.Rule), "except": text(r.Except), "message": r.Message, "at": r.At}))
	}
	return out
}

// filled drops what says nothing.
func filled(m map[string]any) map[string]any {
	for name, v := range m {
		if r := reflect.ValueOf(v); !r.IsValid() || r.IsZero() || (r.Kind() == reflect.Map || r.Kind() == reflect.Slice) && r.Len() == 0 {
			delete(m, name)
		}
	}
	return m
}
