package policy

import "strings"

// finish makes the commands that begin at the places found.
func (u *unwrapping) finish() {
	if u.w.script && len(u.texts) == 0 {
		// A shell that runs a file is a program like any other.
		u.starts = nil
		return
	}
	if len(u.texts) > 0 && !u.w.assigns {
		u.starts = nil
	}
	for _, start := range u.starts {
		u.command(start)
	}
	if u.w.alone && len(u.out.inner) == 0 && len(u.texts) == 0 {
		u.out.lost = true
	}
}

// command makes the inner command that begins at word start.
func (u *unwrapping) command(start int) {
	if u.a.shared.exhausted() {
		return
	}
	words := u.words[min(start, len(u.words)):]
	if len(u.w.exec) > 0 {
		words = untilTerminator(words)
	}
	if len(words) == 0 {
		return
	}
	if u.w.join && strings.HasPrefix(words[0].lit, ":::") {
		u.out.lost = true // what parallel runs stands among its arguments
		return
	}
	if u.w.join {
		u.joined(start)
		if !u.w.rest {
			return
		}
	}
	inner := make([]word, 0, len(words)+1)
	for _, w := range words {
		inner = append(inner, u.swapped(w))
	}
	if u.w.rest {
		inner = append(inner, unknownWord())
	}
	c := u.a.simple(inner, u.place, nil)
	if u.w.assigns {
		c.assigns = u.assigns(start)
	}
	u.out.inner = append(u.out.inner, innerCommand{c, start, start + len(words)})
}

// assigns are the NAME=value words before the command.
func (u *unwrapping) assigns(start int) []assign {
	var out []assign
	for _, w := range u.words[1:min(start, len(u.words))] {
		if name, value, ok := strings.Cut(w.lit, "="); ok && u.isAssignment(w.lit) {
			v := literalWord(value)
			v.unknown = w.unknown
			as := newAssign(name, v)
			u.a.assigned(as)
			out = append(out, as)
		}
	}
	return out
}

// swapped is a word after the wrapper put other text into it.
func (u *unwrapping) swapped(w word) word {
	for _, swap := range u.swaps {
		if !strings.Contains(w.lit, swap) {
			continue
		}
		text := strings.ReplaceAll(w.lit, swap, string(rune(anyRun)))
		w = word{lit: text, pat: text, unknown: true}
	}
	return w
}

// untilTerminator cuts the words of find -exec at ; or +.
func untilTerminator(words []word) []word {
	for i, w := range words {
		if w.lit == ";" || w.lit == "+" && i > 0 && strings.HasSuffix(words[i-1].lit, "{}") {
			return words[:i]
		}
	}
	return words
}

// isAssignment tells whether a wrapper takes a word for NAME=value. To env every
// word with = is one, whatever the name; a function can travel in it.
func (u *unwrapping) isAssignment(s string) bool {
	return u.w.assigns && strings.IndexByte(s, '=') > 0 && s[0] != '-'
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && s[i] != '_' && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}

// joinWords quotes words and puts blanks between them.
func joinWords(words []word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quoteWord(w.lit))
	}
	return b.String()
}

// quoteWord writes a text as one shell word, plainly where that is safe.
func quoteWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,^") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
