package recipes

import (
	"context"
	"errors"
	"maps"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/recipes/expr"
)

// text is a scalar whose ${{ }} and ${VAR} were found and compiled. A nil text is
// a key that does not stand in the recipe.
type text struct {
	src    *source
	node   *yaml.Node
	pieces []piece
}

// piece is a part of a text: literal, an expression, or a variable.
type piece struct {
	literal  string
	code     *expr.Code
	variable *variable
	offset   int // in the scalar's value
}

// values are what texts are evaluated with.
type values struct {
	vars map[string]any // of expressions
	// getenv looks a variable of the environment up; nil where ${VAR} has no meaning.
	getenv func(name string) (string, bool)
}

// with is values with a further variable for expressions.
func (v values) with(name string, value any) values {
	vars := make(map[string]any, len(v.vars)+1)
	maps.Copy(vars, v.vars)
	vars[name] = value
	v.vars = vars
	return v
}

// literalText is a text that says s, for values that come from flags.
func literalText(s string) *text {
	return &text{src: &source{}, node: &yaml.Node{Kind: yaml.ScalarNode, Value: s}, pieces: []piece{{literal: s}}}
}

// wholeFile is the text of a file as if it were a scalar.
func wholeFile(text []byte) *yaml.Node {
	// Line 0 is where the | would stand of which the file is the block.
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.LiteralStyle, Value: strings.ToValidUTF8(string(text), "\uFFFD"), Column: 1}
}

// text reads a scalar with ${{ }}; with environ also ${VAR}. Nil for nil and for
// nodes that are no scalar.
func (p *parser) text(n *yaml.Node, s *scope, environ bool) *text {
	if n == nil || n.Kind != yaml.ScalarNode {
		return nil
	}
	t := &text{src: p.src, node: n}
	parts, err := expr.Split(n.Value)
	if err != nil {
		p.syntaxError(n, 0, err, s)
		return t
	}
	for _, part := range parts {
		switch {
		case part.Expr:
			t.pieces = append(t.pieces, piece{code: p.expression(n, part.Offset, part.Text, s), offset: part.Offset})
		case environ:
			t.pieces = append(t.pieces, p.environment(n, part)...)
		default:
			t.pieces = append(t.pieces, piece{literal: part.Text, offset: part.Offset})
		}
	}
	return t
}

// single says whether the text is exactly one ${{ }}.
func (t *text) single() bool { return len(t.pieces) == 1 && t.pieces[0].code != nil }

// constant says whether the text is the same whatever the values.
func (t *text) constant() bool {
	for _, p := range t.pieces {
		if p.code != nil || p.variable != nil {
			return false
		}
	}
	return true
}

// fault is an error at a piece of the text.
func (t *text) fault(p piece, message string) error {
	line, column := t.src.place(t.node, p.offset)
	return &problemError{t.src.problem(line, column, message)}
}

// value evaluates the text: exactly one ${{ }} keeps the type of its value, all
// else is a string. The error is a *problemError.
func (t *text) value(ctx context.Context, v values) (any, error) {
	if !t.single() {
		return t.string(ctx, v)
	}
	value, err := t.pieces[0].code.Value(ctx, nil, v.vars)
	if err != nil {
		return nil, t.fault(t.pieces[0], err.Error())
	}
	return value, nil
}

// string evaluates the text to a string: strings go in as they are, the rest as
// JSON. A nil text is the empty string.
func (t *text) string(ctx context.Context, v values) (string, error) {
	segments, err := t.segments(ctx, v)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, s := range segments {
		b.WriteString(s.Text)
	}
	return b.String(), nil
}

// segments evaluates the text and keeps apart what is written and what was put
// in, which in a rule is literal.
func (t *text) segments(ctx context.Context, v values) ([]policy.Segment, error) {
	if t == nil {
		return nil, nil
	}
	var out []policy.Segment
	for _, p := range t.pieces {
		switch {
		case p.code != nil:
			value, err := p.code.Value(ctx, nil, v.vars)
			if err != nil {
				return nil, t.fault(p, err.Error())
			}
			out = append(out, policy.Segment{Text: asText(value), Literal: true})
		case p.variable != nil:
			value, err := p.variable.value(v)
			if err != nil {
				return nil, t.fault(p, err.Error())
			}
			out = append(out, policy.Segment{Text: value, Literal: true})
		default:
			out = append(out, policy.Segment{Text: p.literal})
		}
	}
	return out, nil
}

// asText is a value inside a longer text.
func asText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return string(expr.JSON(v))
}

// variable is a ${VAR} or ${VAR:-fallback}.
type variable struct {
	name     string
	fallback *string
}

func (v *variable) value(with values) (string, error) {
	if with.getenv != nil {
		if value, ok := with.getenv(v.name); ok && (value != "" || v.fallback == nil) {
			return value, nil
		}
	}
	if v.fallback != nil {
		return *v.fallback, nil
	}
	return "", errors.New("environment variable " + v.name + " is not set")
}

// environment finds ${VAR} in a literal part of a scalar. $${ is a literal ${.
func (p *parser) environment(n *yaml.Node, part expr.Part) []piece {
	var out []piece
	literal := func(s string) {
		if last := len(out) - 1; last >= 0 && out[last].variable == nil {
			out[last].literal += s
		} else if s != "" {
			out = append(out, piece{literal: s, offset: part.Offset})
		}
	}
	rest := part.Text
	for {
		before, after, found := strings.Cut(rest, "${")
		if !found {
			literal(rest)
			return out
		}
		at := part.Offset + len(part.Text) - len(after) - len("${")
		if escaped, ok := strings.CutSuffix(before, "$"); ok || strings.HasPrefix(after, "{") {
			literal(escaped + "${")
			rest = after
			continue
		}
		literal(before)
		inner, behind, closed := strings.Cut(after, "}")
		name, fallback, has := strings.Cut(inner, ":-")
		if !closed || !isName(name) {
			p.errorIn(n, at, "${ } must hold the name of an environment variable").Hint = "${NAME} or ${NAME:-default}; $${ is a literal ${"
			return out
		}
		v := &variable{name: name}
		if has {
			v.fallback = &fallback
		}
		out = append(out, piece{variable: v, offset: at})
		rest = behind
	}
}
