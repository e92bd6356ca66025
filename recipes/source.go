package recipes

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// source is a file that problems are found in.
type source struct {
	file  string
	lines []string
}

func newSource(text []byte, file string) *source {
	lines := strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return &source{file: file, lines: lines}
}

// line returns a line by its number, "" if there is none.
func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

// excerptWidth is how much of a source line a message shows, in characters.
const excerptWidth = 100

// problem makes a problem at a place, with its excerpt.
func (s *source) problem(line, column int, message string) Problem {
	p := Problem{File: s.file, Line: line, Column: column, Message: message}
	runes := []rune(strings.ReplaceAll(s.line(line), "\t", " "))
	if len(strings.TrimSpace(string(runes))) == 0 {
		return p
	}
	before := min(max(column-1, 0), len(runes))
	if len(runes) > excerptWidth {
		start := min(max(before-excerptWidth/2, 0), len(runes)-excerptWidth)
		runes, before = runes[start:start+excerptWidth], before-start
	}
	p.Excerpt = string(runes) + "\n" + strings.Repeat(" ", before) + "^"
	return p
}

// place finds where a byte of a scalar's value stands in the file. Where the
// value is not what the file shows, because of escapes or folding, it is the
// start of the scalar.
func (s *source) place(n *yaml.Node, offset int) (line, column int) {
	before := n.Value[:min(max(offset, 0), len(n.Value))]
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return s.placeInBlock(n, before)
	}
	skip := 0
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		skip = 1
	}
	shown := []rune(s.line(n.Line))
	start := min(n.Column-1+skip, len(shown))
	if start < 0 || !strings.HasPrefix(string(shown[start:]), before) {
		return n.Line, n.Column
	}
	return n.Line, start + utf8.RuneCountInString(before) + 1
}

// placeInBlock is place for a scalar behind | or >.
func (s *source) placeInBlock(n *yaml.Node, before string) (line, column int) {
	lines := strings.Split(n.Value, "\n")
	at := strings.Count(before, "\n")
	shown := s.line(n.Line + 1 + at)
	inLine := before[strings.LastIndexByte(before, '\n')+1:]
	indent := len(shown) - len(lines[at])
	if indent < 0 || shown[indent:] != lines[at] {
		return n.Line, n.Column
	}
	return n.Line + 1 + at, indent + utf8.RuneCountInString(inLine) + 1
}
