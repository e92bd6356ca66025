package recipes

import (
	"cmp"
	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/controller/policy"
)

// View is the plan as plain values: what a run would do, for --dry-run. Secrets
// stand in it as they are; mask it with [Plan.SecretValues] before it is shown.
func (p *Plan) View() map[string]any {
	v := map[string]any{
		"name": p.Name, "agent": p.Agent.view(), "cwd": p.Cwd, "addDirs": p.AddDirs, "inputs": p.inputs,
		"model": p.Models, "effort": p.selection.Effort, "mode": p.selection.Mode, "config": p.selection.Config,
		"mcpServers": p.ServerNames(), "limits": p.Limits.view(), "secrets": p.SecretNames,
		"permissions": map[string]any{
			"default": cmp.Or(string(p.rules.Default), string(policy.Deny)), "onUncovered": p.onUncovered, "onDeny": p.onDeny,
			"allow": ruleViews(p.rules.Allow), "ask": ruleViews(p.rules.Ask), "deny": ruleViews(p.rules.Deny),
		},
	}
	steps := make([]any, len(p.steps))
	for i, s := range p.steps {
		steps[i] = map[string]any{"id": s.id, "kind": s.kind}
	}
	v["steps"] = steps
	for name, value := range v {
		if empty(value) {
			delete(v, name)
		}
	}
	return v
}

// YAML encodes the values of a view.
func YAML(v any) ([]byte, error) { return yaml.Marshal(v) }

func (a *AgentSpec) view() any {
	switch {
	case len(a.Argv) > 0:
		return map[string]any{"command": a.Argv}
	case a.Script != "":
		return map[string]any{"core": map[string]any{"script": a.Script}}
	default:
		return "core"
	}
}

func (l Limits) view() map[string]any {
	out := map[string]any{"idle": l.Idle.String()}
	if l.Time > 0 {
		out["time"] = l.Time.String()
	}
	if l.ToolCalls > 0 {
		out["toolCalls"] = l.ToolCalls
	}
	if l.Turns > 0 {
		out["turns"] = l.Turns
	}
	return out
}

func ruleViews(rules []policy.RuleSpec) []any {
	out := make([]any, len(rules))
	for i, r := range rules {
		text := ""
		for _, s := range r.Rule {
			text += s.Text
		}
		out[i] = map[string]any{"rule": text, "at": r.At}
	}
	return out
}

func empty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case []string:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return v == nil
}
