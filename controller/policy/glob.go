package policy

import (
	"strings"
	"unicode/utf8"
)

// glob is one prepared pattern without meaning for slashes: a name of a folder,
// a word of a command, a host.
type glob struct {
	toks []globTok
	text string // the whole pattern where it has no wildcard
	pure bool   // no wildcard
	// spelled is how many bytes at the front the rule's author wrote out: up to
	// the first wildcard or interpolated value.
	spelled int
}

type globTok struct {
	kind globKind
	char rune
	set  *charSet
}

type globKind uint8

const (
	globChar globKind = iota
	globStar          // any characters, also none
	globOne           // one character
	globSet           // one character of a set
)

// charSet is the inside of [...].
type charSet struct {
	not    bool
	ranges [][2]rune
}

func (c *charSet) has(r rune) bool {
	for _, x := range c.ranges {
		if x[0] <= r && r <= x[1] {
			return !c.not
		}
	}
	return c.not
}

// Which wildcards a pattern has.
const (
	globStarOnly = false
	globFull     = true // also ? and [...]
)

// newGlob prepares a pattern. Marked bytes stand for themselves.
func newGlob(t ruleText, full bool) *glob {
	g := &glob{pure: true, spelled: -1}
	for i := 0; i < len(t.s); {
		r, n := decode(t.s[i:])
		tok := globTok{char: r}
		if t.mark[i] == markPlain {
			tok, n = wildcard(t, i, r, n, full)
		}
		if g.spelled < 0 && (tok.kind != globChar || t.mark[i] == markLiteral) {
			g.spelled = i
		}
		if tok.kind != globChar {
			g.pure = false
		}
		if last := len(g.toks) - 1; tok.kind != globStar || last < 0 || g.toks[last].kind != globStar {
			g.toks = append(g.toks, tok)
		}
		i += n
	}
	if g.spelled < 0 {
		g.spelled = len(t.s)
	}
	if g.pure {
		g.text = t.s
	}
	return g
}

// wildcard reads the token at byte i, which is plain, and how long it is.
func wildcard(t ruleText, i int, r rune, n int, full bool) (globTok, int) {
	switch {
	case r == '*':
		return globTok{kind: globStar}, 1
	case r == '?' && full:
		return globTok{kind: globOne}, 1
	case r == '[' && full:
		if set, length := newCharSet(t, i); set != nil {
			return globTok{kind: globSet, set: set}, length
		}
	}
	return globTok{char: r}, n
}

// newCharSet reads [...] at byte i as gitignore does: ! or ^ turns it round, a ]
// at the front is a member. Nil when it is not closed: then [ is a character.
func newCharSet(t ruleText, i int) (*charSet, int) {
	set := &charSet{}
	j := i + 1
	if j < len(t.s) && t.plainAny(j, "!^") {
		set.not = true
		j++
	}
	for first := true; j < len(t.s); first = false {
		if t.plainAny(j, "]") && !first {
			return set, j + 1 - i
		}
		low, n := decode(t.s[j:])
		j += n
		high := low
		if j+1 < len(t.s) && t.plainAny(j, "-") && !t.plainAny(j+1, "]") {
			high, n = decode(t.s[j+1:])
			j += 1 + n
		}
		set.ranges = append(set.ranges, [2]rune{low, high})
	}
	return nil, 0
}

// match tells whether the whole of s fits.
func (g *glob) match(s string) bool {
	if g.pure {
		return g.text == s
	}
	// The usual walk with one place to come back to: the last star and where it
	// stood. It never takes more than len(s) times len(g.toks) steps.
	t, star, from := 0, -1, 0
	for i := 0; i < len(s); {
		r, n := decode(s[i:])
		switch {
		case t < len(g.toks) && g.toks[t].kind == globStar:
			star, from = t, i
			t++
			continue
		case t < len(g.toks) && g.toks[t].one(r):
			t++
			i += n
			continue
		case star < 0:
			return false
		}
		_, n = decode(s[from:])
		from += n
		i, t = from, star+1
	}
	for t < len(g.toks) && g.toks[t].kind == globStar {
		t++
	}
	return t == len(g.toks)
}

// decode reads one character. A byte that is no part of one stands for itself
// alone, so that two of them are never the same.
func decode(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return -1 - rune(s[0]), 1
	}
	return r, n
}

// one tells whether the token stands for the character r.
func (t globTok) one(r rune) bool {
	switch t.kind {
	case globChar:
		return t.char == r
	case globOne:
		return true
	case globSet:
		return t.set.has(r)
	default:
		return false
	}
}

// matchFold is match without regard to case where fold is set.
func (g *glob) matchFold(s string, fold bool) bool {
	if !fold {
		return g.match(s)
	}
	if g.pure {
		return strings.EqualFold(g.text, s)
	}
	return g.folded().match(strings.ToLower(s))
}

// folded is the pattern in lower case, but for sets.
func (g *glob) folded() *glob {
	out := &glob{toks: make([]globTok, len(g.toks)), pure: g.pure, text: strings.ToLower(g.text)}
	for i, t := range g.toks {
		t.char = lowerRune(t.char)
		out.toks[i] = t
	}
	return out
}

func lowerRune(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	lower, _ := utf8.DecodeRuneInString(strings.ToLower(string(r)))
	return lower
}
