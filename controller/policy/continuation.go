package policy

import (
	"slices"
	"strings"
)

const continuation = "\\\n"

// unfold removes line continuations as bash does: not in single quotes, not in
// comments, not in a here-document with a quoted mark. It fails where that
// cannot be said for certain: within backquotes, whose text is read twice.
//
// The parser removes continuations itself, but takes one at the end of a
// comment for real and misses some in double quotes. A text that has any is
// therefore parsed both ways; see analyzeText.
func unfold(text string) (string, bool) {
	if strings.IndexByte(text, '`') >= 0 {
		return "", false
	}
	u := &unfolder{in: text, stack: []byte{inShell}}
	u.out.Grow(len(text))
	for u.i < len(u.in) {
		if !u.step() {
			return "", false
		}
	}
	return u.out.String(), true
}

// Where the unfolder is.
const (
	inShell  = '(' // code, up to ) when nested
	inDouble = '"'
	inParam  = '{' // ${...}
)

// unfolder walks a text once.
type unfolder struct {
	in    string
	i     int
	out   strings.Builder
	stack []byte
	docs  []hereDoc // here-documents whose bodies begin behind the line
}

type hereDoc struct {
	mark           string
	quoted, indent bool
}

func (u *unfolder) top() byte { return u.stack[len(u.stack)-1] }

func (u *unfolder) push(c byte) { u.stack = append(u.stack, c) }

func (u *unfolder) pop() {
	if len(u.stack) > 1 {
		u.stack = u.stack[:len(u.stack)-1]
	}
}

// copy passes n bytes on.
func (u *unfolder) copy(n int) {
	n = min(n, len(u.in)-u.i)
	u.out.WriteString(u.in[u.i : u.i+n])
	u.i += n
}

// at tells whether the text goes on with s, continuations within it left aside.
func (u *unfolder) at(s string) bool { return strings.HasPrefix(u.in[u.i:], s) }

// step passes one character or construct. It fails on what it cannot follow.
func (u *unfolder) step() bool {
	switch {
	case u.at(continuation):
		u.i += len(continuation)
	case u.in[u.i] == '\\':
		u.copy(2)
	case u.at("$'") && u.top() != inDouble:
		return u.ansi()
	case u.in[u.i] == '\'' && u.plainQuotes():
		return u.through(u.i+1, "'")
	case u.in[u.i] == '"':
		if u.top() == inDouble {
			u.pop()
		} else {
			u.push(inDouble)
		}
		u.copy(1)
	case u.dollar("{"):
		u.push(inParam)
	case u.dollar("("):
		u.push(inShell)
	case u.top() == inDouble:
		u.copy(1)
	case u.top() == inParam:
		if u.in[u.i] == '}' {
			u.pop()
		}
		u.copy(1)
	default:
		return u.code()
	}
	return true
}

// plainQuotes tells whether a single quote quotes: not in double quotes, nor in
// a parameter within them.
func (u *unfolder) plainQuotes() bool {
	for _, where := range slices.Backward(u.stack) {
		switch where {
		case inDouble:
			return false
		case inShell:
			return true
		}
	}
	return true
}

// dollar passes $ and an opening bracket, between which lines may go on.
func (u *unfolder) dollar(bracket string) bool {
	if u.in[u.i] != '$' {
		return false
	}
	rest := u.in[u.i+1:]
	for strings.HasPrefix(rest, continuation) {
		rest = rest[len(continuation):]
	}
	if !strings.HasPrefix(rest, bracket) {
		return false
	}
	u.out.WriteString("$" + bracket)
	u.i = len(u.in) - len(rest) + 1
	return true
}

// through passes everything up to and with the end mark, from where on.
func (u *unfolder) through(from int, end string) bool {
	n := strings.Index(u.in[from:], end)
	if n < 0 {
		return false
	}
	u.copy(from + n + len(end) - u.i)
	return true
}

func (u *unfolder) ansi() bool {
	for j := u.i + 2; j < len(u.in); j++ {
		switch u.in[j] {
		case '\\':
			j++
		case '\'':
			u.copy(j + 1 - u.i)
			return true
		}
	}
	return false
}

// code passes one character outside quotes.
func (u *unfolder) code() bool {
	switch c := u.in[u.i]; {
	case c == '#' && u.wordStart():
		n := strings.IndexByte(u.in[u.i:], '\n')
		if n < 0 {
			n = len(u.in) - u.i
		}
		u.i += n // the comment is left out, the line's end stays
	case c == '(':
		u.push(inShell)
		u.copy(1)
	case c == ')':
		u.pop()
		u.copy(1)
	case c == '\n' && len(u.docs) > 0:
		u.copy(1)
		return u.bodies()
	case u.at("<<<"):
		u.copy(3)
	case u.at("<<"):
		return u.hereDoc()
	default:
		u.copy(1)
	}
	return true
}

// wordStart tells whether a word begins here, as far as the output shows.
func (u *unfolder) wordStart() bool {
	s := u.out.String()
	return s == "" || strings.IndexByte(" \t\n;&|()<>", s[len(s)-1]) >= 0
}

// hereDoc reads the mark of a here-document. A mark that is broken over lines
// is not followed.
func (u *unfolder) hereDoc() bool {
	u.copy(2)
	d := hereDoc{indent: u.at("-")}
	if d.indent {
		u.copy(1)
	}
	for u.i < len(u.in) && (u.in[u.i] == ' ' || u.in[u.i] == '\t') {
		u.copy(1)
	}
	end := strings.IndexAny(u.in[u.i:], " \t\n;&|<>()")
	if end <= 0 {
		return false
	}
	word := u.in[u.i : u.i+end]
	if strings.Contains(word, "$") || strings.HasSuffix(word, `\`) {
		return false
	}
	d.quoted = strings.ContainsAny(word, `'"\`)
	d.mark = strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(word)
	u.docs = append(u.docs, d)
	u.copy(end)
	return true
}

// bodies passes the here-documents that begin on this line.
func (u *unfolder) bodies() bool {
	for _, d := range u.docs {
		if !u.body(d) {
			return false
		}
	}
	u.docs = nil
	return true
}

func (u *unfolder) body(d hereDoc) bool {
	for u.i < len(u.in) {
		line, n := u.line(d.quoted)
		u.i += n
		u.out.WriteString(line)
		text := strings.TrimSuffix(line, "\n")
		if d.indent {
			text = strings.TrimLeft(text, "\t")
		}
		if text == d.mark {
			return true
		}
		// A substitution in the body is code again; it is not followed here.
		if !d.quoted && strings.Contains(line, "$(") && strings.Contains(u.in, "#") {
			return false
		}
	}
	return true
}

// line reads one line of a here-document and how long it is in the text.
func (u *unfolder) line(quoted bool) (string, int) {
	var b strings.Builder
	for j := u.i; j < len(u.in); j++ {
		switch c := u.in[j]; {
		case c == '\n':
			b.WriteByte(c)
			return b.String(), j + 1 - u.i
		case c == '\\' && !quoted && strings.HasPrefix(u.in[j:], continuation):
			j++
		case c == '\\' && !quoted && j+1 < len(u.in):
			b.WriteString(u.in[j : j+2])
			j++
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), len(u.in) - u.i
}
