package expr

import (
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

// SyntaxError says what is wrong with an expression, and where.
type SyntaxError struct {
	Offset  int // byte in the source, from 0
	Message string
	Hint    string // what to write instead; may be empty
}

// Error returns the message without the place.
func (e *SyntaxError) Error() string { return e.Message }

func syntaxErrorf(offset int, format string, args ...any) *SyntaxError {
	return &SyntaxError{Offset: offset, Message: fmt.Sprintf(format, args...)}
}

// parseError places an error of the parser.
func parseError(src string, err error) *SyntaxError {
	var parse *gojq.ParseError
	if !errors.As(err, &parse) {
		return syntaxErrorf(0, "jq: %v", err)
	}
	offset := min(max(parse.Offset-len(parse.Token), 0), len(src))
	return syntaxErrorf(offset, "jq: %v", err)
}

// compileError places an error of the compiler, which knows names only.
func compileError(src string, err error) *SyntaxError {
	message := err.Error()
	if name, ok := strings.CutPrefix(message, "function not defined: "); ok {
		word, _, _ := strings.Cut(name, "/")
		return syntaxErrorf(offsetOfWord(src, word), "jq: there is no function %s", name)
	}
	return syntaxErrorf(0, "jq: %s", message)
}

// preview shortens a source for a message to 64 bytes on one line.
func preview(src string) string {
	src = strings.Join(strings.Fields(src), " ")
	if len(src) <= 64 {
		return src
	}
	cut := 61
	for cut > 0 && src[cut]&0xC0 == 0x80 {
		cut--
	}
	return src[:cut] + "..."
}
