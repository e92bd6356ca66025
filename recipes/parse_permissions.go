package recipes

import (
	"errors"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/controller/policy"
)

// permissionsDecl are permissions as declared, of a recipe, a step or a file.
type permissionsDecl struct {
	fallback            policy.Decision
	allow, ask, deny    []*ruleDecl
	onUncovered, onDeny string
	remember            *yaml.Node // nil: not written
	onUnasked           string
	tests               []testDecl
}

// ruleDecl is one rule.
type ruleDecl struct {
	src                   *source
	node                  *yaml.Node
	rule, except, message *text
	layer                 policy.Layer
}

// testDecl is one test of the rules.
type testDecl struct {
	node   *yaml.Node
	call   any
	expect policy.Decision
}

// permissions reads permissions; nil for none. A step adds rules and reactions to
// those of the recipe and has nothing else.
func (p *parser) permissions(n *yaml.Node, s *scope, ofStep bool) *permissionsDecl {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	if ofStep {
		for _, key := range []string{"remember", "tests", "onUnasked"} {
			if v := field(n, key); v != nil {
				p.errorf(v, "%s is for the recipe's permissions, not for a step's", key)
			}
		}
	}
	return p.rules(n, s, policy.LayerRecipe)
}

func (p *parser) rules(n *yaml.Node, s *scope, layer policy.Layer) *permissionsDecl {
	d := &permissionsDecl{
		fallback:    policy.Decision(scalarOf(field(n, "default"))),
		onUncovered: scalarOf(field(n, "onUncovered")), onDeny: scalarOf(field(n, "onDeny")),
		remember: field(n, "remember"), onUnasked: scalarOf(field(n, "onUnasked")),
	}
	for _, list := range []struct {
		key   string
		rules *[]*ruleDecl
	}{{"allow", &d.allow}, {"ask", &d.ask}, {"deny", &d.deny}} {
		for _, e := range elements(field(n, list.key)) {
			if r := p.rule(e, s, layer); r != nil {
				*list.rules = append(*list.rules, r)
				p.checkRule(r, list.key)
			}
		}
	}
	for _, e := range elements(field(n, "tests")) {
		d.tests = append(d.tests, testDecl{e, plainValue(field(e, "call")), policy.Decision(scalarOf(field(e, "expect")))})
	}
	return d
}

// rule reads a rule that is a string or a mapping; nil for something else.
func (p *parser) rule(n *yaml.Node, s *scope, layer policy.Layer) *ruleDecl {
	r := &ruleDecl{src: p.src, node: n, layer: layer}
	switch n.Kind {
	case yaml.ScalarNode:
		r.rule = p.text(n, s, false)
	case yaml.MappingNode:
		r.rule, r.except = p.text(field(n, "rule"), s, false), p.text(field(n, "except"), s, false)
		r.message = p.text(field(n, "message"), s, false)
	}
	if r.rule == nil {
		return nil
	}
	return r
}

// checkRule compiles a rule by itself, so that a fault is told at its very place.
// For values that are not known yet stands a letter.
func (p *parser) checkRule(r *ruleDecl, list string) {
	spec := policy.RuleSpec{Rule: r.rule.sample(), Layer: r.layer}
	if p.faultyRule(r.rule, spec, list) || r.except == nil {
		return
	}
	spec.Except = r.except.sample()
	p.faultyRule(r.except, spec, list)
}

func (p *parser) faultyRule(t *text, rule policy.RuleSpec, list string) bool {
	var spec policy.Spec
	switch list {
	case "allow":
		spec.Allow = []policy.RuleSpec{rule}
	case "ask":
		spec.Ask = []policy.RuleSpec{rule}
	default:
		spec.Deny = []policy.RuleSpec{rule}
	}
	_, err := policy.Compile(&spec)
	var fault *policy.RuleError
	if !errors.As(err, &fault) {
		return false
	}
	offset := 0
	if t.constant() {
		offset = fault.Offset
	}
	p.errorIn(t.node, offset, "rule: "+fault.Message)
	return true
}

// sample are the segments of a rule with a letter for each value.
func (t *text) sample() []policy.Segment {
	var out []policy.Segment
	for _, piece := range t.pieces {
		if piece.literal != "" {
			out = append(out, policy.Segment{Text: piece.literal})
			continue
		}
		out = append(out, policy.Segment{Text: "x", Literal: true})
	}
	return out
}

// at is the place of a rule as events show it.
func (r *ruleDecl) at() string { return fmt.Sprintf("%s:%d", r.src.file, r.node.Line) }
