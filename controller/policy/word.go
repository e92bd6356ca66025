package policy

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a command after quotes, braces and tildes are worked off.
type word struct {
	// lit is the text; the wildcards of the file system are themselves, what is
	// not known is anyRun or numRun.
	lit string
	// pat is the same with unquoted wildcards as runs.
	pat string
	// unknown says that lit holds an anyRun.
	unknown bool
	// split says that an unknown part stands outside quotes: the word may turn
	// into none or many.
	split bool
	// glob says that the file system may put names in place of the word.
	glob bool
}

// known tells whether the whole text is known.
func (w word) known() bool { return !w.unknown && strings.IndexByte(w.lit, numRun) < 0 }

func literalWord(s string) word { return word{lit: s, pat: s} }

func unknownWord() word {
	return word{lit: string(rune(anyRun)), pat: string(rune(anyRun)), unknown: true, split: true}
}

// wordBuilder puts a word together from its parts.
type wordBuilder struct {
	a        *analyzer
	place    place
	lit, pat strings.Builder
	w        word
}

func (b *wordBuilder) done() word {
	b.w.lit, b.w.pat = b.lit.String(), b.pat.String()
	return b.w
}

func (b *wordBuilder) text(s string) {
	b.lit.WriteString(s)
	b.pat.WriteString(s)
}

func (b *wordBuilder) run(r byte) {
	b.lit.WriteByte(r)
	b.pat.WriteByte(r)
}

func (b *wordBuilder) unknown(quoted bool) {
	b.run(anyRun)
	b.w.unknown = true
	b.w.split = b.w.split || !quoted
}

func (b *wordBuilder) wildcard(s string, run byte) {
	b.lit.WriteString(s)
	b.pat.WriteByte(run)
	b.w.glob = true
}

// words works off the words of a command, braces included.
func (a *analyzer) words(ws []*syntax.Word, p place) []word {
	out := make([]word, 0, len(ws))
	for _, w := range ws {
		if !syntax.SplitBraces(w) {
			out = append(out, a.word(w, p))
			continue
		}
		from := len(out)
		for one, err := range expand.BracesSeq(nil, w) {
			if err != nil || len(out)-from >= maxBraces {
				out = append(out[:from], unknownWord())
				break
			}
			out = append(out, a.word(one, p))
		}
	}
	return out
}

// word works off one word without brace expansion.
func (a *analyzer) word(w *syntax.Word, p place) word {
	b := wordBuilder{a: a, place: p}
	for i, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && i == 0 && strings.HasPrefix(lit.Value, "~") {
			b.tilde(lit.Value, len(w.Parts) == 1)
			continue
		}
		b.part(part, false)
	}
	return b.done()
}

// tilde expands ~ and ~/ at the front of a word; other people's homes are not
// known.
func (b *wordBuilder) tilde(s string, alone bool) {
	name, rest, slash := strings.Cut(s[1:], "/")
	switch {
	case name == "" && (slash || alone) && b.a.world.env.Home != "":
		b.text(b.a.world.env.Home)
	case strings.ContainsAny(name, `\*?[`) || !slash && !alone:
		b.unquoted(s)
		return
	default:
		b.unknown(true)
	}
	if slash {
		b.text("/")
		b.unquoted(rest)
	}
}

func (b *wordBuilder) part(part syntax.WordPart, quoted bool) {
	switch x := part.(type) {
	case *syntax.Lit:
		if quoted {
			b.doubleQuoted(x.Value)
		} else {
			b.unquoted(x.Value)
		}
	case *syntax.SglQuoted:
		b.single(x)
	case *syntax.DblQuoted:
		for _, inner := range x.Parts {
			b.part(inner, true)
		}
	case *syntax.ParamExp:
		b.param(x, quoted)
	case *syntax.CmdSubst:
		b.a.subshell(x.Stmts, b.place)
		b.unknown(quoted)
	case *syntax.ArithmExp:
		b.a.arithm(x.X, b.place)
		b.run(numRun)
	case *syntax.ProcSubst:
		b.a.subshell(x.Stmts, b.place)
		b.text(procSubstPath)
	default: // an extended glob
		b.unknown(false)
	}
}

// procSubstPath stands for the file that a process substitution is put into.
const procSubstPath = "/dev/fd/63"

// unquoted takes the backslashes away and notes the wildcards.
func (b *wordBuilder) unquoted(s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i == len(s) {
				b.text(`\`) // at the end of the text it stands for itself
			} else if s[i] != '\n' {
				b.text(s[i : i+1])
			}
		case '*':
			b.wildcard("*", starRun)
		case '?':
			b.wildcard("?", oneRun)
		case '[':
			if end := classEnd(s[i:]); end > 0 {
				b.wildcard(s[i:i+end], oneRun)
				i += end - 1
				continue
			}
			b.text("[")
		default:
			b.text(s[i : i+1])
		}
	}
}

// classEnd is the length of a [...] at the front of s, zero when it is not closed.
func classEnd(s string) int {
	for i := 2; i < len(s); i++ {
		if s[i] == ']' && (i > 2 || s[1] != '!' && s[1] != '^') {
			return i + 1
		}
	}
	return 0
}

func (b *wordBuilder) doubleQuoted(s string) {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.text(s[i : i+1])
	}
}

func (b *wordBuilder) single(x *syntax.SglQuoted) {
	if !x.Dollar {
		b.text(x.Value)
		return
	}
	text, ok := ansiC(x.Value)
	if !ok {
		b.a.bar("a word holds a control character")
		b.unknown(true)
		return
	}
	b.text(text)
}
