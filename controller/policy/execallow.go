package policy

import (
	"slices"
	"strings"
)

// allowLimits are what an allow pattern has to respect in one command.
type allowLimits struct {
	need []int // bytes of each word that the rule must spell
	// judged are the words that an inner command answers for.
	judged []bool
	// strict says that the program has options which an unknown word could be.
	strict bool
}

// allows tells whether the pattern covers the words of one simple command.
func (p *execPattern) allows(c *command, lim allowLimits) bool {
	if !p.words[0].coversProgram(c.words[0], lim.need[0]) || !p.allowsAssigns(c.assigns) {
		return false
	}
	if len(p.words) == 1 && (p.words[0].any || p.words[0].many) {
		for j := 1; j < len(c.words); j++ {
			if !lim.wildcard(c.words, j, true) {
				return false
			}
		}
		return true
	}
	return p.allowsWords(c.words, lim)
}

// allowsWords walks the words with all places in the pattern that the words so
// far can lead to.
func (p *execPattern) allowsWords(words []word, lim allowLimits) bool {
	n := len(p.words)
	states := make([]bool, n+1)
	next := make([]bool, n+1)
	states[1] = true
	p.skipMany(states)
	for j := 1; j < len(words); j++ {
		clear(next)
		for i := 1; i < n; i++ {
			if !states[i] {
				continue
			}
			w := p.words[i]
			final := i == n-1
			switch {
			case w.many || w.any && final:
				next[i] = next[i] || lim.wildcard(words, j, final)
			case w.any:
				next[i+1] = next[i+1] || lim.wildcard(words, j, false)
			case w.spelled >= lim.need[j] && words[j].known() && w.match(words[j].lit):
				next[i+1] = true
			}
		}
		states, next = next, states
		p.skipMany(states)
	}
	return states[n]
}

// skipMany adds the places behind words that may stand for nothing.
func (p *execPattern) skipMany(states []bool) {
	for i := 1; i < len(p.words); i++ {
		if states[i] && (p.words[i].many || p.words[i].any && i == len(p.words)-1) {
			states[i+1] = true
		}
	}
}

// wildcard tells whether a * word may stand for word j.
func (lim allowLimits) wildcard(words []word, j int, final bool) bool {
	if lim.need[j] > 0 {
		return false
	}
	if words[j].unknown && !lim.judged[j] {
		return final && !lim.strict
	}
	return true
}

// coversProgram compares the program: exactly, or by its name in one of the
// usual folders. A wildcard stands for no folder.
func (w execWord) coversProgram(program word, need int) bool {
	if !program.known() || program.glob || program.lit == "" || w.spelled < need {
		return false
	}
	name := program.lit
	if w.matchProgram(name) {
		return true
	}
	for _, folder := range []string{"/usr/local/bin/", "/usr/bin/", "/bin/"} {
		if rest, ok := strings.CutPrefix(name, folder); ok && !strings.Contains(rest, "/") {
			return w.matchProgram(rest)
		}
	}
	return false
}

func (w execWord) matchProgram(name string) bool {
	if w.pure {
		return w.text == name
	}
	if strings.Contains(name, "/") {
		// The folder has to be spelled, and what a wildcard stands for stays in it.
		cut := strings.LastIndexByte(name, '/') + 1
		base := name[cut:]
		return w.spelled >= cut && base != "" && base != "." && base != ".." && w.match(name)
	}
	return w.any || w.many || w.match(name)
}

// allowsAssigns wants each assignment to be harmless or spelled, and each that
// the pattern spells to be there.
func (p *execPattern) allowsAssigns(assigns []assign) bool {
	for _, a := range assigns {
		spelled := slices.ContainsFunc(p.assigns, a.spelledBy)
		if (a.never || a.bad) && !spelled {
			return false
		}
	}
	for _, g := range p.assigns {
		if !slices.ContainsFunc(assigns, func(a assign) bool { return a.spelledBy(g) }) {
			return false
		}
	}
	return true
}

// spelledBy tells whether a pattern word names the variable and fits the value.
func (a assign) spelledBy(g *glob) bool {
	return a.value.known() && g.spelled > len(a.name) && g.match(a.name+"="+a.value.lit)
}

// needs tells what a rule has to spell of a command: the escapes of its
// program. What an inner command answers for is left to it.
func (c *command) needs() allowLimits {
	lim := c.escapes()
	if c.wraps == nil {
		return lim
	}
	for _, in := range c.wraps.inner {
		if slices.Contains(execOptions, c.words[in.start-1].lit) {
			lim.need[in.start-1] = 0
		}
		for j := in.start; j < in.end; j++ {
			lim.need[j] = 0
			lim.judged[j] = true
		}
	}
	return lim
}

// execOptions hand a command on that is judged itself.
var execOptions = []string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}

func (c *command) escapes() allowLimits {
	lim := allowLimits{need: make([]int, len(c.words)), judged: make([]bool, len(c.words))}
	if entry := escapes().of(c.words[0].lit); entry != nil && entry.risky {
		lim.strict = true
		entry.needs(c.words, lim.need)
	}
	declared(c.words, lim.need)
	return lim
}

// needsAll is needs for a rule that answers for the inner commands as well: it
// has to spell their programs, their escapes and every script text.
func (c *command) needsAll() allowLimits {
	lim := c.escapes()
	if len(c.nested) > 0 {
		for j := 1; j < len(c.words); j++ {
			lim.need[j] = len(c.words[j].lit)
		}
	}
	if c.wraps == nil {
		return lim
	}
	for _, in := range c.wraps.inner {
		deeper := in.needsAll()
		lim.strict = lim.strict || deeper.strict
		for j := in.start; j < in.end; j++ {
			lim.need[j] = max(lim.need[j], deeper.need[j-in.start])
		}
		lim.need[in.start] = len(c.words[in.start].lit)
		for j := 1; j < in.start; j++ {
			if len(in.assigns) > 0 && strings.Contains(c.words[j].lit, "=") {
				lim.need[j] = len(c.words[j].lit)
			}
		}
	}
	return lim
}

// needsEvery wants every word spelled: nobody knows which of them matter.
func (c *command) needsEvery() allowLimits {
	lim := allowLimits{need: make([]int, len(c.words)), judged: make([]bool, len(c.words)), strict: true}
	for j, w := range c.words {
		lim.need[j] = len(w.lit)
	}
	return lim
}

// declared wants the names that choose what runs spelled in an export.
func declared(words []word, need []int) {
	switch words[0].lit {
	case "export", "declare", "typeset", "readonly", "local":
	default:
		return
	}
	for j, w := range words {
		name, _, ok := strings.Cut(w.lit, "=")
		if j > 0 && neverAssigned(strings.TrimSuffix(name, "+")) {
			need[j] = len(name)
			if ok {
				need[j]++
			}
		}
	}
}
