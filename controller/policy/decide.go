package policy

// Outcome is the decision on one call and what led to it.
type Outcome struct {
	Decision Decision
	// By is "rule" when a rule decided, or the call needs none, and "default"
	// otherwise.
	By string
	// Rule, At, Layer and Message are those of the deciding rule; empty without
	// one. An allow may rest on several rules: this is the first of them.
	Rule, At string
	Layer    Layer
	Message  string
	// Doubt tells the two kinds of uncovered apart: true when it cannot be ruled
	// out that a rule forbids the call, which no default upgrades; false when no
	// rule is about it.
	Doubt bool
	// Why is one line for people: what was not covered, or what is in doubt.
	Why string
	// Suggest are rules that, added to the allow list, make exactly this call
	// allowed. It is empty where no such rules exist; then Hint says why.
	Suggest []string
	Hint    string
	// Command and Paths are the facts for events, as in [Facts].
	Command string
	Paths   []string
}

// Who decided, in Outcome.By.
const (
	byRule    = "rule"
	byDefault = "default"
)

// Decide decides a call. It is pure but for Env.Readlink, takes time in
// proportion to the call and the rules, and may be called by many goroutines at
// once. An [Ask] without anyone to answer is for the caller to turn down.
func (p *Policy) Decide(call *Call, env *Env) Outcome {
	f := p.take(call, env)
	o := p.judge(f, p.allow)
	o.Command, o.Paths = f.command, f.paths
	if o.Decision == Uncovered {
		o.Suggest, o.Hint = p.suggest(f, o)
	}
	return o
}

// judge decides on facts with the given allow rules.
func (p *Policy) judge(f *facts, allow []*rule) Outcome {
	denied, doubted := strictest(p.deny, f)
	if denied != nil {
		return denied.outcome(Deny)
	}
	asked, askDoubted := strictest(p.ask, f)
	if doubted == nil && asked == nil {
		doubted = askDoubted
	}
	if doubted != nil {
		return Outcome{
			Decision: Uncovered, By: byDefault, Doubt: true,
			Why: "it cannot be ruled out that " + doubted.list + " " + doubted.text + " is about it",
		}
	}
	c := &cover{facts: f, rules: allow}
	if asked != nil {
		c.asks = p.ask
	}
	covered := true
	for _, x := range f.parts {
		covered = c.part(x) && covered
	}
	switch {
	case !covered && p.fallback == Deny:
		return Outcome{Decision: Uncovered, By: byDefault, Why: c.why}
	case asked != nil:
		return asked.outcome(Ask)
	case !covered:
		return Outcome{Decision: p.fallback, By: byDefault, Why: c.why}
	case c.used == nil:
		return Outcome{Decision: Allow, By: byRule, Why: "it needs no rule"}
	}
	return c.used.outcome(Allow)
}

// strictest returns the first rule that meets the call, else the first that
// might.
func strictest(rules []*rule, f *facts) (met, doubted *rule) {
	for _, r := range rules {
		switch r.forbids(f) {
		case yes:
			return r, nil
		case maybe:
			if doubted == nil {
				doubted = r
			}
		}
	}
	return nil, doubted
}

func (r *rule) outcome(d Decision) Outcome {
	return Outcome{Decision: d, By: byRule, Rule: r.text, At: r.at, Layer: r.layer, Message: r.message}
}

// Facts are what events show of a call.
type Facts struct {
	// Command is the command line; the words of a list are quoted and joined.
	// Several commands stand on a line each. Empty means none.
	Command string
	// Paths are the files of the call, absolute where they could be made so.
	Paths []string
	// Kinds are the kinds that the call counts under: its own and those of its
	// facts, in alphabetical order.
	Kinds []string
}

// Facts takes the call apart without deciding it. A nil env leaves relative
// paths below /.
func (c *Call) Facts(env *Env) Facts {
	p := &Policy{parsers: newParsers()}
	f := p.take(c, env)
	return Facts{Command: f.command, Paths: f.paths, Kinds: f.kinds.names()}
}
