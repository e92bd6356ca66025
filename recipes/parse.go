package recipes

import (
	"strconv"

	"gopkg.in/yaml.v3"
)

// Parse reads a recipe strictly. The error is a *[ParseError] with every problem
// of the file. File is its name for messages. Nothing but src is read.
func Parse(src []byte, file string) (*Recipe, error) {
	var problems []Problem
	p := newParser(src, file, &problems)
	r := &Recipe{src: p.src, names: &names{steps: map[string]*step{}, order: map[string]int{}}}
	if root := p.document(src, "a recipe"); root != nil {
		if p.check(root, &form{object: recipeObject()}, "", 0); root.Kind == yaml.MappingNode {
			r.read(p, root)
		}
	}
	if err := asError(problems); err != nil {
		return nil, err
	}
	return r, nil
}

// The variables of expressions: those that are known before the first step, and
// those that a step sees.
var (
	loadVars = []string{"inputs", "run", "secrets"}
	stepVars = []string{"inputs", "steps", "run", "secrets"}
)

// read takes the keys in the order in which they depend on each other. What does
// not fit its form was reported by the check and is passed over.
func (r *Recipe) read(p *parser, root *yaml.Node) {
	r.name = scalarOf(field(root, "name"))
	r.readInputs(p, field(root, "inputs"))
	for _, n := range elements(field(root, "secrets")) {
		r.secrets = append(r.secrets, n)
		r.names.secrets = append(r.names.secrets, n.Value)
	}
	s := &scope{names: r.names, vars: loadVars}
	r.agent = p.agent(field(root, "agent"), s)
	r.settings = p.settings(root, s)
	r.cwd = p.text(field(root, "cwd"), s, false)
	r.from = p.from(field(root, "session"), s)
	client := field(root, "client")
	r.client = Client{FS: scalarOf(field(client, "fs")) == "true", Terminal: scalarOf(field(client, "terminal")) == "true"}
	r.addDirs = p.texts(field(root, "addDirs"), s, false)
	r.servers = p.servers(field(root, "mcpServers"), s)
	r.mcpFiles = p.texts(field(root, "mcpFiles"), s, false)
	r.permissions = p.permissions(field(root, "permissions"), s, false)
	r.questions = p.questions(field(root, "questions"), s)
	r.limits = p.limits(field(root, "limits"))
	r.readSteps(p, root)
	r.outputs = p.bindings(field(root, "outputs"), &scope{names: r.names, vars: stepVars, here: len(r.steps)})
}

// texts reads a list of texts, or a single one.
func (p *parser) texts(n *yaml.Node, s *scope, environ bool) []*text {
	var list []*text
	for _, e := range elements(n) {
		if t := p.text(e, s, environ); t != nil {
			list = append(list, t)
		}
	}
	return list
}

// settings reads model, effort, mode and config of a recipe or a step.
func (p *parser) settings(n *yaml.Node, s *scope) settings {
	out := settings{
		effort: p.text(field(n, "effort"), s, false), mode: p.text(field(n, "mode"), s, false),
		config: p.trees(field(n, "config"), s), models: p.texts(field(n, "model"), s, false),
	}
	if m := field(n, "model"); m != nil && m.Kind == yaml.SequenceNode && len(m.Content) == 0 {
		p.errorf(m, "model is an empty list")
	}
	return out
}

// variables reads a mapping of variables or headers, in its order.
func (p *parser) variables(n *yaml.Node, s *scope) []variableDecl {
	var list []variableDecl
	for _, e := range entries(n) {
		if t := p.text(e.value, s, true); t != nil {
			list = append(list, variableDecl{e.key.Value, t})
		}
	}
	return list
}

// limits reads limits of a recipe or of a step.
func (p *parser) limits(n *yaml.Node) limitsDecl {
	out := limitsDecl{idle: field(n, "idle") != nil}
	out.Time, _ = readDuration(scalarOf(field(n, "time")))
	out.Idle, _ = readDuration(scalarOf(field(n, "idle")))
	out.Grace, _ = readDuration(scalarOf(field(n, "grace")))
	out.ToolCalls = countOf(field(n, "toolCalls"))
	out.Turns = countOf(field(n, "turns"))
	return out
}

// countOf is the number that a scalar says, 0 for none.
func countOf(n *yaml.Node) int {
	v, _ := strconv.Atoi(scalarOf(n))
	return v
}
