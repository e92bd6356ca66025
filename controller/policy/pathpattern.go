package policy

import (
	"path"
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
	// float lets the pattern match at any depth where it forbids.
	float bool
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
type pathSeg struct{ *glob }

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
	inner := strings.TrimRight(body.s, "/")
	p.float = p.base == baseCwd && !strings.Contains(inner, "/") && !literal
	p.below = len(inner) < len(body.s)
	p.addSegs(body)
	if len(p.segs) > 0 && p.segs[0].glob == nil && p.base == baseCwd {
		p.base = baseRoots
	}
	if n := len(p.segs); n > 0 && p.segs[n-1].glob == nil {
		p.segs, p.below = p.segs[:n-1], true
	}
	return p, nil
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
		p.segs = append(p.segs, pathSeg{g})
	}
}

// allows tells whether the resolved path is covered.
func (p *pathPattern) allows(w *world, f *pathFact) bool {
	if p.void || p.reach && !w.inside(f.real) {
		return false
	}
	for _, base := range p.bases(w) {
		if rest, ok := below(base, f.real, w.fold); ok && p.matchRest(rest, w.fold) == yes {
			return true
		}
	}
	return false
}

// forbids tells whether one of the ways to the path is met. A path with an
// unknown part is met when one of its values could be.
func (p *pathPattern) forbids(w *world, f *pathFact) verdict {
	best := no
	for _, way := range f.ways {
		best = max(best, p.meets(w, way))
		if composed := norm.NFC.String(way); composed != way && best != yes {
			best = max(best, p.meets(w, composed))
		}
		if best == yes {
			break
		}
	}
	return best
}

func (p *pathPattern) meets(w *world, way string) verdict {
	if strings.IndexByte(way, anyRun) >= 0 {
		return p.couldMeet(way)
	}
	best := no
	if p.float || p.base == baseRoots && p.named {
		best = p.matchAnywhere(way, w.fold)
	}
	for _, base := range p.bases(w) {
		if best == yes {
			break
		}
		if rest, ok := below(base, way, w.fold); ok {
			best = max(best, p.matchRest(rest, w.fold))
		}
	}
	return best
}

// couldMeet judges a path of which some part is not known: it can be ruled out
// only by a last name that is.
func (p *pathPattern) couldMeet(way string) verdict {
	last := path.Base(way)
	if p.below || len(p.segs) == 0 || last == ".." || last == "." || strings.HasSuffix(way, "/") {
		return maybe
	}
	if g := p.segs[len(p.segs)-1].glob; g != nil && !g.meets(last) {
		return no
	}
	return maybe
}

// bases are the folders that the pattern is relative to.
func (p *pathPattern) bases(w *world) []string {
	switch p.base {
	case baseAbsolute:
		return rootOnly
	case baseHome:
		return w.homes
	case baseRoots:
		return w.roots
	default:
		if p.up == 0 {
			return w.cwds
		}
		bases := make([]string, len(w.cwds))
		for i, cwd := range w.cwds {
			for range p.up {
				cwd = path.Dir(cwd)
			}
			bases[i] = cwd
		}
		return bases
	}
}

var rootOnly = []string{"/"}

// matchAnywhere matches at any depth.
func (p *pathPattern) matchAnywhere(way string, fold bool) verdict {
	rest := strings.TrimPrefix(way, "/")
	best := no
	for {
		best = max(best, p.matchRest(rest, fold))
		slash := strings.IndexByte(rest, '/')
		if slash < 0 || best == yes {
			return best
		}
		rest = rest[slash+1:]
	}
}

// matchRest matches a path relative to the base, "" for the base itself.
func (p *pathPattern) matchRest(rest string, fold bool) verdict {
	return matchSegs(p.segs, rest, p.below, fold)
}

func matchSegs(segs []pathSeg, rest string, under, fold bool) verdict {
	if len(segs) == 0 {
		if rest == "" || under {
			return yes
		}
		return no
	}
	if segs[0].glob == nil {
		best := matchSegs(segs[1:], rest, under, fold)
		for rest != "" && best != yes {
			_, rest = cutSlash(rest)
			best = max(best, matchSegs(segs[1:], rest, under, fold))
		}
		return best
	}
	if rest == "" {
		return no
	}
	name, rest := cutSlash(rest)
	here := segs[0].matchName(name, fold)
	if here == no {
		return no
	}
	return min(here, matchSegs(segs[1:], rest, under, fold))
}

// matchName matches one folder name, which may hold the wildcards of a shell.
func (s pathSeg) matchName(name string, fold bool) verdict {
	if !strings.ContainsAny(name, wholeRuns) {
		if s.matchFold(name, fold) {
			return yes
		}
		return no
	}
	if s.matchFold(plainGlob(name), fold) {
		return yes
	}
	if s.meets(name) {
		return maybe
	}
	return no
}

func cutSlash(s string) (first, rest string) {
	first, rest, _ = strings.Cut(s, "/")
	return first, rest
}

// below cuts the folder off a path inside it; the folder itself leaves "".
func below(folder, p string, fold bool) (string, bool) {
	if folder == "/" {
		return strings.TrimPrefix(p, "/"), strings.HasPrefix(p, "/")
	}
	if len(p) < len(folder) || p[:len(folder)] != folder && !(fold && strings.EqualFold(p[:len(folder)], folder)) {
		return "", false
	}
	rest := p[len(folder):]
	if rest == "" {
		return "", true
	}
	if rest[0] != '/' {
		return "", false
	}
	return rest[1:], true
}
