package recipes

import (
	"errors"
	"fmt"
	"strings"
)

// SplitCommand splits a command line into words as a shell does, with quotes and
// backslashes, and runs none. What a shell would expand or treat as an operator
// is an error unless it is quoted.
func SplitCommand(line string) ([]string, error) {
	s := &wordSplitter{rest: line}
	for s.rest != "" {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.end()
	return s.words, nil
}

type wordSplitter struct {
	rest   string
	words  []string
	word   strings.Builder
	inWord bool
}

func (s *wordSplitter) end() {
	if s.inWord {
		s.words = append(s.words, s.word.String())
		s.word.Reset()
		s.inWord = false
	}
}

func (s *wordSplitter) step() error {
	c := s.rest[0]
	s.rest = s.rest[1:]
	switch {
	case strings.IndexByte(" \t\r\n", c) >= 0:
		s.end()
		return nil
	case strings.IndexByte("|&;<>()$`", c) >= 0:
		return fmt.Errorf("%q needs a shell, and none is used; quote it, or list the words: [my-agent, --acp]", c)
	}
	s.inWord = true
	switch c {
	case '\'':
		return s.single()
	case '"':
		return s.double()
	case '\\':
		if s.rest == "" {
			return errors.New("a backslash at the end")
		}
		s.word.WriteByte(s.rest[0])
		s.rest = s.rest[1:]
	default:
		s.word.WriteByte(c)
	}
	return nil
}

var errQuote = errors.New("a quote that does not end")

func (s *wordSplitter) single() error {
	inner, rest, ok := strings.Cut(s.rest, "'")
	if !ok {
		return errQuote
	}
	s.word.WriteString(inner)
	s.rest = rest
	return nil
}

func (s *wordSplitter) double() error {
	for s.rest != "" {
		c := s.rest[0]
		s.rest = s.rest[1:]
		switch {
		case c == '"':
			return nil
		case c == '$' || c == '`':
			return fmt.Errorf("%q in double quotes needs a shell, and none is used; use single quotes", c)
		case c == '\\' && s.rest != "" && strings.IndexByte("\"\\$`", s.rest[0]) >= 0:
			c, s.rest = s.rest[0], s.rest[1:]
		}
		s.word.WriteByte(c)
	}
	return errQuote
}
