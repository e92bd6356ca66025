package policy

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// pathPattern is a prepared pattern of the path kinds.
type pathPattern struct {
	base  pathBase
	up    int // folders above the base, from leading ".."
	segs  []pathSeg
	below bool // covers also everything inside what it matches
	// must is a name that every path met holds; empty when none is known. Most
	// paths are told apart by it at once.
	must string
	// float lets the pattern match at any depth where it forbids.
	float bool
	// anchored says that it begins with ./ and so is about the session's folder.
	anchored bool
	// named is whether something beside wildcards is in it.
	named bool
	// reach says that an interpolated value may lead out: it holds "..", or is
	// the front of an absolute path. Such an allow holds inside the roots only.
	reach bool
	// void says that a value begins with "~": such an allow never holds.
	void bool
}

// pathBase is what a pattern is relative to.
type pathBase uint8

const (
	baseCwd pathBase = iota
	baseRoots
	baseAbsolute
	baseHome
)

// pathSeg is one folder name of a pattern; nil is **.
type pathSeg struct {
	*glob
	composed string // the text in composed form where that differs
}

func newPathPattern(raw ruleText) (*pathPattern, *patternError) {
	t, err := raw.unescape()
	if err != nil {
		return nil, err
	}
	p := &pathPattern{}
	literal := slices.Contains(t.mark, markLiteral)
	body := t
	switch {
	case t.s == "~" && t.mark[0] != markLiteral || strings.HasPrefix(t.s, "~/") && t.mark[0] == markPlain:
		p.base, body = baseHome, t.slice(1, len(t.s))
	case t.s[0] == '/':
		p.base = baseAbsolute
		p.reach = t.mark[0] == markLiteral
	case t.s[0] == '~' && t.mark[0] == markLiteral:
		p.void = true
	}
	p.anchored = strings.HasPrefix(t.s, "./")
	inner := strings.TrimRight(body.s, "/")
	p.float = p.base == baseCwd && !strings.Contains(inner, "/") && !literal
	p.below = len(inner) < len(body.s)
	p.addSegs(body)
	if len(p.segs) > 0 && p.segs[0].glob == nil && p.base == baseCwd && p.up == 0 && !p.anchored {
		p.base = baseRoots
	}
	if n := len(p.segs); n > 0 && p.segs[n-1].glob == nil {
		p.segs, p.below = p.segs[:n-1], true
	}
	p.compose()
	return p, nil
}

// compose brings what a deny compares to the composed form; allow compares
// bytes. It also finds the longest name that is no pattern.
func (p *pathPattern) compose() {
	for i, seg := range p.segs {
		if seg.glob == nil || !seg.pure {
			continue
		}
		if composed := norm.NFC.String(seg.text); composed != seg.text {
			p.segs[i].composed = composed
		} else if len(seg.text) > len(p.must) {
			p.must = seg.text
		}
	}
}

// addSegs splits the pattern at slashes; "." and ".." are worked off as text.
func (p *pathPattern) addSegs(t ruleText) {
	from := 0
	for i := 0; i <= len(t.s); i++ {
		if i < len(t.s) && t.s[i] != '/' {
			continue
		}
		p.addSeg(t.slice(from, i))
		from = i + 1
	}
}

func (p *pathPattern) addSeg(seg ruleText) {
	switch {
	case seg.s == "" || seg.s == ".":
	case seg.s == "..":
		p.reach = p.reach || slices.Contains(seg.mark, markLiteral)
		if n := len(p.segs); n > 0 && p.segs[n-1].glob != nil {
			p.segs = p.segs[:n-1]
		} else if n == 0 {
			p.up++
		}
	case seg.plain("**"):
		p.segs = append(p.segs, pathSeg{})
	default:
		g := newGlob(seg, globFull)
		p.named = p.named || g.pure || slices.ContainsFunc(g.toks, func(t globTok) bool { return t.kind == globChar })
		p.segs = append(p.segs, pathSeg{glob: g})
	}
}
