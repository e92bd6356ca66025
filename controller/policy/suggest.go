package policy

import (
	"slices"
	"strings"
)

// Suggest returns rules that, as the only allow rules of a policy without any
// other, cover exactly this call, and a hint where there are none or where the
// rules are wider than the call.
func Suggest(call *Call, env *Env) (rules []string, hint string) {
	p := &Policy{fallback: Deny, parsers: newParsers()}
	f := p.take(call, env)
	return p.suggest(f, p.judge(f, nil))
}

// suggest finds the rules that are missing and proves them: with them added the
// call is covered, or there are none.
func (p *Policy) suggest(f *facts, o Outcome) (rules []string, hint string) {
	if o.Doubt {
		return nil, "no allow rule can cover it: " + o.Why
	}
	s := &suggestion{cover: &cover{facts: f, rules: p.allow, asks: p.ask}}
	for _, x := range f.parts {
		if !s.cover.part(x) {
			s.part(x)
		}
	}
	if s.none != "" {
		return nil, s.none
	}
	allow := slices.Clone(p.allow)
	for _, text := range s.rules {
		r, err := parseRule(joinSegments([]Segment{{Text: text}}))
		if err != nil {
			return nil, "no rule can spell it"
		}
		r.list = listAllow
		allow = append(allow, r)
	}
	if got := p.judge(f, allow).Decision; got == Uncovered || got == Deny {
		return nil, "no rule with a pattern can cover it; the bare kind would, with every other call of the kind"
	}
	return s.rules, s.wide
}

// suggestion collects rules.
type suggestion struct {
	cover *cover
	rules []string
	none  string // why no rules can be given
	wide  string // a caution about rules that cover more than the call
}

func (s *suggestion) add(rule string) {
	if !slices.Contains(s.rules, rule) {
		s.rules = append(s.rules, rule)
	}
}

func (s *suggestion) refuse(reason string) {
	if s.none == "" {
		s.none = reason
	}
}

func (s *suggestion) part(x *part) {
	switch {
	case x.path != nil:
		s.path(x.kinds, x.path)
	case x.script != nil:
		s.scriptFact(x.script)
	case x.url != nil:
		s.url(x.url)
	case x.sure:
		s.add("mcp(" + escapePattern(x.mcp[0].server) + "/" + escapePattern(x.mcp[0].tool) + ")")
	case x.name != "" && x.kinds&kindSwitchMode != 0:
		s.add("switch_mode(" + escapePattern(x.name) + ")")
	case x.name != "":
		s.add("tool(" + escapePattern(x.name) + ")")
	case x.kinds&acpKinds == 0:
		s.refuse("the call has a kind that no rule is about but any")
	case x.kinds == kindExecute:
		s.add("execute")
		s.wide = "the agent gives its command in the title only, which is no fact for an allow rule; only the whole kind can cover it"
	default:
		s.add(x.kinds.label())
		s.wide = "the call gives nothing that a pattern could match; only the whole kind can cover it"
	}
}

func (s *suggestion) path(kinds kindSet, p *pathFact) {
	if p.bar != "" || p.real == "" {
		s.refuse("no pattern covers " + preview(p.abs) + ": " + p.bar)
		return
	}
	kind := kinds & pathKinds
	if kind&kindMove != 0 {
		kind = kindMove
	}
	s.add(kind.label() + "(" + s.cover.facts.world.anchored(p.real) + ")")
}

// anchored is the pattern of exactly one path.
func (w *world) anchored(p string) string {
	for _, cwd := range w.cwds {
		rest, ok := below(cwd, p, false)
		switch {
		case ok && rest == "":
			return "."
		case ok:
			return "./" + escapePattern(rest)
		}
	}
	return escapePattern(p)
}

// escapePattern takes the meaning from the characters of a pattern.
func escapePattern(s string) string {
	var b strings.Builder
	for i := range len(s) {
		edge := i == 0 || i == len(s)-1
		if strings.IndexByte(`\*?[`, s[i]) >= 0 || edge && strings.IndexByte(" \t\n~", s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func (s *suggestion) url(t *target) {
	if t.bar != "" {
		s.refuse("no pattern covers the URL: " + t.bar)
		return
	}
	host := t.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if t.port != "" {
		host += ":" + t.port
	}
	s.add("fetch(" + t.scheme + "://" + host + escapePattern(t.path) + ")")
}

// scriptFact suggests a rule for each command and redirection that has none.
func (s *suggestion) scriptFact(x *scriptFact) {
	switch {
	case x.bar != "":
		s.refuse("no rule with a pattern covers a command when " + x.bar)
	case !x.ok:
		s.refuse(x.fault + ", so only execute(**) covers it, with every other command")
	default:
		s.script(x.script)
	}
}

func (s *suggestion) script(x *script) {
	if len(x.bars) > 0 {
		s.refuse("no rule with a pattern covers it, since " + x.bars[0] + "; execute(**) does, with every other command")
		return
	}
	for _, cmd := range x.commands {
		if !s.cover.command(x, cmd) {
			s.command(x, cmd)
		}
	}
	for _, d := range x.redirs {
		if s.cover.redirect(x, d) {
			continue
		}
		base, sure := d.place.sure()
		absolute := strings.HasPrefix(d.target.lit, "/")
		if !d.target.known() || d.target.glob || d.bare || !absolute && (!sure || x.lost) {
			s.refuse("no rule covers a redirection whose file cannot be told: " + preview(shown(d.target.lit)))
			continue
		}
		s.path(d.kind, s.cover.facts.world.shellFact(d.target.lit, base))
	}
}

// command suggests a rule that spells the words of a command. Words that are not
// known can stand at its end only, where * covers them.
func (s *suggestion) command(x *script, cmd *command) {
	if cmd.wraps != nil && cmd.wraps.clear && !cmd.wraps.lost && len(cmd.wraps.inner) == 1 && cmd.literalFront(cmd.needs()) {
		if in := cmd.wraps.inner[0].command; !s.cover.command(x, in) {
			s.command(x, in)
			return
		}
	}
	words := make([]string, 0, len(cmd.assigns)+len(cmd.words))
	for _, a := range cmd.assigns {
		if a.bad {
			s.refuse("no rule covers an assignment whose value is not known: " + a.name)
			return
		}
		if a.never {
			words = append(words, a.name+"="+quoteWord(a.value.lit))
		}
	}
	for i, w := range cmd.words {
		switch {
		case w.known() && (i > 0 || !strings.Contains(w.lit, "=")):
			words = append(words, quoteWord(w.lit))
			continue
		case w.known():
			words = append(words, "'"+w.lit+"'")
			continue
		case i == 0:
			s.refuse("what runs is not known")
			return
		}
		words = append(words, "*")
		break
	}
	s.add("execute(" + strings.Join(words, " ") + ")")
}
