package output

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// forms returns a secret as it is and in the encodings that are looked for.
func forms(secret string) []string {
	list := []string{secret}
	for _, s := range spellings(secret) {
		list = append(list, s, quoted(s)) // JSON inside a JSON text is common
	}
	for _, s := range []string{url.QueryEscape(secret), url.PathEscape(secret), percentAll(secret)} {
		list = append(list, s, lowerHex(s))
	}
	return append(list, base64Forms(secret)...)
}

// spellings is the inside of s as a JSON text in the ways that common encoders
// write it: plain, safe in HTML, in ASCII alone, with \/ for a slash.
func spellings(s string) []string {
	plain, html := quoted(s), encoded(s, true)
	return []string{
		plain, html, inASCII(plain), inASCII(html),
		strings.ReplaceAll(plain, "/", `\/`), strings.ReplaceAll(inASCII(plain), "/", `\/`),
	}
}

// quoted is the inside of s as a JSON text.
func quoted(s string) string { return encoded(s, false) }

func encoded(s string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	_ = enc.Encode(s) // a text always has a form
	out := strings.TrimSuffix(b.String(), "\n")
	return out[1 : len(out)-1]
}

// inASCII escapes what is not ASCII in the inside of a JSON text.
func inASCII(inner string) string {
	var b strings.Builder
	for _, r := range inner {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}

// percentAll escapes all but letters, digits and -_.~, as encodeURIComponent and
// most libraries do; Go's own functions leave more as it is, or write + for a
// space.
func percentAll(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// lowerHex spells percent escapes in lower case.
func lowerHex(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(s[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// base64Forms returns what a secret always gives in base64, wherever it stands
// in the encoded data: at each of the three alignments the characters that
// depend on it alone, in both alphabets.
func base64Forms(secret string) []string {
	var list []string
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before, skip := range []int{0, 2, 3} {
			s := enc.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
			if (before+len(secret))%3 != 0 {
				s = s[:len(s)-1] // shares its bits with what follows
			}
			list = append(list, s[skip:])
		}
	}
	return list
}
