package policy

import (
	"strings"
)

// Inside the text of a shell word these bytes stand for what is not known. They
// are control characters, and a command with one of those is not judged by its
// words at all, so they cannot be confused with text.
const (
	anyRun  = '\x01' // any characters, also none
	numRun  = '\x02' // digits, perhaps with a sign
	starRun = '\x03' // an unquoted *
	oneRun  = '\x04' // an unquoted ? or [...]
)

// globRuns are the bytes that the file system may replace, wholeRuns all of them.
const (
	globRuns  = "\x03\x04"
	wholeRuns = "\x01\x02" + globRuns
)

// hasRuns tells whether a text has a part that is not known or may be replaced.
func hasRuns(s string) bool {
	for i := range len(s) {
		if s[i] <= oneRun {
			return true
		}
	}
	return false
}

// plainGlob gives a word's wildcards back as the characters they were.
func plainGlob(s string) string {
	if !strings.ContainsAny(s, globRuns) {
		return s
	}
	return strings.NewReplacer("\x03", "*", "\x04", "?").Replace(s)
}

// shown is a word's text for people.
func shown(s string) string {
	if !strings.ContainsAny(s, wholeRuns) {
		return s
	}
	return strings.NewReplacer("\x01", "$...", "\x02", "$(())", "\x03", "*", "\x04", "?").Replace(s)
}

// meets tells whether some value of a text with unknown parts fits. A run that
// the file system replaces holds no slash and, at the front, no dot.
func (g *glob) meets(s string) bool {
	// states holds the places in the pattern that the text so far can lead to.
	states, next := make([]bool, len(g.toks)+1), make([]bool, len(g.toks)+1)
	states[0] = true
	g.spread(states)
	for i, first := 0, true; i < len(s); first = false {
		r, n := decode(s[i:])
		i += n
		clear(next)
		g.step(states, next, r, first)
		g.spread(next)
		states, next = next, states
	}
	return states[len(g.toks)]
}

// step adds the places that one character or run leads on to.
func (g *glob) step(states, next []bool, r rune, first bool) {
	run := false // the place is reached within the run
	for t, tok := range g.toks {
		here := states[t]
		isRun := r == anyRun || r == numRun || r == starRun
		next[t] = next[t] || here && (isRun || tok.kind == globStar)
		switch {
		case isRun:
			run = here && g.runFits(tok, r, first) || run && g.runFits(tok, r, false)
			next[t+1] = next[t+1] || run
		case r == oneRun:
			next[t+1] = next[t+1] || here && g.runFits(tok, r, first)
		default:
			next[t+1] = next[t+1] || here && tok.one(r)
		}
	}
	if last := len(g.toks); states[last] && (r == anyRun || r == numRun || r == starRun) {
		next[last] = true
	}
}

// runFits tells whether a run can stand for what the token asks for.
func (g *glob) runFits(tok globTok, run rune, first bool) bool {
	if tok.kind != globChar {
		return true
	}
	switch run {
	case anyRun:
		return true
	case numRun:
		return tok.char == '-' || '0' <= tok.char && tok.char <= '9'
	default:
		return tok.char != '/' && (!first || tok.char != '.')
	}
}

// spread adds the places behind stars, which may stand for nothing.
func (g *glob) spread(states []bool) {
	for t, tok := range g.toks {
		if states[t] && tok.kind == globStar {
			states[t+1] = true
		}
	}
}
