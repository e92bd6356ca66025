package policy

import "strings"

// How a byte of a rule's text came to be there.
const (
	markPlain   byte = iota // written by the author, with its meaning
	markQuoted              // written by the author, quoted or escaped
	markLiteral             // out of an interpolated value
)

// ruleText is the text of a rule with the mark of each byte.
type ruleText struct {
	s    string
	mark []byte
}

func joinSegments(segments []Segment) ruleText {
	var t ruleText
	var b strings.Builder
	for _, seg := range segments {
		m := markPlain
		if seg.Literal {
			m = markLiteral
		}
		b.WriteString(seg.Text)
		for range len(seg.Text) {
			t.mark = append(t.mark, m)
		}
	}
	t.s = b.String()
	return t
}

func (t ruleText) slice(from, to int) ruleText {
	return ruleText{s: t.s[from:to], mark: t.mark[from:to]}
}

// trim takes blanks that are no part of a value from both ends and returns how
// many bytes it took from the front.
func (t ruleText) trim() (ruleText, int) {
	from, to := 0, len(t.s)
	for from < to && t.plainAny(from, " \t\n") {
		from++
	}
	for to > from && t.plainAny(to-1, " \t\n") {
		to--
	}
	return t.slice(from, to), from
}

// plainAny tells whether byte i has its meaning and is one of chars.
func (t ruleText) plainAny(i int, chars string) bool {
	return t.mark[i] == markPlain && strings.IndexByte(chars, t.s[i]) >= 0
}

// plain tells whether the text is exactly s, with its meaning.
func (t ruleText) plain(s string) bool {
	return t.s == s && t.allPlain()
}

func (t ruleText) allPlain() bool {
	for _, m := range t.mark {
		if m != markPlain {
			return false
		}
	}
	return true
}

// builder collects bytes with their marks.
type textBuilder struct {
	s    []byte
	mark []byte
}

func (b *textBuilder) add(c, mark byte) {
	b.s = append(b.s, c)
	b.mark = append(b.mark, mark)
}

func (b *textBuilder) text() ruleText { return ruleText{s: string(b.s), mark: b.mark} }

// unescape takes the backslashes of a pattern away and marks what stood behind
// them. A backslash inside a value is an ordinary character.
func (t ruleText) unescape() (ruleText, *patternError) {
	if strings.IndexByte(t.s, '\\') < 0 {
		return t, nil
	}
	var b textBuilder
	for i := 0; i < len(t.s); i++ {
		if t.mark[i] != markPlain || t.s[i] != '\\' {
			b.add(t.s[i], t.mark[i])
			continue
		}
		if i++; i == len(t.s) {
			return ruleText{}, faultf(i-1, "a backslash at the end escapes nothing")
		}
		b.add(t.s[i], max(t.mark[i], markQuoted))
	}
	return b.text(), nil
}
