package policy

import "strings"

// forbids tells whether a deny or ask rule meets the call.
func (r *rule) forbids(f *facts) verdict {
	best := no
	for _, x := range f.parts {
		best = max(best, r.forbidsPart(f, x))
		if best == yes {
			return yes
		}
	}
	if r.bare && r.kinds&(f.known|f.kinds) != 0 {
		return yes
	}
	if r.kinds&kindMCP != 0 && len(f.readings) > 0 {
		best = max(best, r.forbidsMCP(f, f.readings))
	}
	if r.path != nil && r.path.named {
		best = max(best, r.forbidsNames(f))
	}
	if f.title != nil && r.kinds&kindExecute != 0 && r.exec != nil && f.title.ok {
		best = max(best, r.forbidsScript(f, f.title))
	}
	return best
}

func (r *rule) forbidsPart(f *facts, x *part) verdict {
	v := no
	if r.kinds&x.kinds != 0 {
		v = r.forbidsFact(f, x)
	}
	if v < maybe && r.kinds&x.others != 0 {
		v = min(maybe, r.forbidsFact(f, x))
	}
	if x.script != nil && r.kinds&pathKinds != 0 {
		v = max(v, r.forbidsRedirs(f, x.script))
	}
	return v
}

func (r *rule) forbidsFact(f *facts, x *part) verdict {
	switch {
	case r.bare:
		return yes
	case x.path != nil:
		return r.forbidsPath(f, x.path)
	case x.script != nil:
		return r.forbidsScript(f, x.script)
	case x.url != nil:
		return r.forbidsURL(x.url)
	case len(x.mcp) > 0:
		return max(r.forbidsMCP(f, x.mcp), r.forbidsName(x.name))
	}
	return r.forbidsName(x.name)
}

func (r *rule) forbidsName(name string) verdict {
	if name != "" && (r.whole || r.name != nil && r.name.matchFold(name, true)) && !r.excepts(func(e *rule) bool { return e.name != nil && e.name.match(name) }) {
		return yes
	}
	return no
}

// excepts tells whether the rule's exception, matched as an allow is, applies.
func (r *rule) excepts(matches func(*rule) bool) bool {
	return r.except != nil && matches(r.except)
}

func (r *rule) forbidsPath(f *facts, p *pathFact) verdict {
	v := no
	switch {
	case r.whole:
		v = p.within(f.world)
	case r.path != nil:
		v = r.path.forbids(f.world, p)
	}
	if v != no && r.excepts(func(e *rule) bool { return p.bar == "" && e.coversPath(f.world, p) }) {
		return no
	}
	return v
}

// within tells whether one of the ways to a path is inside the roots.
func (p *pathFact) within(w *world) verdict {
	best := no
	for _, way := range p.ways {
		if strings.IndexByte(way, anyRun) >= 0 {
			best = max(best, maybe)
		} else if w.inside(way) {
			return yes
		}
	}
	return best
}

func (r *rule) forbidsURL(t *target) verdict {
	v := no
	switch {
	case r.whole:
		v = yes
	case r.fetch != nil:
		v = r.fetch.forbids(t)
	}
	if v != no && r.excepts(func(e *rule) bool { return e.coversURL(t) }) {
		return no
	}
	return v
}

func (r *rule) forbidsMCP(f *facts, names []mcpName) verdict {
	v := no
	switch {
	case r.whole || r.bare:
		v = yes
	case r.mcp != nil:
		v = r.mcp.forbids(names)
	}
	if v != no && len(names) == 1 && r.excepts(func(e *rule) bool { return e.mcp != nil && e.mcp.allows(f.world, names[0]) }) {
		return no
	}
	return v
}

// forbidsNames holds the words of commands and the arguments of MCP tools
// against a rule of the path kinds.
func (r *rule) forbidsNames(f *facts) verdict {
	best := no
	for _, p := range f.strings {
		best = max(best, r.forbidsPath(f, p))
	}
	for _, p := range f.wordFiles() {
		if best == yes {
			break
		}
		best = max(best, r.forbidsPath(f, p))
	}
	for _, x := range f.parts {
		if x.script != nil && (!x.script.ok || x.script.opaque) {
			best = max(best, maybe)
		}
	}
	return best
}

// wordFiles are the files that the words of the call's commands could name.
func (f *facts) wordFiles() []*pathFact {
	if f.files == nil {
		f.files = []*pathFact{}
		lost := f.lost()
		for _, pw := range f.words {
			f.files = append(f.files, f.world.wordFacts(pw, lost)...)
		}
	}
	return f.files
}

// lost tells whether some command leaves open where the shell stands.
func (f *facts) lost() bool {
	for _, x := range f.parts {
		if x.script != nil && x.script.lost {
			return true
		}
	}
	return false
}

// forbidsRedirs holds the targets of redirections against a rule.
func (r *rule) forbidsRedirs(f *facts, s *scriptFact) verdict {
	best := no
	s.eachScript(func(s *script) {
		for _, d := range s.redirs {
			if r.kinds&d.kind == 0 || freeDevice(d.target.lit) {
				continue
			}
			if r.bare {
				best = yes
			}
			for _, p := range f.world.textFacts(d.target.pat, d.place, s.lost) {
				best = max(best, r.forbidsPath(f, p))
			}
		}
	})
	return best
}

// forbidsScript holds every simple command against a rule of execute.
func (r *rule) forbidsScript(f *facts, s *scriptFact) verdict {
	switch {
	case r.whole:
		return yes
	case r.exec == nil:
		return no
	case !s.ok:
		return maybe
	}
	best := no
	s.each(func(c *command) {
		if best == yes {
			return
		}
		v := r.exec.forbids(f.world, c)
		if v != no && !r.excepts(func(e *rule) bool { return e.exceptsCommand(f.world, c) }) {
			best = max(best, v)
		}
	})
	s.eachScript(func(s *script) {
		if s.opaque || !s.ok {
			best = max(best, maybe)
		}
		for _, side := range s.aside {
			side.each(func(c *command) {
				if r.exec.forbids(f.world, c) == yes {
					best = yes
				}
			})
		}
	})
	return best
}

// exceptsCommand tells whether an exception covers a command, and no option of
// it is taken back by its --no- form.
func (r *rule) exceptsCommand(w *world, c *command) bool {
	if r.bare || r.whole {
		return true
	}
	if r.exec == nil || len(c.words) == 0 || r.exec.void(w) || !r.exec.allows(c, c.needs()) {
		return false
	}
	for _, x := range r.exec.words[1:] {
		option, ok := strings.CutPrefix(x.text, "--")
		if !ok {
			continue
		}
		option, _, _ = strings.Cut(option, "=")
		for _, word := range c.words[1:] {
			if name, _, _ := strings.Cut(word.lit, "="); name == "--no-"+option {
				return false
			}
		}
	}
	return true
}
