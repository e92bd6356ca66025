package recipes

import (
	"gopkg.in/yaml.v3"
)

// The kinds of a [SessionFrom] beside a new session.
const (
	FromContinue = "continue" // the agent's newest session of this folder
	FromResume   = "resume"   // without its history, where the agent can do that
	FromLoad     = "load"     // with its history as events marked replay
	FromFork     = "fork"     // a copy of it under an id of its own
)

// SessionFrom says where the main session comes from. The zero value is a new
// one.
type SessionFrom struct {
	Kind string `json:",omitempty"` // "" or one of the kinds
	ID   string `json:",omitempty"` // of the session; empty for continue
	// OrNew begins a new session where there is no such session, with a warning.
	OrNew bool `json:",omitempty"`
}

// fromDecl is SessionFrom as the recipe has it.
type fromDecl struct {
	kind  string
	id    *text
	orNew bool
	node  *yaml.Node
}

// from reads the key session of a recipe.
func (p *parser) from(n *yaml.Node, s *scope) fromDecl {
	d := fromDecl{node: n, orNew: scalarOf(field(n, "orNew")) == "true"}
	if n != nil && n.Kind == yaml.ScalarNode && n.Value == FromContinue {
		d.kind = FromContinue
	}
	written := 0
	for _, kind := range []string{FromResume, FromLoad, FromFork} {
		if id := field(n, kind); id != nil {
			d.kind, d.id = kind, p.text(id, s, false)
			written++
		}
	}
	if n != nil && n.Kind == yaml.MappingNode && written != 1 {
		p.errorf(n, "session takes exactly one of resume, load and fork")
	}
	return d
}

// bindFrom takes the session's id; what a flag says wins.
func (b *binder) bindFrom() {
	d := b.r.from
	b.plan.From = SessionFrom{Kind: d.kind, OrNew: d.orNew}
	if d.id != nil {
		b.plan.From.ID = b.string(d.id)
		if b.plan.From.ID == "" && !b.incomplete {
			b.at(b.r.src, d.node, "the id of the session is empty")
		}
	}
	if d.kind == FromResume && b.plan.From.ID == "last" {
		b.plan.From.Kind, b.plan.From.ID = FromContinue, ""
	}
	if b.over.From.Kind != "" {
		b.plan.From = b.over.From
	}
}

// view is how a resolved recipe shows it.
func (f SessionFrom) view() any {
	switch f.Kind {
	case "":
		return "new"
	case FromContinue:
		if !f.OrNew {
			return FromContinue
		}
		f.Kind, f.ID = FromResume, "last"
	}
	view := map[string]any{f.Kind: f.ID}
	if f.OrNew {
		view["orNew"] = true
	}
	return view
}
