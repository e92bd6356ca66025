package policy

import "slices"

// scriptFact tells whether the rules cover a whole command line.
func (c *cover) scriptFact(s *scriptFact) bool {
	for _, r := range c.rules {
		if r.kinds&kindExecute == 0 || c.excepted(r, func(e *rule) verdict { return e.forbidsScript(c.facts, s) }) && (r.bare || r.whole) {
			continue
		}
		if r.bare || r.whole && s.bar == "" && r.kinds != allKinds {
			return c.use(r)
		}
	}
	if s.bar != "" {
		return c.fail("command %s: no pattern allows it, since %s", preview(s.text), s.bar)
	}
	if len(s.commands)+len(s.redirs) == 0 && s.ok {
		return c.fail("command %s: it runs nothing", preview(s.text))
	}
	return c.script(s.script, s.text)
}

// script tells whether every command and redirection of a text is covered.
func (c *cover) script(s *script, text string) bool {
	switch {
	case !s.ok:
		return c.fail("command %s: %s", preview(text), s.fault)
	case len(s.bars) > 0:
		return c.fail("command %s: no pattern allows it, since %s", preview(text), s.bars[0])
	}
	for _, cmd := range s.commands {
		if !c.command(s, cmd) {
			return c.fail("command %s: no rule", preview(cmd.String()))
		}
	}
	for _, d := range s.redirs {
		if !c.redirect(s, d) {
			return false
		}
	}
	return true
}

// redirect judges the file of a redirection as a call of its kind.
func (c *cover) redirect(s *script, d *redirect) bool {
	if freeDevice(d.target.lit) {
		return true
	}
	label := d.kind.label()
	base, sure := d.place.sure()
	switch {
	case !d.target.known() || d.target.glob:
		return c.fail("%s %s: the target of the redirection cannot be told", label, preview(shown(d.target.lit)))
	case d.bare:
		return c.fail("%s %s: a redirection without a command", label, preview(d.target.lit))
	case (!sure || s.lost) && d.target.lit[:min(1, len(d.target.lit))] != "/":
		return c.fail("%s %s: the folder that it is relative to cannot be told", label, preview(d.target.lit))
	}
	return c.path(d.kind, c.facts.world.shellFact(d.target.lit, base))
}

// shellFact resolves a path that a shell opens, which knows no URIs.
func (w *world) shellFact(p, base string) *pathFact {
	f := &pathFact{}
	f.resolve(w, p, base)
	return f
}

// command tells whether one simple command is covered.
func (c *cover) command(s *script, cmd *command) bool {
	harmless := !slices.ContainsFunc(cmd.assigns, func(a assign) bool { return a.never || a.bad })
	if len(cmd.words) == 0 {
		return harmless
	}
	if slices.Contains(s.functions, cmd.words[0].lit) {
		return c.fail("command %s: the text makes it a function", preview(cmd.words[0].lit))
	}
	if cmd.free && harmless || c.answered(func(r *rule) verdict { return r.meetsInside(c.facts.world, cmd) }) {
		return true
	}
	if cmd.wraps == nil && len(cmd.nested) == 0 {
		lim := cmd.needs()
		return c.spelled(cmd, lim) || c.unspelled(cmd, lim)
	}
	if cmd.wraps != nil && cmd.wraps.lost {
		if c.spelled(cmd, cmd.needsEvery()) {
			return true
		}
		return c.fail("command %s: what it runs cannot be told", preview(cmd.String()))
	}
	if c.spelled(cmd, cmd.needsAll()) {
		return true
	}
	lim := cmd.needs()
	clear := cmd.wraps != nil && cmd.wraps.clear && harmless && cmd.literalFront(lim)
	return (clear || c.spelled(cmd, lim)) && c.inner(s, cmd)
}

// unspelled says which word a rule would have to spell, if one is about the
// command but for that.
func (c *cover) unspelled(cmd *command, lim allowLimits) bool {
	free := allowLimits{need: make([]int, len(cmd.words)), judged: lim.judged}
	for _, r := range c.rules {
		if r.exec == nil || !r.exec.allows(cmd, free) {
			continue
		}
		for j, n := range lim.need {
			if n > 0 {
				return c.fail("command %s: %s does not spell %s", preview(cmd.String()), r.text, preview(shown(cmd.words[j].lit)))
			}
		}
		return c.fail("command %s: a word that is not known could be an option that runs or writes something", preview(cmd.String()))
	}
	return false
}

// literalFront tells whether a wrapper's own words are known, and none of them
// makes it write something.
func (c *command) literalFront(lim allowLimits) bool {
	for _, in := range c.wraps.inner {
		if !allKnown(c.words[:in.start]) || slices.Max(lim.need[:in.start]) > 0 {
			return false
		}
	}
	return len(c.wraps.inner) > 0
}

// inner tells whether everything that a wrapper runs is covered.
func (c *cover) inner(s *script, cmd *command) bool {
	if cmd.wraps != nil {
		for _, in := range cmd.wraps.inner {
			if !c.command(s, in.command) {
				return c.fail("command %s: no rule", preview(in.String()))
			}
		}
	}
	for _, n := range cmd.nested {
		if !c.script(n, cmd.String()) {
			return false
		}
	}
	return true
}

// spelled tells whether one rule covers the words of a command.
func (c *cover) spelled(cmd *command, lim allowLimits) bool {
	for _, r := range c.rules {
		if r.kinds&kindExecute == 0 {
			continue
		}
		if r.whole && r.kinds == allKinds {
			return c.use(r)
		}
		if r.exec == nil || !r.exec.allows(cmd, lim) || r.exec.void(c.facts.world) {
			continue
		}
		if c.excepted(r, func(e *rule) verdict { return e.forbidsCommand(c.facts.world, cmd) }) {
			continue
		}
		return c.use(r)
	}
	return false
}

// meetsInside tells whether an ask rule meets a command or something it runs.
func (r *rule) meetsInside(w *world, cmd *command) verdict {
	best := no
	if r.exec != nil {
		cmd.each(func(c *command) { best = max(best, r.exec.forbids(w, c)) })
	}
	return best
}

func (r *rule) forbidsCommand(w *world, cmd *command) verdict {
	switch {
	case r.bare || r.whole:
		return yes
	case r.exec == nil:
		return no
	}
	return r.exec.forbids(w, cmd)
}

// String is the command for people.
func (c *command) String() string {
	words := make([]word, 0, len(c.assigns)+len(c.words))
	for _, a := range c.assigns {
		words = append(words, literalWord(a.name+"="+shown(a.value.lit)))
	}
	for _, w := range c.words {
		words = append(words, literalWord(shown(w.lit)))
	}
	return joinWords(words)
}
