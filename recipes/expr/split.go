package expr

import (
	"strings"
)

// Part is a piece of a text: literal, or the source of one expression.
type Part struct {
	Text   string // literal text, or the expression without its braces
	Expr   bool
	Offset int // byte in the text where Text stands, from 0
}

const (
	open    = "${{"
	closing = "}}"
)

// Split cuts a text into literal parts and the expressions in its ${{ }}. The end
// of an expression is found by reading it as jq, so that braces and strings in it
// do not end it early. $${{ stands for a literal ${{. Literal parts that touch are
// one; an empty text has no parts. The error is a [*SyntaxError].
func Split(text string) ([]Part, error) {
	var parts []Part
	literal := func(s string, offset int) {
		if n := len(parts); n > 0 && !parts[n-1].Expr {
			parts[n-1].Text += s
		} else if s != "" {
			parts = append(parts, Part{Text: s, Offset: offset})
		}
	}
	pos := 0
	for {
		i := strings.Index(text[pos:], open)
		if i < 0 {
			literal(text[pos:], pos)
			return parts, nil
		}
		at := pos + i
		if at > pos && text[at-1] == '$' {
			literal(text[pos:at-1]+open, pos)
			pos = at + len(open)
			continue
		}
		literal(text[pos:at], pos)
		start := at + len(open)
		end, ok := endOf(text[start:])
		if !ok {
			return nil, syntaxErrorf(at, "${{ without its }}")
		}
		if strings.TrimSpace(text[start:start+end]) == "" {
			return nil, syntaxErrorf(at, "${{ }} without an expression")
		}
		parts = append(parts, Part{Text: text[start : start+end], Expr: true, Offset: start})
		pos = start + end + len(closing)
	}
}

// endOf finds the }} that ends the expression at the start of src.
func endOf(src string) (int, bool) {
	l := lexer{src: src}
	for {
		t, ok := l.next()
		if !ok {
			return 0, false
		}
		if t.kind == tokenClose && l.depth < 0 && len(l.quoted) == 0 {
			return t.start, strings.HasPrefix(src[t.start:], closing)
		}
	}
}
