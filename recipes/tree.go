package recipes

import (
	"context"

	"gopkg.in/yaml.v3"
)

// tree is a YAML value with ${{ }} in its strings.
type tree struct {
	scalar any // of a scalar that is no string
	text   *text
	list   []tree
	object map[string]tree
}

// tree reads any value.
func (p *parser) tree(n *yaml.Node, s *scope) tree {
	switch {
	case n == nil:
		return tree{}
	case n.Kind == yaml.MappingNode:
		t := tree{object: make(map[string]tree, len(n.Content)/2)}
		for _, e := range entries(n) {
			t.object[e.key.Value] = p.tree(e.value, s)
		}
		return t
	case n.Kind == yaml.SequenceNode:
		t := tree{list: make([]tree, len(n.Content))}
		for i, e := range n.Content {
			t.list[i] = p.tree(e, s)
		}
		return t
	}
	if value := plainValue(n); n.Tag != "!!str" {
		return tree{scalar: value}
	}
	return tree{text: p.text(n, s, false)}
}

// trees reads a mapping of names to anything.
func (p *parser) trees(n *yaml.Node, s *scope) map[string]tree {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	return p.tree(n, s).object
}

// value evaluates the tree. The error is a *problemError.
func (t tree) value(ctx context.Context, v values) (any, error) {
	switch {
	case t.object != nil:
		return treeValues(ctx, t.object, v)
	case t.list != nil:
		out := make([]any, len(t.list))
		for i, e := range t.list {
			value, err := e.value(ctx, v)
			if err != nil {
				return nil, err
			}
			out[i] = value
		}
		return out, nil
	case t.text != nil:
		return t.text.value(ctx, v)
	default:
		return t.scalar, nil
	}
}

// treeValues evaluates the trees of a mapping; nil for none.
func treeValues(ctx context.Context, trees map[string]tree, v values) (map[string]any, error) {
	if trees == nil {
		return nil, nil
	}
	out := make(map[string]any, len(trees))
	for name, t := range trees {
		value, err := t.value(ctx, v)
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}
