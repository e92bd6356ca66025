package recipes

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/recipes/expr"
)

// maxDepth bounds how deep values may nest.
const maxDepth = 100

// check holds a value against its form and reports everything that does not fit.
// What is read from the nodes afterwards takes a node of another kind for a
// missing one, so that nothing is reported twice.
func (p *parser) check(n *yaml.Node, f *form, what string, depth int) {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		p.errorf(n, "anchors and aliases are not supported").Hint = "write the value out"
	case depth > maxDepth:
		p.errorf(n, "values nest deeper than %d levels", maxDepth)
	case n.Kind == yaml.ScalarNode && f.scalar != none:
		p.checkScalar(n, f, what)
	case n.Kind == yaml.SequenceNode && f.list != nil:
		for _, e := range n.Content {
			p.check(e, f.list, what, depth+1)
		}
	case n.Kind == yaml.MappingNode && f.object != nil:
		p.checkObject(n, f.object, what, depth)
	case n.Kind == yaml.MappingNode && f.entries != nil:
		p.checkEntries(n, f, what, depth)
	case n.Kind != yaml.ScalarNode && f.tree:
		p.checkTree(n, what, depth)
	default:
		p.mismatch(n, f, what)
	}
}

func (p *parser) mismatch(n *yaml.Node, f *form, what string) {
	p.errorf(n, "%s must be %s, not %s", what, f, nodeName(n))
}

// checkTree checks a value that may be anything.
func (p *parser) checkTree(n *yaml.Node, what string, depth int) {
	if n.Kind == yaml.SequenceNode {
		for _, e := range n.Content {
			p.check(e, anyTree, what, depth+1)
		}
		return
	}
	p.checkEntries(n, &form{entries: &form{scalar: anything, tree: true}, keys: word}, what, depth)
}

func (p *parser) checkObject(n *yaml.Node, o *object, what string, depth int) {
	seen := map[string]*yaml.Node{}
	for _, e := range entries(n) {
		if !p.checkKey(e.key, seen) {
			continue
		}
		name := e.key.Value
		k := o.key(name)
		switch {
		case k == nil:
			p.unknownKey(e.key, o, what)
		case k.later:
			p.errorf(e.key, "%q is not supported in this version", name)
		case k.form == nil:
			p.errorf(e.key, "unknown key %q%s", name, inside(what)).Hint = "write " + k.hint
		default:
			p.check(e.value, k.form, join(what, name), depth+1)
		}
	}
	for _, k := range o.keys {
		if k.required && seen[k.name] == nil {
			p.errorf(n, "%s is missing", join(what, k.name))
		}
	}
}

func (p *parser) unknownKey(n *yaml.Node, o *object, what string) {
	problem := p.errorf(n, "unknown key %q%s", preview(n.Value), inside(what))
	if near := expr.Nearest(n.Value, o.names()); near != "" {
		problem.Hint = fmt.Sprintf("did you mean %q?", near)
	} else {
		problem.Hint = "keys are " + strings.Join(o.names(), ", ")
	}
}

// checkKey checks a key by itself: a string, once, and no word that YAML 1.1 reads
// as a boolean.
func (p *parser) checkKey(n *yaml.Node, seen map[string]*yaml.Node) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "" || n.Tag == "!!merge":
		p.errorf(n, "anchors, aliases and merge keys are not supported").Hint = "write the keys out"
		return false
	case n.Kind != yaml.ScalarNode:
		p.errorf(n, "a key must be a string, not %s", nodeName(n))
		return false
	case n.Style == 0 && slices.Contains([]string{"yes", "no", "on", "off", "true", "false"}, strings.ToLower(n.Value)):
		p.errorf(n, "key %s is a boolean to some YAML readers", n.Value).Hint = "quote it"
		return false
	}
	if first := seen[n.Value]; first != nil {
		p.errorf(n, "key %q stands here twice, first in line %d", preview(n.Value), first.Line)
		return false
	}
	seen[n.Value] = n
	return true
}

func (p *parser) checkEntries(n *yaml.Node, f *form, what string, depth int) {
	seen := map[string]*yaml.Node{}
	for _, e := range entries(n) {
		if !p.checkKey(e.key, seen) {
			continue
		}
		if f.keys != word {
			p.checkName(e.key, "a name in "+what)
		} else if e.key.Value == "" {
			p.errorf(e.key, "an empty name in %s", what)
		}
		p.check(e.value, f.entries, join(what, e.key.Value), depth+1)
	}
}

func (p *parser) checkScalar(n *yaml.Node, f *form, what string) {
	switch f.scalar {
	case boolean:
		if n.Tag != "!!bool" {
			p.mismatch(n, f, what)
		}
	case count:
		if _, err := strconv.ParseUint(n.Value, 10, 31); err != nil || n.Tag != "!!int" {
			p.mismatch(n, f, what)
		} else if f.exactly > 0 && n.Value != strconv.Itoa(f.exactly) {
			p.errorf(n, "%s %s is not supported", what, n.Value).Hint = fmt.Sprintf("this program reads %s %d", what, f.exactly)
		}
	case duration:
		p.checkDuration(n, f, what)
	case expression, variables:
		if n.Tag == "!!null" {
			p.mismatch(n, f, what)
		}
	case anything:
		if _, err := plainScalar(n); err != nil {
			p.errorf(n, "%s: %v", what, err)
		}
	default:
		p.checkString(n, f, what)
	}
}

func (p *parser) checkDuration(n *yaml.Node, f *form, what string) {
	if _, ok := readDuration(n.Value); ok {
		return
	}
	problem := p.errorf(n, "%s must be %s, not %s", what, f, nodeName(n))
	if _, err := strconv.Atoi(n.Value); err == nil {
		problem.Hint = "give the unit: " + n.Value + "s"
	}
}

// readDuration reads Go's form of durations, and a bare 0.
func readDuration(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0
}

func (p *parser) checkString(n *yaml.Node, f *form, what string) {
	switch {
	case n.Tag != "!!str":
		problem := p.errorf(n, "%s must be %s, not %s", what, f, nodeName(n))
		if n.Tag != "!!null" {
			problem.Hint = "quote it"
		}
	case slices.Contains(f.later, n.Value) || slices.Contains(f.later, "*") && !slices.Contains(f.words, n.Value):
		p.errorf(n, "%s: %s is not supported in this version", what, preview(n.Value)).Hint = "there is " + strings.Join(f.words, ", ")
	case f.words != nil && !slices.Contains(f.words, n.Value):
		problem := p.errorf(n, "%s cannot be %q", what, preview(n.Value))
		problem.Hint = "one of " + strings.Join(f.words, ", ")
	case f.scalar == identifier || f.scalar == variableName:
		p.checkName(n, what)
	case f.scalar == pattern:
		if _, err := regexp.Compile(n.Value); err != nil {
			p.errorf(n, "%s: %v", what, err)
		}
	}
}

// checkName checks a name of the recipe's own or of a variable; both are what jq
// and a shell can write without quotes.
func (p *parser) checkName(n *yaml.Node, what string) {
	if !isName(n.Value) {
		p.errorf(n, "%s is made of letters, digits and _ and begins with no digit, not %q", what, preview(n.Value))
	}
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// inside is " in NAME" for a named mapping.
func inside(what string) string {
	if what == "" {
		return ""
	}
	return " in " + what
}

func join(what, name string) string {
	if what == "" {
		return name
	}
	return what + "." + name
}
