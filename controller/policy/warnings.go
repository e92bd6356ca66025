package policy

// Warnings lists the allow rules that an interpolated value makes void in this
// world, since they would reach outside the roots. Such a rule covers nothing.
func (p *Policy) Warnings(env *Env) []*RuleError {
	var out []*RuleError
	w := newWorld(env, "")
	for _, r := range p.allow {
		if r.path != nil && r.path.voidIn(w) || r.exec != nil && r.exec.void(w) {
			out = append(out, &RuleError{At: r.at, Rule: r.text, Message: "a value leads out of the roots, so the rule covers nothing"})
		}
	}
	return out
}

// voidIn tells whether a value leads the pattern out of the roots. A pattern
// without wildcards at its front shows that by the folder that it names.
func (p *pathPattern) voidIn(w *world) bool {
	if p.void {
		return true
	}
	if !p.reach {
		return false
	}
	for _, base := range p.bases(w) {
		for _, seg := range p.segs {
			if seg.glob == nil || !seg.pure {
				break
			}
			base = joinPath(base, seg.text)
		}
		if w.inside(cleanAbs(base, "/")) {
			return false
		}
	}
	return true
}
