package policy

// Looked is one rule that was looked at for a call.
type Looked struct {
	// List is deny, ask or allow.
	List string
	// Rule, At and Layer are the rule's own.
	Rule, At string
	Layer    Layer
	// Matched says that the rule is about the call: a deny or ask meets it, an
	// allow covers at least a part of it.
	Matched bool
	// Why says in one line why, or why not.
	Why string
}

// Explain looks at every rule, in the order deny, ask, allow, and says whether
// and why it matched. It decides nothing; see [Policy.Decide].
func (p *Policy) Explain(call *Call, env *Env) []Looked {
	f := p.take(call, env)
	out := make([]Looked, 0, len(p.deny)+len(p.ask)+len(p.allow))
	for _, list := range [][]*rule{p.deny, p.ask} {
		for _, r := range list {
			l := r.looked()
			switch r.forbids(f) {
			case yes:
				l.Matched, l.Why = true, "it is about the call"
			case maybe:
				l.Why = "it cannot be ruled out that it is about the call"
			default:
				l.Why = r.otherKind(f, "it is not about the call")
			}
			out = append(out, l)
		}
	}
	for _, r := range p.allow {
		out = append(out, r.explainAllow(f))
	}
	return out
}

func (r *rule) looked() Looked {
	return Looked{List: r.list, Rule: r.text, At: r.at, Layer: r.layer}
}

// otherKind says so when the rule is of another kind than the call.
func (r *rule) otherKind(f *facts, otherwise string) string {
	for _, x := range f.parts {
		if r.kinds&x.kinds != 0 || x.script != nil && r.kinds&(kindRead|kindEdit) != 0 {
			return otherwise
		}
	}
	return "the call is of another kind: " + f.kinds.label()
}

func (r *rule) explainAllow(f *facts) Looked {
	l, c := r.looked(), &cover{facts: f, rules: []*rule{r}}
	covered := len(f.parts) > 0
	for _, x := range f.parts {
		covered = c.part(x) && covered
		if x.script != nil && x.script.ok {
			c.anyOf(x.script.script)
		}
	}
	switch {
	case covered && c.used != nil:
		l.Matched, l.Why = true, "it covers the call"
	case c.used != nil:
		l.Matched, l.Why = true, "it covers a part; not covered by it: "+c.why
	case covered:
		l.Why = "the call needs no rule"
	default:
		l.Why = r.otherKind(f, "not covered by it: "+c.why)
	}
	return l
}

// anyOf notes the rule when it covers any command or redirection, also behind
// one that it does not cover.
func (c *cover) anyOf(s *script) {
	if len(s.bars) > 0 {
		return
	}
	for _, cmd := range s.commands {
		c.command(s, cmd)
	}
	for _, d := range s.redirs {
		c.redirect(s, d)
	}
}
