package policy

import (
	"slices"
	"strings"
)

// forbids tells whether a pattern that forbids meets a simple command. Options
// before the word that it asks for are passed over, single letters are compared
// as a set, and a word that is not known may be anything.
func (p *execPattern) forbids(w *world, c *command) verdict {
	if len(c.words) == 0 {
		return no
	}
	v := p.forbidsProgram(c, w.fold)
	if v == no || !p.meetsAssigns(c.assigns) {
		return no
	}
	if v = min(v, p.forbidsOptions(c)); v == no {
		return no
	}
	return min(v, p.forbidsWords(c.words, w.fold))
}

func (p *execPattern) forbidsProgram(c *command, fold bool) verdict {
	program := &c.words[0]
	if len(p.words) == 1 && (p.words[0].any || p.words[0].many) {
		return yes
	}
	if !program.known() || program.glob {
		if p.nameGlob != nil || program.split || p.words[0].meets(program.pat) || newNameGlob(p.name).meets(lastName(program.pat)) {
			return maybe
		}
		return no
	}
	switch name := c.name; {
	case p.nameGlob != nil && (p.nameGlob.matchFold(name, fold) || p.nameGlob.matchFold(program.lit, fold)):
		return yes
	case p.nameGlob != nil:
		return no
	case name == p.name || fold && strings.EqualFold(name, p.name):
		return yes
	}
	return no
}

func newNameGlob(name string) *glob {
	return newGlob(ruleText{s: name, mark: make([]byte, len(name))}, globStarOnly)
}

func lastName(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

func (p *execPattern) meetsAssigns(assigns []assign) bool {
	for _, g := range p.assigns {
		if !slices.ContainsFunc(assigns, func(a assign) bool { return g.meets(a.name + "=" + a.value.pat) }) {
			return false
		}
	}
	return true
}

// forbidsOptions tells whether the options that the pattern asks for are among
// the command's words.
func (p *execPattern) forbidsOptions(c *command) verdict {
	if p.letters == "" && len(p.options) == 0 {
		return yes
	}
	valued := ""
	if e := escapes().of(c.words[0].lit); e != nil {
		valued = e.valued
	}
	letters, unknown := "", false
	for _, w := range c.words[1:] {
		unknown = unknown || w.unknown && (w.split || w.lit[0] == '-' || w.lit[0] == anyRun)
		got, unsure := p.lettersOf(w.lit, valued)
		letters, unknown = letters+got, unknown || unsure
	}
	v := yes
	for i := range len(p.letters) {
		if strings.IndexByte(letters, p.letters[i]) < 0 {
			v = no
		}
	}
	for _, g := range p.options {
		v = min(v, optionMet(g, c.words[1:]))
	}
	if v == no && unknown {
		return maybe
	}
	return v
}

// lettersOf are the letters of the options in a word, long forms included. A long
// form that is cut short may be one of several.
func (p *execPattern) lettersOf(w, valued string) (letters string, unsure bool) {
	if bundleLetters(w) {
		return p.common(ownLetters(w[1:], valued)), false
	}
	name, _, _ := strings.Cut(w, "=")
	if len(name) < 3 || name[:2] != "--" {
		return "", false
	}
	if same := p.same[name]; same != 0 {
		return string(same), false
	}
	for long, letter := range p.same {
		if strings.HasPrefix(long, name) && strings.IndexByte(p.letters, letter) >= 0 {
			return "", true
		}
	}
	return "", false
}

// ownLetters are the letters of a bundle up to one that takes the rest as value.
func ownLetters(bundle, valued string) string {
	for i := range len(bundle) {
		if strings.IndexByte(valued, bundle[i]) >= 0 {
			return bundle[:i+1]
		}
	}
	return bundle
}

// optionMet looks for a long option; one that is cut short may be the same.
func optionMet(g *glob, words []word) verdict {
	best := no
	for _, w := range words {
		name, _, _ := strings.Cut(w.lit, "=")
		switch {
		case g.match(w.lit) || g.match(name):
			return yes
		case g.pure && len(name) > 2 && strings.HasPrefix(name, "--") && strings.HasPrefix(g.text, name):
			best = maybe
		}
	}
	return best
}

// forbidsWords matches the words behind the program. It keeps, for each place
// in the pattern, how sure it is that the words so far lead there; passed is
// the same for words that may yet be the value of an option passed over.
func (p *execPattern) forbidsWords(words []word, fold bool) verdict {
	n := len(p.rest)
	cur, passed := make([]verdict, n+1), make([]verdict, n+1)
	next, nextPassed := make([]verdict, n+1), make([]verdict, n+1)
	cur[0] = yes
	p.openEnds(cur)
	for _, w := range words[1:] {
		clear(next)
		clear(nextPassed)
		for i := range n + 1 {
			p.advance(w, i, max(cur[i], passed[i]), fold, next)
			if isOptionWord(w) && (i < n || p.asked(w)) {
				nextPassed[i] = max(nextPassed[i], max(cur[i], passed[i]))
			}
			next[i] = max(next[i], passed[i])
		}
		cur, next = next, cur
		passed, nextPassed = nextPassed, passed
		p.openEnds(cur)
		p.openEnds(passed)
	}
	return max(cur[n], passed[n])
}

// advance takes word w at place i of the pattern.
func (p *execPattern) advance(w word, i int, v verdict, fold bool, next []verdict) {
	if v == no {
		return
	}
	if w.split {
		// It may be none, one or many words, and whichever are needed.
		for k := i; k < len(next); k++ {
			next[k] = max(next[k], min(v, maybe))
		}
		return
	}
	if i == len(p.rest) {
		return
	}
	switch x := p.rest[i]; {
	case x.many || x.any && i == len(p.rest)-1:
		next[i] = max(next[i], v)
	case x.any:
		next[i+1] = max(next[i+1], v)
	default:
		next[i+1] = max(next[i+1], min(v, x.forbidsWord(w, fold)))
	}
}

func (x execWord) forbidsWord(w word, fold bool) verdict {
	if w.known() {
		if x.matchFold(w.lit, fold) {
			return yes
		}
		return no
	}
	if x.meets(w.lit) {
		return maybe
	}
	return no
}

// asked tells whether an option behind everything else is one that the pattern
// asks for.
func (p *execPattern) asked(w word) bool {
	if letters, _ := p.lettersOf(w.lit, ""); letters != "" && p.letters != "" {
		return strings.Trim(letters, p.letters) == ""
	}
	return slices.ContainsFunc(p.options, func(g *glob) bool { return g.match(w.lit) })
}

func isOptionWord(w word) bool {
	return len(w.lit) > 0 && (w.lit[0] == '-' || w.lit[0] == anyRun)
}

// openEnds adds the places behind words that may stand for nothing.
func (p *execPattern) openEnds(states []verdict) {
	for i, x := range p.rest {
		if x.many || x.any && i == len(p.rest)-1 {
			states[i+1] = max(states[i+1], states[i])
		}
	}
}
