package policy

import "strings"

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
	for _, m := range u.w.marker {
		if text == m {
			return true
		}
	}
	return false
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

// option passes the option at word i. It fails on one that is not known.
func (u *unwrapping) option(i int, text string) (next int, ok bool) {
	name, value, attached := strings.Cut(text, "=")
	if full := u.w.complete(name); full != "" {
		name, text = full, full+text[len(name):]
	}
	switch {
	case u.w.flag[text] || u.w.script && u.w.value[name] && attached:
		return i + 1, true
	case u.w.optional[name] && !attached:
		u.value(name, defaultSwap, i)
		return i + 1, true
	case u.w.script && text[0] != '/' && len(text) > 1 && text[1] != '-':
		return u.shellBundle(i, text)
	case u.known(name):
		if !attached {
			value = u.wordText(i + 1)
			i++
		}
		u.value(name, value, i)
		return i + 1, true
	case text[0] == '-' && len(text) > 2 && text[1] != '-' && !u.w.fold:
		return u.bundle(i, text)
	case attached && len(name) > 2:
		return i + 1, true // whatever it is, its value is with it
	}
	return 0, false
}

func (u *unwrapping) known(name string) bool {
	w := u.w
	return w.value[name] || w.shell[name] || w.split[name] || w.hide[name] || w.swap[name] || w.optional[name]
}

// defaultSwap is the word that xargs -i puts text in place of.
const defaultSwap = "{}"

// complete finds the one long option that a name cut short stands for.
func (w *wrapper) complete(name string) string {
	if len(name) < 3 || name[:2] != "--" || w.flag[name] {
		return ""
	}
	found := ""
	for _, set := range []map[string]bool{w.flag, w.value, w.shell, w.split, w.hide, w.swap, w.optional} {
		if set[name] {
			return ""
		}
		for long := range set {
			if strings.HasPrefix(long, name) && long != found {
				if found != "" {
					return ""
				}
				found = long
			}
		}
	}
	return found
}

// shellBundle passes the letters of a shell's option. Each o takes a further
// word, wherever it stands, and c makes the first operand the text.
func (u *unwrapping) shellBundle(i int, text string) (next int, ok bool) {
	next = i + 1 + strings.Count(text, "o") + strings.Count(text, "O")
	if strings.Contains(text, "c") && text[0] == '-' {
		return u.shellOperand(next), true
	}
	return next, true
}

// bundle passes letters behind one dash; the first with a value ends them.
func (u *unwrapping) bundle(i int, text string) (next int, ok bool) {
	for j := 1; j < len(text); j++ {
		name := "-" + text[j:j+1]
		if u.w.flag[name] {
			continue
		}
		if !u.known(name) {
			return 0, false
		}
		if u.w.optional[name] && text[j+1:] == "" {
			u.value(name, defaultSwap, i)
			return i + 1, true
		}
		if value := text[j+1:]; value != "" {
			u.value(name, value, i)
			return i + 1, true
		}
		u.value(name, u.wordText(i+1), i+1)
		return i + 2, true
	}
	return i + 1, true
}

// shellOperand reads the text of sh -c, which stands behind further options.
func (u *unwrapping) shellOperand(i int) int {
	for i < len(u.words) && u.isOption(u.words[i].lit) && u.words[i].known() {
		x := u.words[i].lit
		i++
		switch {
		case x == "--":
			u.shellText(i)
			return len(u.words)
		case u.w.value[x]:
			i++
		case x[0] == '-' && len(x) > 1 && x[1] != '-':
			i += strings.Count(x, "o") + strings.Count(x, "O")
		}
	}
	u.shellText(i)
	return len(u.words)
}

func (u *unwrapping) wordText(i int) string {
	if i < len(u.words) {
		return u.words[i].lit
	}
	return ""
}

// value takes the value of an option, which stands at the end of word i.
func (u *unwrapping) value(name, value string, i int) {
	switch {
	case u.w.shell[name] && u.w.script:
		u.shellOperand(i)
	case u.w.shell[name] && u.w.fold:
		u.joined(i)
	case u.w.shell[name]:
		u.text(value)
	case u.w.split[name] && strings.ContainsAny(value, "\\$#"):
		u.out.lost = true // its own escapes and variables
	case u.w.split[name] && u.a.shared.texts > maxTexts:
		u.out.lost = true
	case u.w.split[name]:
		// env -S: the words of the text, then those behind it.
		u.text(value + " " + joinWords(u.words[min(i+1, len(u.words)):]))
	case u.w.hide[name]:
		u.out.lost = true
	case u.w.swap[name] && value != "":
		u.swaps = append(u.swaps, value)
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
