package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call walks a simple command.
func (a *analyzer) call(x *syntax.CallExpr, redirs []*syntax.Redirect, p place) (done, failed place) {
	assigns := make([]assign, 0, len(x.Assigns))
	for _, as := range x.Assigns {
		assigns = append(assigns, a.assign(as, p))
	}
	words := a.words(x.Args, p)
	if len(words) == 0 {
		if len(x.Assigns) > 0 {
			a.add(&command{assigns: assigns, place: p})
		}
		if len(x.Args) > 0 {
			a.runsText("what runs is not known")
		}
		return p, p
	}
	c := a.simple(words, p, redirs)
	c.assigns = assigns
	a.add(c)
	done, failed, known := a.moved(words, p)
	c.free = c.free || known
	return done, failed
}

func (a *analyzer) add(c *command) { a.out.commands = append(a.out.commands, c) }

// simple makes the command of its words and looks into what it wraps.
func (a *analyzer) simple(words []word, p place, redirs []*syntax.Redirect) *command {
	c := &command{words: words, name: programName(words[0].lit), place: p}
	a.shared.commands++
	a.shared.words += len(words)
	if a.shared.exhausted() {
		return c
	}
	if a.shared.wraps > maxWraps {
		a.runsText("it has too many wrappers within each other")
		return c
	}
	a.shared.wraps++
	defer func() { a.shared.wraps-- }()
	c.free = a.builtin(words)
	c.wraps, c.nested = a.unwrap(words, p)
	if w := wrappers()[c.name]; w != nil && w.script && len(c.nested) == 0 {
		c.nested = a.shellInput(words, redirs, p)
	} else if w != nil && w.text {
		c.nested = a.firstText(words)
	}
	if c.wraps != nil && c.wraps.lost {
		a.out.opaque = true
	}
	return c
}

// firstText reads the text that trap runs some time.
func (a *analyzer) firstText(words []word) []*script {
	a.out.lost = true
	rest := words[1:]
	for len(rest) > 0 && rest[0].lit == "--" {
		rest = rest[1:]
	}
	if len(rest) < 2 || rest[0].lit == "-" || !rest[0].known() {
		return nil
	}
	return []*script{a.nested(rest[0].lit, place{unknown: true})}
}

// shellInput judges a shell that has no -c: with a file it is a program like any
// other, without one it runs what it reads.
func (a *analyzer) shellInput(words []word, redirs []*syntax.Redirect, p place) []*script {
	for i, w := range words[1:] {
		if w.lit == procSubstPath || perProcess(w.lit) {
			a.runsText("a shell runs what another command prints")
			return nil
		}
		if !strings.HasPrefix(w.lit, "-") && !strings.HasPrefix(w.lit, "+") && w.lit != "/dev/stdin" {
			a.runsFile(words[1+i:], p)
			return nil
		}
		if w.lit == "--version" || w.lit == "--help" {
			return nil
		}
	}
	for _, r := range redirs {
		body := r.Hdoc
		if r.Op == syntax.WordHdoc {
			body = r.Word
		}
		if body == nil {
			continue
		}
		b := wordBuilder{a: a, place: p}
		for _, part := range body.Parts {
			b.part(part, true)
		}
		text := b.done()
		if text.known() {
			a.bar("a shell runs the text of a here-document")
			return []*script{a.nested(text.lit, p)}
		}
	}
	a.runsText("a shell runs what it reads")
	return nil
}

// runsFile notes that a shell is given a script, for denies: one that forbids a
// program of that name is about this as well.
func (a *analyzer) runsFile(words []word, p place) {
	c := &command{words: words, name: programName(words[0].lit), place: p}
	a.out.aside = append(a.out.aside, &script{ok: true, commands: []*command{c}})
}

// redirect notes what a redirection reads or writes.
func (a *analyzer) redirect(r *syntax.Redirect, p place, bare bool) {
	if r.N != nil {
		a.sets(strings.Trim(r.N.Value, "{}"))
	}
	if r.Hdoc != nil {
		b := wordBuilder{a: a, place: p}
		for _, part := range r.Hdoc.Parts {
			b.part(part, true)
		}
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		a.hereDocument(r, a.word(r.Word, p))
		return
	case syntax.WordHdoc:
		a.word(r.Word, p)
		return
	}
	words := a.words([]*syntax.Word{r.Word}, p)
	target := unknownWord()
	if len(words) == 1 {
		target = words[0]
	}
	kind := kindEdit
	switch r.Op {
	case syntax.RdrIn:
		kind = kindRead
	case syntax.DplIn, syntax.DplOut:
		if strings.Trim(target.lit, "0123456789") == "" || strings.Trim(target.lit, "0123456789") == "-" {
			return
		}
	}
	if target.lit == procSubstPath {
		return
	}
	a.out.redirs = append(a.out.redirs, &redirect{kind: kind, target: target, place: p, bare: bare})
}
