package event

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// bigString is the length from which room for a string is made at once: growing
// step by step would copy it several times.
const bigString = 64 << 10

// appendString appends s as a JSON string in the spelling of encoding/json
// without HTML escaping. Invalid UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	if len(s) > bigString {
		dst = slices.Grow(dst, len(s)+len(s)/16)
	}
	return append(appendInner(append(dst, '"'), s), '"')
}

// appendInner appends what stands between the quotes.
func appendInner(dst []byte, s string) []byte {
	start := 0
	for i := 0; ; {
		if i = skipClear(s, i); i == len(s) {
			break
		}
		c := s[i]
		if c < utf8.RuneSelf {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(append(dst, s[start:i]...), "\ufffd"...)
			start = i + n
		case r == '\u2028' || r == '\u2029': // JavaScript takes them for line ends
			dst = append(append(dst, s[start:i]...), `\u202`...)
			dst = append(dst, hexDigits[r&0xf])
			start = i + n
		}
		i += n
	}
	return append(dst, s[start:]...)
}

// The bytes of a word, for eight at a time.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// skipClear returns the index of the first byte from i on that is not ASCII or
// needs an escape.
func skipClear(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		w := word(s[i : i+8])
		quotes, slashes := w^(ones*'"'), w^(ones*'\\')
		if (w|(w-ones*' ')|(quotes-ones)&^quotes|(slashes-ones)&^slashes)&highs != 0 {
			break
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// word is the eight bytes of s as a number, little-endian: one load.
func word(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
	}
}

// plain says whether the bytes between the quotes of a JSON string are its text
// already.
func plain(inner []byte) bool {
	return bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner)
}

// appendUnquoted appends the text of a JSON string, given the bytes between its
// quotes. Halves of surrogate pairs and invalid UTF-8 become U+FFFD.
func appendUnquoted(dst, inner []byte) []byte {
	for i := 0; i < len(inner); {
		switch c := inner[i]; {
		case c == '\\' && i+1 < len(inner):
			var n int
			dst, n = appendUnescaped(dst, inner[i:])
			i += n
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRune(inner[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		}
	}
	return dst
}

// appendUnescaped appends what the escape at the start of s stands for and
// returns how long it is.
func appendUnescaped(dst, s []byte) ([]byte, int) {
	switch s[1] {
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'u':
		r := hex4(s, 2)
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(dst, r), 6
		}
		if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(s, 8)); pair != utf8.RuneError {
				return utf8.AppendRune(dst, pair), 12
			}
		}
		return utf8.AppendRune(dst, utf8.RuneError), 6
	default:
		return append(dst, s[1]), 2
	}
}

// hex4 reads four hexadecimal digits, -1 when they are none.
func hex4(b []byte, i int) rune {
	if len(b) < i+4 {
		return -1
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// text returns the text of a JSON string value; ok is false for other values.
func text(value []byte) (s string, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	inner := value[1 : len(value)-1]
	if plain(inner) {
		return string(inner), true
	}
	return string(appendUnquoted(nil, inner)), true
}
