package jsonrpc

import (
	"encoding/binary"
	"errors"
)

// maxDepth is how deep values may be nested; encoding/json has the same limit.
const maxDepth = 10_000

var (
	errSyntax = errors.New("invalid JSON")
	errCut    = errors.New("unexpected end of JSON")
)

// scanner walks over JSON text without decoding it. Each method takes the
// position of what it is to read and returns the position behind it.
type scanner []byte

// space skips white space.
func (s scanner) space(i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\n') {
		i++
	}
	return i
}

// value reads any value; depth is the number of values around it.
func (s scanner) value(i, depth int) (int, error) {
	if i >= len(s) {
		return i, errCut
	}
	switch c := s[i]; {
	case c == '"':
		return s.str(i)
	case c == '{':
		return s.members(i, depth, func(_, _ []byte) {})
	case c == '[':
		return s.elements(i, depth)
	case c == 't':
		return s.word(i, "true")
	case c == 'f':
		return s.word(i, "false")
	case c == 'n':
		return s.word(i, "null")
	case c == '-' || '0' <= c && c <= '9':
		return s.number(i)
	default:
		return i, errSyntax
	}
}

// members reads an object and calls visit with the raw key and value of each
// member.
func (s scanner) members(i, depth int, visit func(key, value []byte)) (int, error) {
	if depth >= maxDepth {
		return i, errSyntax
	}
	i = s.space(i + 1)
	if i < len(s) && s[i] == '}' {
		return i + 1, nil
	}
	for {
		next, err := s.member(i, depth, visit)
		if err != nil {
			return next, err
		}
		i = s.space(next)
		switch {
		case i >= len(s):
			return i, errCut
		case s[i] == '}':
			return i + 1, nil
		case s[i] != ',':
			return i, errSyntax
		}
		i = s.space(i + 1)
	}
}

// member reads one key and its value.
func (s scanner) member(i, depth int, visit func(key, value []byte)) (int, error) {
	end, err := s.key(i)
	if err != nil {
		return end, err
	}
	key := s[i:end]
	if i = s.space(end); i >= len(s) {
		return i, errCut
	}
	if s[i] != ':' {
		return i, errSyntax
	}
	i = s.space(i + 1)
	if end, err = s.value(i, depth+1); err == nil {
		visit(key, s[i:end])
	}
	return end, err
}

func (s scanner) key(i int) (int, error) {
	if i >= len(s) {
		return i, errCut
	}
	if s[i] != '"' {
		return i, errSyntax
	}
	return s.str(i)
}

func (s scanner) elements(i, depth int) (int, error) {
	if depth >= maxDepth {
		return i, errSyntax
	}
	i = s.space(i + 1)
	if i < len(s) && s[i] == ']' {
		return i + 1, nil
	}
	for {
		next, err := s.value(i, depth+1)
		if err != nil {
			return next, err
		}
		i = s.space(next)
		switch {
		case i >= len(s):
			return i, errCut
		case s[i] == ']':
			return i + 1, nil
		case s[i] != ',':
			return i, errSyntax
		}
		i = s.space(i + 1)
	}
}

// str reads a string. As with encoding/json its bytes need not be UTF-8.
func (s scanner) str(i int) (int, error) {
	for i++; ; {
		i = s.plain(i)
		if i >= len(s) {
			return i, errCut
		}
		switch c := s[i]; {
		case c == '"':
			return i + 1, nil
		case c < ' ':
			return i, errSyntax
		}
		var err error
		if i, err = s.escape(i + 1); err != nil {
			return i, err
		}
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain skips characters of a string that have no meaning in it, eight at a time:
// large frames are one long string.
func (s scanner) plain(i int) int {
	for ; i+8 <= len(s); i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		quotes, slashes := w^(ones*'"'), w^(ones*'\\')
		special := (w-ones*' ')&^w | (quotes-ones)&^quotes | (slashes-ones)&^slashes
		if special&highs != 0 {
			break
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// escape reads what stands behind a backslash.
func (s scanner) escape(i int) (int, error) {
	if i >= len(s) {
		return i, errCut
	}
	switch s[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, nil
	case 'u':
	default:
		return i, errSyntax
	}
	for range 4 {
		if i++; i >= len(s) {
			return i, errCut
		}
		if c := s[i] | 0x20; (s[i] < '0' || s[i] > '9') && (c < 'a' || c > 'f') {
			return i, errSyntax
		}
	}
	return i + 1, nil
}

func (s scanner) number(i int) (int, error) {
	if s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else {
		var err error
		if i, err = s.digits(i); err != nil {
			return i, err
		}
	}
	if i < len(s) && s[i] == '.' {
		var err error
		if i, err = s.digits(i + 1); err != nil {
			return i, err
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		return s.digits(i)
	}
	return i, nil
}

// digits reads one digit or more.
func (s scanner) digits(i int) (int, error) {
	start := i
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	switch {
	case i > start:
		return i, nil
	case i >= len(s):
		return i, errCut
	default:
		return i, errSyntax
	}
}

func (s scanner) word(i int, word string) (int, error) {
	for j := range len(word) {
		if i+j >= len(s) {
			return i + j, errCut
		}
		if s[i+j] != word[j] {
			return i + j, errSyntax
		}
	}
	return i + len(word), nil
}
