package policy

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// ansiC decodes the inside of $'...'. It fails on text with a control character
// other than tab and newline. As in the shell, a NUL ends the text.
func ansiC(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		text, n := ansiEscape(s[i+1:])
		if text == "\x00" {
			break
		}
		b.WriteString(text)
		i += 1 + n
	}
	out := b.String()
	return out, !hasControl(out) && utf8.ValidString(out)
}

// ansiEscape decodes what stands behind a backslash and how long it is.
func ansiEscape(s string) (string, int) {
	const names, values = `abeEfnrtv\'"?`, "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
	c := s[0]
	switch {
	case strings.IndexByte(names, c) >= 0:
		i := strings.IndexByte(names, c)
		return values[i : i+1], 1
	case '0' <= c && c <= '7':
		v, n := ansiDigits(s, 3, 8)
		return string([]byte{byte(v)}), n
	case c == 'x':
		v, n := ansiDigits(s[1:], 2, 16)
		if n == 0 {
			return `\x`, 1
		}
		return string([]byte{byte(v)}), 1 + n
	case c == 'u' || c == 'U':
		digits := 4
		if c == 'U' {
			digits = 8
		}
		v, n := ansiDigits(s[1:], digits, 16)
		if n == 0 {
			return `\` + s[:1], 1
		}
		return string(rune(v)), 1 + n
	case c == 'c' && len(s) > 1:
		return string([]byte{s[1] & 0x1f}), 2
	default:
		return `\` + s[:1], 1
	}
}

func ansiDigits(s string, most, base int) (value uint64, n int) {
	for n < most && n < len(s) {
		v, err := strconv.ParseUint(s[:n+1], base, 32)
		if err != nil {
			break
		}
		value, n = v, n+1
	}
	return value, n
}
