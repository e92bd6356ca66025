package expr

import "strings"

// tokenKind sorts the few tokens that matter here.
type tokenKind uint8

const (
	tokenOther tokenKind = iota
	tokenWord            // a name that is no field: not after a dot
	tokenVariable
	tokenOpen  // ( [ {
	tokenClose // ) ] }
)

// token is a piece of a jq source.
type token struct {
	kind       tokenKind
	start, end int
}

// lexer cuts a jq source into tokens, far enough to know what is inside a string
// or a comment. Strings are jq's: an interpolation \( ) holds tokens again.
type lexer struct {
	src string
	pos int
	// quoted holds, for each open interpolation, how deep the parentheses are.
	quoted []int
	depth  int // of ( [ {
}

// next returns the next token, false at the end of the source or where a string
// is not closed.
func (l *lexer) next() (token, bool) {
	l.skip()
	if l.pos >= len(l.src) {
		return token{}, false
	}
	start := l.pos
	switch c := l.src[l.pos]; {
	case c == '"':
		l.pos++
		return token{tokenOther, start, l.pos}, l.quotedText()
	case strings.IndexByte("([{", c) >= 0:
		l.pos++
		l.depth++
		return token{tokenOpen, start, l.pos}, true
	case strings.IndexByte(")]}", c) >= 0:
		return l.closing(start)
	case c == '$' && l.pos+1 < len(l.src) && isLetter(l.src[l.pos+1]):
		l.pos++
		l.name()
		return token{tokenVariable, start, l.pos}, true
	case isLetter(c):
		l.name()
		kind := tokenWord
		if start > 0 && (l.src[start-1] == '.' || l.src[start-1] == '@') {
			kind = tokenOther
		}
		return token{kind, start, l.pos}, true
	default:
		l.pos++
		return token{tokenOther, start, l.pos}, true
	}
}

// closing takes a closing bracket. It may end an interpolation; then the string
// around it goes on.
func (l *lexer) closing(start int) (token, bool) {
	l.pos++
	if n := len(l.quoted); n > 0 && l.quoted[n-1] == l.depth && l.src[start] == ')' {
		l.quoted = l.quoted[:n-1]
		return token{tokenOther, start, l.pos}, l.quotedText()
	}
	l.depth--
	return token{tokenClose, start, l.pos}, true
}

// quotedText skips the text of a string up to its end or its next interpolation.
func (l *lexer) quotedText() bool {
	for l.pos < len(l.src) {
		switch l.src[l.pos] {
		case '"':
			l.pos++
			return true
		case '\\':
			if strings.HasPrefix(l.src[l.pos:], `\(`) {
				l.pos += 2
				l.quoted = append(l.quoted, l.depth)
				return true
			}
			l.pos += 2
		default:
			l.pos++
		}
	}
	l.pos = len(l.src)
	return false
}

// skip passes over white space and comments.
func (l *lexer) skip() {
	for l.pos < len(l.src) {
		switch l.src[l.pos] {
		case ' ', '\t', '\n', '\r':
			l.pos++
		case '#':
			end := strings.IndexByte(l.src[l.pos:], '\n')
			if end < 0 {
				l.pos = len(l.src)
				return
			}
			l.pos += end
		default:
			return
		}
	}
}

func (l *lexer) name() {
	for l.pos < len(l.src) && (isLetter(l.src[l.pos]) || l.src[l.pos] >= '0' && l.src[l.pos] <= '9') {
		l.pos++
	}
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// offsetOfWord is where a function's name stands first, 0 if it cannot be found.
func offsetOfWord(src, word string) int {
	l := lexer{src: src}
	for {
		t, ok := l.next()
		if !ok {
			return 0
		}
		if t.kind == tokenWord && src[t.start:t.end] == word {
			return t.start
		}
	}
}

// variables lists where $names stand, in order.
func variables(src string) []token {
	var list []token
	l := lexer{src: src}
	for {
		t, ok := l.next()
		if !ok {
			return list
		}
		if t.kind == tokenVariable {
			list = append(list, t)
		}
	}
}
