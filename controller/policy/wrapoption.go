package policy

import "strings"

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
