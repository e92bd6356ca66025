package policy

import "path"

// moved follows cd. Known says that it is one to a literal folder inside the
// roots, which needs no rule.
func (a *analyzer) moved(words []word, p place) (done, failed place, known bool) {
	program := words[0].lit
	if program == "command" || program == "builtin" || program == "exec" {
		for _, w := range words[1:] {
			if movesShell(w.lit) || w.unknown {
				a.out.lost = true
			}
		}
		return p, p, false
	}
	if !movesShell(program) {
		if words[0].unknown {
			a.out.lost = true
		}
		return p, p, false
	}
	if folder, ok := a.cdTarget(words, p); ok {
		return place{cwds: []string{folder}}, p, true
	}
	lost := place{cwds: p.cwds, unknown: true}
	return lost, lost, false
}

func movesShell(program string) bool {
	return program == "cd" || program == "pushd" || program == "popd"
}

// cdTarget is where a literal cd inside the roots leads.
func (a *analyzer) cdTarget(words []word, p place) (string, bool) {
	if words[0].lit != "cd" {
		return "", false
	}
	rest := words[1:]
	for len(rest) > 1 && (rest[0].lit == "-P" || rest[0].lit == "-L" || rest[0].lit == "--") {
		rest = rest[1:]
	}
	base, sure := p.sure()
	if len(rest) != 1 || !sure || !rest[0].known() || rest[0].glob || rest[0].lit == "" || rest[0].lit[0] == '-' {
		return "", false
	}
	written := cleanAbs(rest[0].lit, base)
	real, _, ok := a.world.follow(written)
	// A shell takes ".." as text where the system does not; with a link in the
	// way the two differ and neither is certain.
	if physical, _, okToo := a.world.follow(joinPath(base, rest[0].lit)); !ok || !okToo || physical != real {
		return "", false
	}
	return real, a.world.inside(real)
}

func joinPath(base, p string) string {
	if path.IsAbs(p) {
		return p
	}
	return base + "/" + p
}
