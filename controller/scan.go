package controller

import (
	"bytes"
	"encoding/json"
)

// splitUpdate takes the params of session/update apart; update is nil when they
// are not usable. Both are parts of params: an update may be large, and comes
// often.
func splitUpdate(params json.RawMessage) (id []byte, update json.RawMessage) {
	s := scanner{doc: params}
	if !s.open('{') {
		return nil, nil
	}
	for s.more('}') {
		key, value := s.member()
		switch string(key) {
		case `"sessionId"`:
			id = value
		case `"update"`:
			update = value
		}
	}
	if s.failed || len(id) < 3 || id[0] != '"' || len(update) == 0 || update[0] != '{' {
		return nil, nil
	}
	if bytes.IndexByte(id, '\\') >= 0 {
		return []byte(jsonString(id)), update
	}
	return id[1 : len(id)-1], update
}

// scanner walks over one level of a JSON document that is known to be valid: the
// frame layer has checked it. On one that is not it fails, and never reads past
// the end.
type scanner struct {
	doc    []byte
	pos    int
	failed bool
}

// open consumes the opening brace.
func (s *scanner) open(c byte) bool {
	s.space()
	if s.pos >= len(s.doc) || s.doc[s.pos] != c {
		s.failed = true
		return false
	}
	s.pos++
	return true
}

// more consumes the comma before the next member, or the closing brace.
func (s *scanner) more(end byte) bool {
	s.space()
	if s.failed || s.pos >= len(s.doc) {
		s.failed = true
		return false
	}
	switch s.doc[s.pos] {
	case end:
		s.pos++
		return false
	case ',':
		s.pos++
	}
	return true
}

// member returns the spans of a name, with its quotes, and its value.
func (s *scanner) member() (key, value []byte) {
	key = s.value()
	s.space()
	if s.pos >= len(s.doc) || s.doc[s.pos] != ':' {
		s.failed = true
		return nil, nil
	}
	s.pos++
	return key, s.value()
}

// value returns the span of the next value.
func (s *scanner) value() []byte {
	s.space()
	start := s.pos
	if start >= len(s.doc) {
		s.failed = true
		return nil
	}
	switch s.doc[start] {
	case '"':
		s.text()
	case '{', '[':
		s.nested()
	default:
		for s.pos < len(s.doc) && !bytes.ContainsRune([]byte(",:]} \t\r\n"), rune(s.doc[s.pos])) {
			s.pos++
		}
		s.failed = s.failed || s.pos == start
	}
	return s.doc[start:s.pos]
}

// text skips a string.
func (s *scanner) text() {
	for s.pos++; ; s.pos++ {
		i := bytes.IndexByte(s.doc[s.pos:], '"')
		if i < 0 {
			s.pos, s.failed = len(s.doc), true
			return
		}
		s.pos += i
		slashes := 0
		for s.doc[s.pos-1-slashes] == '\\' { // stops at the opening quote
			slashes++
		}
		if slashes%2 == 0 {
			s.pos++
			return
		}
	}
}

// nested skips an object or a list.
func (s *scanner) nested() {
	for depth := 0; s.pos < len(s.doc); {
		switch s.doc[s.pos] {
		case '"':
			s.text()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.pos++
				return
			}
		}
		s.pos++
	}
	s.failed = true
}

func (s *scanner) space() {
	for s.pos < len(s.doc) && (s.doc[s.pos] == ' ' || s.doc[s.pos] == '\n' || s.doc[s.pos] == '\t' || s.doc[s.pos] == '\r') {
		s.pos++
	}
}
