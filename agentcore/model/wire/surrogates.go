package wire

import (
	"bytes"
	"strconv"
	"unicode/utf16"
)

// replacement is the escape for a character that cannot be.
const replacement = `\ufffd`

// wholeSurrogates replaces the escapes of half a surrogate pair in JSON text. The
// text is valid JSON with them, but providers refuse a history that has one, and
// then each later request of the session.
func wholeSurrogates(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\u`)) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		n := 1
		if text[i] == '\\' {
			n = min(2, len(text)-i)
		}
		unit, ok := escaped(text[i:])
		if !ok {
			out = append(out, text[i:i+n]...)
			i += n
			continue
		}
		second, _ := escaped(text[i+6:])
		switch {
		case utf16.IsSurrogate(unit) && utf16.DecodeRune(unit, second) != '\ufffd':
			out = append(out, text[i:i+12]...)
			i += 12
		case utf16.IsSurrogate(unit):
			out = append(out, replacement...)
			i += 6
		default:
			out = append(out, text[i:i+6]...)
			i += 6
		}
	}
	return out
}

// escaped reads the escape \uXXXX at the start of text.
func escaped(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
