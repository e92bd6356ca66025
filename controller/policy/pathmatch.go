package policy

import (
	"path"
	"strings"
)

// allows tells whether the resolved path is covered.
func (p *pathPattern) allows(w *world, f *pathFact) bool {
	if p.void || p.reach && (!w.inside(f.real) || p.voidIn(w)) {
		return false
	}
	for _, base := range p.bases(w) {
		if rest, ok := below(base, f.real, w.fold); ok && matchSegs(p.segs, rest, p.below, matching{fold: w.fold}) == yes {
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
		if best = max(best, p.meets(w, way)); best == yes {
			break
		}
	}
	return best
}

func (p *pathPattern) meets(w *world, way string) verdict {
	if strings.IndexByte(way, anyRun) >= 0 {
		return p.couldMeet(way)
	}
	if p.must != "" && !w.fold && !strings.Contains(way, p.must) && !hasRuns(way) {
		return no
	}
	how := matching{fold: w.fold, composed: true}
	best := no
	switch {
	case p.base == baseRoots && p.named:
		best = matchSegs(p.segs, strings.TrimPrefix(way, "/"), p.below, how)
	case p.float && len(p.segs) == 1 && !p.below:
		best = p.segs[0].matchName(lastName(way), how)
	case p.float:
		best = p.matchAnywhere(way, how)
	}
	for _, base := range p.bases(w) {
		if best == yes {
			break
		}
		if rest, ok := below(base, way, w.fold); ok {
			best = max(best, matchSegs(p.segs, rest, p.below, how))
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
func (p *pathPattern) matchAnywhere(way string, how matching) verdict {
	rest := strings.TrimPrefix(way, "/")
	best := no
	for {
		best = max(best, matchSegs(p.segs, rest, p.below, how))
		slash := strings.IndexByte(rest, '/')
		if slash < 0 || best == yes {
			return best
		}
		rest = rest[slash+1:]
	}
}

// matching is how names are compared.
type matching struct {
	fold     bool // without regard to case
	composed bool // also in composed form
}

// matchSegs matches a path relative to the base, "" for the base itself. Under
// says that what is below a match is met as well. It keeps, for each place in
// the pattern, how sure it is that the names so far lead there, so its time
// grows with the path and not with the ways to match it.
func matchSegs(segs []pathSeg, rest string, under bool, how matching) verdict {
	n := len(segs)
	var buffer [2][16]verdict
	cur, next := buffer[0][:], buffer[1][:]
	if n >= len(cur) {
		cur, next = make([]verdict, n+1), make([]verdict, n+1)
	}
	cur, next = cur[:n+1], next[:n+1]
	cur[0] = yes
	best := no
	for alive := true; ; {
		for i, seg := range segs {
			if seg.glob == nil {
				cur[i+1] = max(cur[i+1], cur[i])
			}
		}
		if under || rest == "" {
			best = max(best, cur[n])
		}
		if rest == "" || !alive {
			return best
		}
		var name string
		name, rest = cutSlash(rest)
		alive = nextStates(segs, name, how, cur, next)
		cur, next = next, cur
	}
}

// nextStates takes one name and tells whether any place can still be reached.
func nextStates(segs []pathSeg, name string, how matching, cur, next []verdict) bool {
	clear(next)
	alive := false
	for i, seg := range segs {
		switch {
		case cur[i] == no:
			continue
		case seg.glob == nil:
			next[i] = max(next[i], cur[i])
		default:
			next[i+1] = max(next[i+1], min(cur[i], seg.matchName(name, how)))
		}
		alive = true
	}
	return alive
}

// matchName matches one folder name, which may hold the wildcards of a shell.
func (s pathSeg) matchName(name string, how matching) verdict {
	if !hasRuns(name) {
		if s.matchFold(name, how.fold) || how.composed && s.composed != "" && s.composed == name {
			return yes
		}
		return no
	}
	if s.matchFold(plainGlob(name), how.fold) {
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
	if len(p) < len(folder) {
		return "", false
	}
	front, rest := p[:len(folder)], p[len(folder):]
	if front != folder && (!fold || !strings.EqualFold(front, folder)) {
		return "", false
	}
	if rest == "" {
		return "", true
	}
	if rest[0] != '/' {
		return "", false
	}
	return rest[1:], true
}
