package recipes

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// statusWords are the functions of a step's if.
var statusWords = []string{"success", "failure", "cancelled", "always"}

// readSteps reads the steps, or the one of the short form.
func (r *Recipe) readSteps(p *parser, root *yaml.Node) {
	list, prompt := field(root, "steps"), field(root, "prompt")
	for _, key := range []string{"output", "assert"} {
		if n := field(root, key); n != nil && prompt == nil {
			p.errorf(n, "%s belongs to a step", key).Hint = "at the top it goes with prompt, the short form"
		}
	}
	switch {
	case prompt != nil && list != nil:
		p.errorf(prompt, "prompt and steps exclude each other").Hint = "make it a step: - prompt: ..."
	case prompt != nil:
		r.readShort(p, root)
		return
	case list == nil:
		p.errorf(root, "steps is missing").Hint = "list what to do under steps, or write prompt for a single one"
	case list.Kind == yaml.SequenceNode && len(list.Content) == 0:
		p.errorf(list, "steps is empty")
	}
	for i, n := range elements(list) {
		if n.Kind == yaml.MappingNode {
			r.declare(p, n, i)
		}
	}
	for i, s := range r.steps {
		s.scope = &scope{names: r.names, vars: stepVars, here: i}
		p.readStep(s)
	}
	r.findUnreachable(p)
}

// readShort makes the step of a recipe that is a single prompt.
func (r *Recipe) readShort(p *parser, root *yaml.Node) {
	pick := &yaml.Node{Kind: yaml.MappingNode, Line: root.Line, Column: root.Column}
	for _, e := range entries(root) {
		if k := e.key.Value; k == "prompt" || k == "output" || k == "assert" {
			pick.Content = append(pick.Content, e.key, e.value)
		}
	}
	r.declare(p, pick, 0)
	s := r.steps[0]
	s.id, s.anonymous = "prompt", false
	r.names.steps[s.id], r.names.order[s.id] = s, 0
	s.scope = &scope{names: r.names, vars: stepVars}
	p.readStep(s)
}

// declare makes a step known by its id before any expression is read, so that the
// use of a later step is told from that of an unknown one.
func (r *Recipe) declare(p *parser, n *yaml.Node, position int) {
	s := &step{src: p.src, node: n, kind: p.kindOf(n), parse: scalarOf(field(n, "parse"))}
	for _, e := range entries(field(n, "set")) {
		s.set = append(s.set, binding{name: e.key.Value, node: e.value})
	}
	r.steps = append(r.steps, s)
	id := field(n, "id")
	if id == nil || !isName(id.Value) {
		s.id, s.anonymous = fmt.Sprintf("step%d", position+1), true
		return
	}
	s.id = id.Value
	if first := r.names.steps[s.id]; first != nil {
		p.errorf(id, "step %q stands here twice, first in line %d", s.id, first.node.Line)
		return
	}
	r.names.steps[s.id], r.names.order[s.id] = s, position
}

// kindOf finds what a step does, and keys that do not belong to it.
func (p *parser) kindOf(n *yaml.Node) string {
	kind := ""
	for _, k := range []string{kindPrompt, kindRun, kindSet} {
		switch v := field(n, k); {
		case v == nil:
		case kind != "":
			p.errorf(v, "a step has one of prompt, run and set; this one has %s already", kind)
		default:
			kind = k
		}
	}
	if kind == "" {
		for _, later := range []string{"uses", "foreach"} {
			if field(n, later) != nil {
				return kind // reported by the check
			}
		}
		p.errorf(n, "a step needs prompt, run or set")
		return kind
	}
	for key, of := range map[string]string{
		"env": kindRun, "parse": kindRun,
		"output": kindPrompt, "session": kindPrompt, "model": kindPrompt, "effort": kindPrompt, "mode": kindPrompt, "config": kindPrompt, "permissions": kindPrompt,
	} {
		if v := field(n, key); v != nil && kind != of {
			p.errorf(v, "%s is for %s steps; this is a %s step", key, of, kind)
		}
	}
	return kind
}

// readStep reads what a step says. Its scope is set.
func (p *parser) readStep(s *step) {
	n := s.node
	if c := field(n, "if"); c != nil {
		s.condition = p.condition(c, s.scope)
	}
	s.goOn = scalarOf(field(n, "continueOnError")) == "true"
	s.limits = p.limits(field(n, "limits"))
	switch s.kind {
	case kindPrompt:
		p.readPrompt(s)
	case kindRun:
		p.readRun(s)
	case kindSet:
		p.readSet(s)
	}
	for _, a := range elements(field(n, "assert")) {
		that := field(a, "that")
		s.asserts = append(s.asserts, assertion{that, p.bare(that, s.scope), p.text(field(a, "message"), s.scope, false)})
	}
}

func (p *parser) condition(n *yaml.Node, s *scope) *condition {
	in := s.with()
	in.words = statusWords
	c := &condition{src: p.src, node: n, code: p.bare(n, in)}
	if c.code == nil {
		return c
	}
	for _, w := range statusWords {
		c.own = c.own || c.code.Uses(w)
	}
	return c
}

func (p *parser) readPrompt(s *step) {
	n := s.node
	public := s.scope.with()
	public.public = true
	load := &scope{names: s.scope.names, vars: loadVars}
	prompt := field(n, "prompt")
	s.prompt = &promptDecl{
		text: p.text(prompt, public, false),
		file: p.text(field(prompt, "file"), load, false), vars: p.trees(field(prompt, "vars"), public),
	}
	if prompt.Kind == yaml.ScalarNode && strings.TrimSpace(prompt.Value) == "" {
		p.errorf(prompt, "prompt is empty")
	}
	if o := field(n, "output"); o != nil && o.Kind == yaml.MappingNode {
		s.output = p.output(o, load)
	}
	s.fresh = scalarOf(field(n, "session")) == "new"
	s.settings = p.settings(n, s.scope)
	s.permissions = p.permissions(field(n, "permissions"), s.scope, true)
}

func (p *parser) output(n *yaml.Node, s *scope) *outputDecl {
	schema := field(n, "schema")
	o := &outputDecl{src: p.src, node: schema, retries: defaultRetries}
	if r := field(n, "retries"); r != nil {
		o.retries = countOf(r)
	}
	if schema == nil || schema.Kind == yaml.ScalarNode {
		o.file = p.text(schema, s, false)
		return o
	}
	o.inline = plainValue(schema)
	return o
}

func (p *parser) readRun(s *step) {
	n := field(s.node, "run")
	s.script = scalarOf(n)
	if i := strings.Index(s.script, "${{"); i >= 0 {
		p.errorIn(n, i, "${{ }} cannot stand in run: a value in a command is code").
			Hint = `give it through env, as env: {VALUE: "${{ ... }}"}, and write "$VALUE" here`
	}
	if n.Kind == yaml.ScalarNode && strings.TrimSpace(s.script) == "" {
		p.errorf(n, "run is empty")
	}
	s.env = p.variables(field(s.node, "env"), s.scope)
}

func (p *parser) readSet(s *step) {
	taken := (&step{}).members()
	for i := range s.set {
		b := &s.set[i]
		for _, name := range taken {
			if b.name == name {
				p.errorf(b.node, "set cannot name a value %q: every step's result has that", name)
			}
		}
		b.code = p.bare(b.node, s.scope)
	}
	if n := field(s.node, "set"); n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		p.errorf(n, "set is empty")
	}
}

// findUnreachable reports steps that can never run.
func (r *Recipe) findUnreachable(p *parser) {
	mayFail := false
	for _, s := range r.steps {
		if c := s.condition; c != nil && c.code != nil {
			switch strings.TrimSuffix(strings.TrimSpace(c.code.String()), "()") {
			case "false":
				p.errorf(c.node, "step %q never runs: its condition is false", s.id)
			case "failure":
				if !mayFail {
					p.errorf(c.node, "step %q never runs: no step before it can fail the run", s.id)
				}
			}
		}
		mayFail = mayFail || !s.goOn
	}
}
