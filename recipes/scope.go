package recipes

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/recipes/expr"
)

// scope is what an expression at some place of a recipe can name.
type scope struct {
	names *names
	vars  []string // variables that exist here
	words []string // and words
	// here is how many steps have run when the expression is evaluated.
	here int
	// public is set where a secret must not stand: in what an agent gets to read.
	public bool
}

// names are those that a recipe declares.
type names struct {
	inputs, secrets []string
	steps           map[string]*step
	order           map[string]int
	vars            []string // of a prompt file
	// exposed are the places where a secret would get into a prompt. Whether that
	// is allowed is known later.
	exposed []Problem
}

// with is the scope with further variables.
func (s *scope) with(vars ...string) *scope {
	out := *s
	out.vars = slices.Concat(s.vars, vars)
	return &out
}

// expression compiles jq that stands at a byte of a scalar, and checks the names
// in it; nil when something is wrong.
func (p *parser) expression(n *yaml.Node, offset int, src string, s *scope) *expr.Code {
	code, err := expr.CompileWords(src, s.vars, s.words)
	if err != nil {
		p.syntaxError(n, offset, err, s)
		return nil
	}
	ok := true
	for _, r := range code.Refs() {
		if r.Name == "secrets" && s.public {
			line, column := p.src.place(n, offset+r.Offset)
			exposed := p.src.problem(line, column, "a secret does not belong into a prompt")
			exposed.Hint = "--allow-secret-in-prompt lifts this"
			s.names.exposed = append(s.names.exposed, exposed)
		}
		message, hint := s.fault(r)
		if message != "" {
			p.errorIn(n, offset+r.Offset, message).Hint = hint
			ok = false
		}
	}
	if !ok {
		return nil
	}
	return code
}

// syntaxError reports a source that does not compile.
func (p *parser) syntaxError(n *yaml.Node, offset int, err error, s *scope) {
	var syntax *expr.SyntaxError
	if !errors.As(err, &syntax) {
		p.errorIn(n, offset, err.Error())
		return
	}
	message, hint := syntax.Message, syntax.Hint
	if name, ok := strings.CutPrefix(message, "unknown variable $"); ok {
		switch {
		case name == "item" || name == "index":
			message = "$" + name + " is not supported in this version"
		case name == "env" || name == "ENV":
			hint = "expressions cannot see the environment; pass a value as an input"
		case hint == "" && len(s.vars) == 0:
			hint = "there are no variables here"
		case hint == "":
			hint = "variables here: $" + strings.Join(s.vars, ", $")
		}
	}
	p.errorIn(n, offset+syntax.Offset, message).Hint = hint
}

// fault says what is wrong with the use of a variable, "" if nothing is.
func (s *scope) fault(r expr.Ref) (message, hint string) {
	if len(r.Path) == 0 {
		return "", ""
	}
	switch name := r.Path[0]; r.Name {
	case "inputs":
		return unknown("input", name, s.names.inputs)
	case "secrets":
		return unknown("secret", name, s.names.secrets)
	case "vars":
		return unknown("variable of the prompt", name, s.names.vars)
	case "run":
		return unknown("member of $run", name, s.runMembers())
	case "steps":
		return s.stepFault(r.Path)
	default:
		return "", ""
	}
}

// runMembers are those of $run: a run has its id when its steps run.
func (s *scope) runMembers() []string {
	if slices.Contains(s.vars, "steps") {
		return []string{"id", "cwd", "recipe"}
	}
	return []string{"cwd", "recipe"}
}

func (s *scope) stepFault(path []string) (message, hint string) {
	st, known := s.names.steps[path[0]]
	if !known {
		return unknown("step", path[0], slices.Sorted(maps.Keys(s.names.steps)))
	}
	if s.names.order[path[0]] >= s.here {
		return fmt.Sprintf("step %q has not run when this is evaluated", path[0]), "a step sees the ones above it; its own result is . in its assert"
	}
	if len(path) == 1 {
		return "", ""
	}
	switch {
	case path[1] == "json" && st.kind == kindRun && st.parse != "json":
		return fmt.Sprintf("step %q has no json", path[0]), "give the step parse: json"
	case path[1] == "lines" && st.kind == kindRun && st.parse != "lines":
		return fmt.Sprintf("step %q has no lines", path[0]), "give the step parse: lines"
	}
	return unknown("member of a step's result", path[1], st.members())
}

// unknown says that a name is none of those that exist.
func unknown(what, name string, known []string) (message, hint string) {
	if slices.Contains(known, name) {
		return "", ""
	}
	message = fmt.Sprintf("unknown %s %q", what, name)
	switch near := expr.Nearest(name, known); {
	case near != "":
		return message, fmt.Sprintf("did you mean %q?", near)
	case len(known) == 0:
		return message, "there is none"
	default:
		return message, "there is " + strings.Join(known, ", ")
	}
}

// bare compiles a scalar that is an expression as a whole, such as if.
func (p *parser) bare(n *yaml.Node, s *scope) *expr.Code {
	src := scalarOf(n)
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return nil
	}
	if strings.HasPrefix(strings.TrimSpace(src), "${{") {
		p.errorf(n, "this is an expression as a whole").Hint = "leave ${{ }} away"
		return nil
	}
	return p.expression(n, 0, src, s)
}

// binding is a name with an expression.
type binding struct {
	name string
	node *yaml.Node
	code *expr.Code
}

// bindings reads a mapping of names to expressions, in its order.
func (p *parser) bindings(n *yaml.Node, s *scope) []binding {
	var list []binding
	for _, e := range entries(n) {
		list = append(list, binding{e.key.Value, e.value, p.bare(e.value, s)})
	}
	return list
}
