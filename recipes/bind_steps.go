package recipes

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/acpctl/acpctl/recipes/expr"
)

// bindSteps reads the files that steps name, and finds secrets in prompts.
func (b *binder) bindSteps() {
	b.plan.allowSecret = b.over.AllowSecretInPrompt
	if !b.plan.allowSecret {
		b.problems = append(b.problems, b.r.names.exposed...)
	}
	for _, s := range b.r.steps {
		p := &planStep{step: s}
		if s.kind == kindPrompt {
			p.prompt = b.promptText(s)
			p.schema = b.outputSchema(s.output)
			b.checkEarly(s)
		}
		for _, e := range s.env {
			b.bindVariables(e.value)
		}
		b.plan.steps = append(b.plan.steps, p)
	}
}

// promptText is the prompt of a step, read from its file if it has one.
func (b *binder) promptText(s *step) *text {
	if s.prompt.file == nil {
		return s.prompt.text
	}
	path := b.named(s.prompt.file)
	src := b.readFile(s.prompt.file, path)
	if src == nil {
		return nil
	}
	known := *b.r.names
	known.vars, known.exposed = slices.Sorted(maps.Keys(s.prompt.vars)), nil
	in := s.scope.with("vars")
	in.names, in.public = &known, true
	p := newParser(src, path, &b.problems)
	t := p.text(wholeFile(src), in, false)
	if !b.plan.allowSecret {
		b.problems = append(b.problems, known.exposed...)
	}
	return t
}

// outputSchema compiles the schema of an output; nil for none and for a bad one.
func (b *binder) outputSchema(o *outputDecl) *outputSchema {
	if o == nil {
		return nil
	}
	text, path := o.text, cmp.Or(o.path, filepath.Join(b.opts.RecipeDir, "schema.json"))
	switch {
	case o.file != nil:
		path = b.named(o.file)
		if text = b.readFile(o.file, path); text == nil {
			return nil
		}
	case text == nil:
		text = expr.JSON(o.inline)
	}
	compiled, err := compileSchema(text, path, b.opts.ReadFile)
	if err != nil {
		b.at(o.src, o.node, "schema: %v", err)
		return nil
	}
	doc, err := decodeJSON(text)
	if err != nil {
		b.at(o.src, o.node, "schema: %v", err)
		return nil
	}
	return &outputSchema{compiled: compiled, source: expr.JSON(doc)}
}

// checkEarly evaluates what a step says without knowing other steps, so that a
// mistake there is told before the start.
func (b *binder) checkEarly(s *step) {
	for _, t := range append(slices.Clone(s.settings.models), s.settings.effort, s.settings.mode) {
		if t != nil && !t.readsSteps() {
			_, err := t.names(context.Background(), b.v)
			b.fail(err)
		}
	}
}

// bindVariables looks up the variables of a text that is evaluated later: one that
// is not set is told now, and the value of another is masked.
func (b *binder) bindVariables(t *text) {
	for _, p := range t.pieces {
		if p.variable == nil {
			continue
		}
		if _, err := p.variable.value(b.v); err != nil {
			b.fail(t.fault(p, err.Error()))
		}
	}
}

// readsSteps says whether a text depends on results of steps.
func (t *text) readsSteps() bool {
	return slices.ContainsFunc(t.pieces, func(p piece) bool {
		return p.code != nil && slices.ContainsFunc(p.code.Refs(), func(r expr.Ref) bool { return r.Name == "steps" || r.Name == "run" })
	})
}
