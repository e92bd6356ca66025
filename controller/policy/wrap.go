package policy

import (
	"slices"
	"strings"
)

// unwrapping reads the words of a wrapper.
type unwrapping struct {
	a     *analyzer
	w     *wrapper
	words []word
	place place
	out   *wrapped
	// swaps are words in place of which the wrapper puts other text.
	swaps  []string
	texts  []*script
	starts []int
	seen   map[int]bool
}

// unwrap finds what a command runs out of its words. The second result are
// shell texts among them.
func (a *analyzer) unwrap(words []word, p place) (*wrapped, []*script) {
	w := wrappers()[programName(words[0].lit)]
	if w == nil || w.text || !w.applies(words) {
		return nil, nil
	}
	u := &unwrapping{a: a, w: w, words: words, place: p, out: &wrapped{clear: w.clear}, seen: map[int]bool{}}
	switch {
	case len(w.exec) > 0:
		u.execs()
	case len(w.only) > 0:
		u.only()
	default:
		u.options(1, w.skip)
	}
	u.finish()
	if len(u.out.inner) == 0 && !u.out.lost && len(u.texts) == 0 {
		return nil, nil
	}
	return u.out, u.texts
}

// applies tells whether the words make the program a wrapper at all.
func (w *wrapper) applies(words []word) bool {
	for _, x := range words[1:] {
		if !strings.HasPrefix(x.lit, "-") {
			break
		}
		if w.none[x.lit] {
			return false
		}
	}
	return true
}

// options walks the wrapper's own options from word i and notes where the
// command may begin, skip words behind them.
func (u *unwrapping) options(i, skip int) {
	for i < len(u.words) {
		if u.seen[i*16+skip] {
			return
		}
		u.seen[i*16+skip] = true
		x := u.words[i]
		text := x.lit
		if u.w.fold {
			text = strings.ToLower(text)
		}
		switch {
		case x.unknown && (x.split || strings.HasPrefix(text, string(rune(anyRun))) || text[0] == '-'):
			u.out.lost = true
			return
		case u.marked(text):
			u.starts = append(u.starts, i+1)
			return
		case text == "--" && len(u.w.marker) == 0:
			i++
			u.operands(i, skip)
			return
		case u.isOption(text):
			next, ok := u.option(i, text)
			if !ok {
				u.options(i+1, skip) // as a flag
				i += 2               // as one with a value
				continue
			}
			i = next
		case u.isAssignment(text):
			i++
		case skip > 0:
			i, skip = i+1, skip-1
		default:
			u.operands(i, 0)
			return
		}
	}
}

func (u *unwrapping) marked(text string) bool {
	return slices.Contains(u.w.marker, text)
}

func (u *unwrapping) isOption(text string) bool {
	return len(text) > 0 && text[0] == '-' || u.w.flag[text] || u.w.value[text] || u.w.shell[text]
}

// operands notes a command behind skip further words.
func (u *unwrapping) operands(i, skip int) {
	if i+skip <= len(u.words) {
		u.starts = append(u.starts, i+skip)
	}
}

func (u *unwrapping) shellText(i int) {
	if i < len(u.words) {
		u.text(u.words[i].lit)
	}
}

// text reads a shell text. One with an unknown part may run anything.
func (u *unwrapping) text(s string) {
	if strings.ContainsAny(s, "\x01\x02") {
		u.out.lost = true
		return
	}
	for _, swap := range u.swaps {
		if strings.Contains(s, swap) {
			u.out.lost = true
		}
	}
	u.texts = append(u.texts, u.a.nested(s, u.place))
}

// joined reads all words from i on as one shell text.
func (u *unwrapping) joined(i int) {
	if i >= len(u.words) {
		return
	}
	if u.a.shared.texts > maxTexts {
		u.out.lost = true
		return
	}
	texts := make([]string, 0, len(u.words)-i)
	for _, w := range u.words[i:] {
		texts = append(texts, w.lit)
	}
	u.text(strings.Join(texts, " "))
}

// only looks for the word that makes the program a wrapper. The options before
// it are not known, so it may be any of the words.
func (u *unwrapping) only() {
	for i, w := range u.words[1:] {
		for _, name := range u.w.only {
			if w.lit == name {
				u.options(i+2, u.w.skip)
			}
		}
		if w.unknown {
			u.out.lost = true
		}
	}
}

// execs finds the commands behind find -exec.
func (u *unwrapping) execs() {
	u.swaps = append(u.swaps, "{}")
	for i := 1; i < len(u.words); i++ {
		for _, name := range u.w.exec {
			if u.words[i].lit == name {
				u.starts = append(u.starts, i+1)
			}
		}
	}
}
