package recipes

import (
	"time"

	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/controller/policy"
)

// Layer is what the user's configuration or a project's file says for every run.
// It can only tighten: rules that deny or ask, and limits that are lower.
type Layer struct {
	Rules      *policy.Spec
	Time, Idle time.Duration // 0: none
	ToolCalls  int           // 0: none
}

// layerObject is the form of such a file.
func layerObject() *object {
	rules := permissionsObject()
	permissions := &object{name: "tightening", keys: []key{*rules.key("ask"), *rules.key("deny")}}
	permissions.keys = append(permissions.keys, key{
		name: "allow", hint: "allow only in a recipe, with --policy or --allow: a file that lies around must not widen what an agent may do",
	})
	limits := &object{name: "lowering"}
	for _, k := range stepLimits().keys {
		if k.name == "time" || k.name == "idle" || k.name == "toolCalls" {
			limits.keys = append(limits.keys, k)
		}
	}
	return &object{name: "layer", keys: []key{
		{name: "permissions", form: &form{object: permissions}},
		{name: "limits", form: &form{object: limits}},
	}}
}

// ParseLayer reads a file of the user's or the project's layer. The error is a
// *[ParseError].
func ParseLayer(src []byte, file string, layer policy.Layer) (*Layer, error) {
	var problems []Problem
	p := newParser(src, file, &problems)
	root := p.document(src, "a configuration")
	out := &Layer{}
	if root != nil && root.Kind != 0 {
		p.check(root, &form{object: layerObject()}, "", 0)
		if err := out.read(p, root, file, layer); err != nil {
			return nil, err
		}
	}
	if err := asError(problems); err != nil {
		return nil, err
	}
	return out, nil
}

func (l *Layer) read(p *parser, root *yaml.Node, file string, layer policy.Layer) error {
	limits := p.limits(field(root, "limits"))
	l.Time, l.ToolCalls = limits.Time, limits.ToolCalls
	if limits.idle {
		l.Idle = limits.Idle
	}
	rules := field(root, "permissions")
	if rules == nil {
		return nil
	}
	permissions, err := p.rules(rules, &scope{names: &names{}}, layer).permissions(file, values{})
	if err != nil {
		return err
	}
	l.Rules = &policy.Spec{Ask: permissions.Spec.Ask, Deny: permissions.Spec.Deny}
	return nil
}

// lower takes the limits of a layer where they are tighter.
func (l *Limits) lower(by *Layer) {
	l.Time, l.Idle = tighter(l.Time, by.Time), tighter(l.Idle, by.Idle)
	l.ToolCalls = tighter(l.ToolCalls, by.ToolCalls)
}

// tighter is the lower one of two limits, of which zero is none.
func tighter[T int | time.Duration](a, b T) T {
	if b == 0 || a != 0 && a < b {
		return a
	}
	return b
}
