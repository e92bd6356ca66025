package output

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

// forms returns a secret as it is and in the encodings that are looked for.
func forms(secret string) []string {
	list := []string{secret}
	for s, depth := secret, 0; depth < 2; depth++ { // JSON inside a JSON text is common
		s = quoted(s)
		list = append(list, s)
	}
	for _, s := range []string{url.QueryEscape(secret), url.PathEscape(secret), percentAll(secret)} {
		list = append(list, s, lowerHex(s))
	}
	return append(list, base64Forms(secret)...)
}

// quoted is the inside of s as a JSON text.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a text always has a form
	out := strings.TrimSuffix(b.String(), "\n")
	return out[1 : len(out)-1]
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
