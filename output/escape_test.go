package output

import "testing"

func TestRO33_EscapeControl(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, line, lines string }{
		{"plain é 😀", "plain é 😀", "plain é 😀"},
		{"a\nb\tc", `a\nb\tc`, "a\nb\tc"},
		{"a\r\nb\rc", `a\r\nb\rc`, "a\nb" + `\rc`},
		{"\x1b[31mred\x07\x7f", `\x1b[31mred\x07\x7f`, `\x1b[31mred\x07\x7f`},
		{"\u009b31m\u202eevil\u2028", `\x9b31m\u202eevil\u2028`, `\x9b31m\u202eevil\u2028`},
		{"bad\xff\xfe", `bad\xff\xfe`, `bad\xff\xfe`},
		{"real \ufffd", "real \ufffd", "real \ufffd"},
	} {
		if got := EscapeControl(c.in); got != c.line {
			t.Errorf("EscapeControl(%q) = %q, want %q", c.in, got, c.line)
		}
		if got := escapeLines(c.in); got != c.lines {
			t.Errorf("escapeLines(%q) = %q, want %q", c.in, got, c.lines)
		}
	}
}
