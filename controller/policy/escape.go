package policy

import (
	"slices"
	"strings"
)

// escapeTable is escapes.txt, by program.
type escapeTable struct {
	exact  map[string]*escapeEntry
	prefix []escapePrefix
}

type escapePrefix struct {
	name  string
	entry *escapeEntry
}

// escapeEntry holds what a wildcard never covers for one program.
type escapeEntry struct {
	letters   string // single letters
	valued    string // letters behind which the rest of a bundle is a value
	items     []escapeItem
	never     []string
	operands  bool
	all       bool
	bundle    bool
	sed, awk  bool
	dashwords bool
	// risky is whether there is anything beside dashwords: the program has an
	// option or form that a word which is not known could be.
	risky bool
}

// escapeItem is an option or operand. Behind, if set, has to stand before it;
// first means that no operand may.
type escapeItem struct {
	text, behind string
	first        bool
}

func readEscapes(text string) *escapeTable {
	t := &escapeTable{exact: map[string]*escapeEntry{}}
	for names, fields := range entries(text) {
		for _, name := range names {
			t.entry(name).read(fields)
		}
	}
	return t
}

func (t *escapeTable) entry(name string) *escapeEntry {
	if stem, ok := strings.CutSuffix(name, "*"); ok {
		e := &escapeEntry{}
		t.prefix = append(t.prefix, escapePrefix{stem, e})
		return e
	}
	if t.exact[name] == nil {
		t.exact[name] = &escapeEntry{}
	}
	return t.exact[name]
}

// of returns the entry of a program, nil without one.
func (t *escapeTable) of(program string) *escapeEntry {
	name := programName(program)
	if e := t.exact[name]; e != nil {
		return e
	}
	for _, p := range t.prefix {
		if rest, ok := strings.CutPrefix(name, p.name); ok && strings.Trim(rest, "0123456789.-") == "" {
			return p.entry
		}
	}
	return nil
}

func (e *escapeEntry) read(fields []string) {
	for _, f := range fields {
		switch {
		case f == "@operands":
			e.operands = true
		case f == "@all":
			e.all = true
		case f == "@bundle":
			e.bundle = true
		case f == "@sed":
			e.sed = true
		case f == "@awk":
			e.awk = true
		case f == "@dashwords":
			e.dashwords = true
			continue
		case f[0] == '=':
			e.valued += f[1:]
		case f[0] == '!':
			e.never = append(e.never, f[1:])
		case len(f) == 2 && f[0] == '-':
			e.letters += f[1:]
		default:
			e.items = append(e.items, newEscapeItem(f))
		}
		e.risky = true
	}
}

func newEscapeItem(f string) escapeItem {
	if rest, ok := strings.CutPrefix(f, "^"); ok {
		return escapeItem{text: rest, first: true}
	}
	if before, item, ok := strings.Cut(f, ">"); ok {
		return escapeItem{text: item, behind: before}
	}
	return escapeItem{text: f}
}

// needs fills in, for each word of a command, how many bytes of it a rule has
// to spell: zero where a wildcard will do.
func (e *escapeEntry) needs(words []word, need []int) {
	var seen operands
	for i := 1; i < len(words); i++ {
		w := words[i].lit
		need[i] = max(need[i], e.need(w, seen))
		if !strings.HasPrefix(w, "-") {
			seen.words = append(seen.words, w)
			seen.sure = seen.sure || !strings.HasPrefix(words[i-1].lit, "-") || words[i-1].lit == "-"
		}
	}
	if e.sed {
		sedNeeds(e, words, need)
	}
	if e.awk {
		awkNeeds(e, words, need)
	}
}

// operands are the words of a command so far that are no options. Sure says that
// one of them is no value of an option either.
type operands struct {
	words []string
	sure  bool
}

// need judges one word behind the operands seen.
func (e *escapeEntry) need(w string, seen operands) int {
	switch option := len(w) > 1 && w[0] == '-'; {
	case w == "":
		return 0
	case e.all, e.operands && !option:
		return len(w)
	case option && slices.Contains(e.never, w):
		return 0
	case option && w[1] != '-' && !e.dashwords:
		if n := e.bundled(w[1:]); n > 0 {
			return 1 + n
		}
	case !option && e.bundle && len(seen.words) == 0:
		if n := e.bundled(w); n > 0 {
			return n
		}
	}
	for _, item := range e.items {
		if item.first && seen.sure || item.behind != "" && !slices.Contains(seen.words, item.behind) {
			continue
		}
		if n := item.spelled(w, e); n > 0 {
			return n
		}
	}
	if e.dashwords && len(w) >= 2 && w[0] == '-' {
		return e.dashLetter(w)
	}
	return 0
}

// dashLetter finds single letters among options of one dash.
func (e *escapeEntry) dashLetter(w string) int {
	name, _, _ := strings.Cut(strings.TrimPrefix(w[1:], "-"), "=")
	if len(name) == 1 && strings.Contains(e.letters, name) {
		return len(w) - len(strings.TrimPrefix(w[1:], "-")) + 1
	}
	return 0
}

// bundled returns how far into a bundle of letters the first that counts stands.
func (e *escapeEntry) bundled(letters string) int {
	for i := range len(letters) {
		if strings.IndexByte(e.letters, letters[i]) >= 0 {
			return i + 1
		}
		if strings.IndexByte(e.valued, letters[i]) >= 0 {
			return 0
		}
	}
	return 0
}

// spelled returns how many bytes of a word that fits the item must be spelled.
func (it escapeItem) spelled(w string, e *escapeEntry) int {
	text := it.text
	switch {
	case len(text) > 2 && text[0] == '*' && text[len(text)-1] == '*':
		if strings.Contains(w, text[1:len(text)-1]) {
			return len(w)
		}
	case strings.HasSuffix(text, "*"):
		stem := text[:len(text)-1]
		if strings.HasPrefix(w, stem) {
			return len(stem)
		}
	case strings.HasPrefix(text, "--"):
		name, _, _ := strings.Cut(w, "=")
		if len(name) > 2 && strings.HasPrefix(text, name) {
			return len(name)
		}
	case len(text) == 2 && text[0] == '-':
		if len(w) > 1 && w[0] == '-' && w[1] != '-' {
			one := escapeEntry{letters: text[1:], valued: e.valued}
			if n := one.bundled(w[1:]); n > 0 {
				return 1 + n
			}
		}
	case text[0] == '-':
		name, _, _ := strings.Cut(w, "=")
		if name == text || name == "-"+text {
			return len(name)
		}
	case w == text:
		return len(w)
	}
	return 0
}
