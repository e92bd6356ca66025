package policy

import (
	"slices"
	"strings"
)

// execPattern is a prepared pattern of execute: one simple command.
type execPattern struct {
	assigns []*glob // NAME=value words in front
	words   []execWord
	// reach are interpolated values that look like paths: an allow is void when
	// one of them leads out of the roots.
	reach []string

	// What a deny compares: the program's name and, apart from the other words,
	// the options.
	name     string // base name; "" when it has a wildcard
	nameGlob *glob
	rest     []execWord
	same     map[string]byte // spellings of one option, by program
	letters  string          // single letters that must be there
	options  []*glob         // other options that must be there
}

// execWord is one word of a pattern.
type execWord struct {
	*glob
	any  bool // *: one word; at the end any number
	many bool // **: any number
}

func newExecPattern(t ruleText) (*execPattern, *patternError) {
	words, err := splitPattern(t)
	if err != nil {
		return nil, err
	}
	p := &execPattern{}
	for i, w := range words {
		if len(p.words) == 0 && isAssignmentPattern(w.text) && i+1 < len(words) {
			p.assigns = append(p.assigns, newGlob(w.text, globStarOnly))
			continue
		}
		if operatorWord(w.text) {
			return nil, faultf(w.offset, "%q separates commands; a pattern is one simple command, so give each a rule, or quote it", w.text.s)
		}
		p.words = append(p.words, execWord{newGlob(w.text, globStarOnly), w.text.plain("*"), w.text.plain("**")})
		p.addReach(w.text)
	}
	p.prepareDeny(words[len(p.assigns):])
	return p, nil
}

func isAssignmentPattern(t ruleText) bool {
	name, _, ok := strings.Cut(t.s, "=")
	return ok && isName(name) && t.slice(0, len(name)+1).allPlain()
}

// operatorWord tells whether a word is an operator that ends a simple command.
func operatorWord(t ruleText) bool {
	if !t.allPlain() {
		return false
	}
	switch t.s {
	case "|", "||", "&", "&&", ";", ";;", "|&", ">", ">>", "<", "<<", "2>", "2>&1", "&>", ">|", "(", ")":
		return true
	}
	return len(t.s) > 1 && strings.HasSuffix(t.s, ";")
}

func (p *execPattern) addReach(t ruleText) {
	i := slices.Index(t.mark, markLiteral)
	if i < 0 {
		return
	}
	value := t.s[i:]
	if i == 0 || t.s[i-1] == '=' {
		if value[0] == '/' || value[0] == '~' {
			p.reach = append(p.reach, value)
			return
		}
	}
	if slices.Contains(strings.Split(value, "/"), "..") {
		front := t.s[:i]
		p.reach = append(p.reach, front[strings.LastIndexByte(front, '=')+1:]+value)
	}
}

// void tells whether an interpolated value would lead out of the roots.
func (p *execPattern) void(w *world) bool {
	return slices.ContainsFunc(p.reach, func(value string) bool {
		return value[0] == '~' || !w.inside(w.fact(value, w.session).real)
	})
}

// patternWord is a word of a pattern and where it stands.
type patternWord struct {
	text   ruleText
	offset int
}

// splitPattern splits a pattern into words as a shell does. Quotes and
// backslashes make characters literal; a value never ends a word.
func splitPattern(t ruleText) ([]patternWord, *patternError) {
	var out []patternWord
	var b textBuilder
	start, quote := -1, byte(0)
	for i := 0; i < len(t.s); i++ {
		c, plain := t.s[i], t.mark[i] == markPlain
		blank := plain && quote == 0 && (c == ' ' || c == '\t' || c == '\n')
		if blank {
			if start >= 0 {
				out = append(out, patternWord{b.text(), start})
				b, start = textBuilder{}, -1
			}
			continue
		}
		if start < 0 {
			start = i
		}
		switch {
		case plain && quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case plain && quote != 0 && c == quote:
			quote = 0
		case plain && c == '\\' && escapesNext(t, i, quote):
			i++
			b.add(t.s[i], max(t.mark[i], markQuoted))
		case plain && c == '\\' && quote == 0:
			return nil, faultf(i, "a backslash at the end escapes nothing")
		case plain && quote != 0:
			b.add(c, markQuoted)
		default:
			b.add(c, t.mark[i])
		}
	}
	if quote != 0 {
		return nil, faultf(start, "the quote %c is not closed", quote)
	}
	if start >= 0 {
		out = append(out, patternWord{b.text(), start})
	}
	return out, nil
}

// escapesNext tells whether the backslash at byte i makes the next one literal.
func escapesNext(t ruleText, i int, quote byte) bool {
	if i+1 == len(t.s) || quote == '\'' {
		return false
	}
	return quote == 0 || strings.IndexByte("$`\"\\", t.s[i+1]) >= 0
}

// prepareDeny takes the options out of the words behind the program.
func (p *execPattern) prepareDeny(words []patternWord) {
	if p.words[0].pure {
		p.name = programName(p.words[0].text)
	} else {
		p.nameGlob = p.words[0].glob
	}
	entry := escapes().of(p.name)
	dashwords := entry != nil && entry.dashwords
	p.same = synonyms()[p.name]
	for i, w := range p.words[1:] {
		t := words[i+1].text
		last := i+2 == len(p.words)
		switch {
		case w.any || w.many || !isOptionText(t):
			p.rest = append(p.rest, w)
		case w.pure && bundleLetters(t.s) && !dashwords:
			p.letters += p.common(t.s[1:])
		case w.pure && p.same[t.s] != 0:
			p.letters += string(p.same[t.s])
		default:
			p.options = append(p.options, w.glob)
		}
		// A word glued to * at the end also stands for the words behind it.
		if last && !w.any && !w.many && strings.HasSuffix(t.s, "*") && t.mark[len(t.s)-1] == markPlain {
			p.rest = append(p.rest, execWord{any: true, glob: w.glob})
		}
	}
	if len(p.words) == 1 && p.nameGlob != nil && !p.words[0].any && !p.words[0].many && strings.HasSuffix(words[0].text.s, "*") {
		p.rest = append(p.rest, execWord{any: true, glob: p.nameGlob})
	}
	if len(p.words) == 1 && (p.words[0].any || p.words[0].many) {
		p.rest = append(p.rest, p.words[0])
	}
}

// common puts for each letter of a bundle the one that its option goes by.
func (p *execPattern) common(letters string) string {
	if p.same == nil {
		return letters
	}
	out := []byte(letters)
	for i := range out {
		if same := p.same["-"+letters[i:i+1]]; same != 0 {
			out[i] = same
		}
	}
	return string(out)
}

func isOptionText(t ruleText) bool { return len(t.s) > 1 && t.s[0] == '-' && t.s != "--" }

// bundleLetters tells whether a word is one dash with letters or digits.
func bundleLetters(s string) bool {
	if len(s) < 2 || s[0] != '-' {
		return false
	}
	for i := 1; i < len(s); i++ {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}
