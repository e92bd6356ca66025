package tool

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxText bounds the text of a result in bytes: about 16 000 tokens, more than a
// model reads with care and little enough for one frame.
const maxText = 64 << 10

// sniffLen is how much of a file decides whether it is text.
const sniffLen = 8 << 10

var bom = []byte("\ufeff")

// clean makes text that every JSON reader and provider takes: bytes that are not
// UTF-8 and NUL become U+FFFD.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	return strings.ReplaceAll(s, "\x00", "\ufffd")
}

// cut shortens s to at most limit bytes at a character boundary.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// CapText makes text fit for a result: valid UTF-8 without NUL, at most 64 KiB. What
// is left out is said at the end.
func CapText(s string) string {
	s = clean(s)
	kept := cut(s, maxText)
	if len(kept) == len(s) {
		return s
	}
	return fmt.Sprintf("%s\n[%d more bytes left out]", kept, len(s)-len(kept))
}

// isBinary reports whether content is something other than text, by its first bytes.
func isBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), sniffLen)], 0) >= 0
}

// unix gives text the line ends that the model sees.
func unix(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// mostlyCRLF reports whether more lines end in CRLF than in LF.
func mostlyCRLF(content []byte) bool {
	crlf := bytes.Count(content, []byte("\r\n"))
	return crlf > bytes.Count(content, []byte("\n"))-crlf
}

// plural is "1 line", "2 lines".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
