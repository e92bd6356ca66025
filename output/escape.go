package output

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// EscapeControl makes control characters visible, so that text of an agent can
// neither move the cursor of a terminal nor pass for another line: newline, tab
// and carriage return as \n, \t and \r, any other as \x1b or \u202e. Characters
// that end a line or embed text of another direction count as control characters,
// and so do bytes that are no UTF-8.
func EscapeControl(s string) string { return escape(s, false) }

// escapeLines is EscapeControl for text of several lines: newlines and tabs stay,
// and a carriage return before a newline goes.
func escapeLines(s string) string { return escape(strings.ReplaceAll(s, "\r\n", "\n"), true) }

func escape(s string, lines bool) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return hidden(r) && !keeps(r, lines) }) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !hidden(r) || keeps(r, lines):
			b.WriteString(s[i : i+size])
		default:
			writeHidden(&b, r)
		}
		i += size
	}
	return b.String()
}

func keeps(r rune, lines bool) bool { return lines && (r == '\n' || r == '\t') }

// hidden says whether r is not to reach a terminal as it is. The replacement
// character is among them because invalid bytes decode to it; a real one is
// written as it is.
func hidden(r rune) bool {
	return r < 0x20 || r >= 0x7f && (unicode.IsControl(r) || r == utf8.RuneError ||
		r >= '\u2028' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069')
}

func writeHidden(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == utf8.RuneError:
		b.WriteRune(r)
	case r < 0x100:
		fmt.Fprintf(b, `\x%02x`, r)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}
