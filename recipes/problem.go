package recipes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Problem is one thing that is wrong with a recipe or with what it is given. Line
// and Column count from 1, columns in characters; zero means no place in a file.
type Problem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Excerpt string `json:"excerpt,omitempty"` // the source line, and a line with a caret below it
}

// Place is file:line:column, as far as it is known.
func (p *Problem) Place() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.File == "":
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}

// String is the problem on one line.
func (p *Problem) String() string {
	if place := p.Place(); place != "" {
		return place + ": " + p.Message
	}
	return p.Message
}

// problemError is the error of an evaluation, with its place.
type problemError struct{ Problem }

func (e *problemError) Error() string { return e.String() }

// fault is an error at a node.
func (s *source) fault(n *yaml.Node, err error) error {
	return &problemError{s.problem(n.Line, n.Column, err.Error())}
}

func (p *Problem) write(b *strings.Builder) {
	b.WriteString(p.String())
	for line := range strings.Lines(p.Excerpt) {
		b.WriteString("\n    " + strings.TrimSuffix(line, "\n"))
	}
	if p.Hint != "" {
		b.WriteString("\n    hint: " + p.Hint)
	}
}

// ParseError holds every problem that was found, in the order of the file.
type ParseError struct{ Problems []Problem }

// maxProblems is how many problems a message lists: whoever has more of them has
// one problem, such as the wrong file.
const maxProblems = 50

// Error lists the problems, each followed by its excerpt and hint.
func (e *ParseError) Error() string {
	var b strings.Builder
	for i := range e.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == maxProblems {
			fmt.Fprintf(&b, "and %d more", len(e.Problems)-i)
			break
		}
		e.Problems[i].write(&b)
	}
	return b.String()
}

// asError sorts the problems by their place; nil without one.
func asError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	files := map[string]int{} // in the order of their first problems
	for _, p := range problems {
		if _, known := files[p.File]; !known {
			files[p.File] = len(files)
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(files[a.File], files[b.File]), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &ParseError{Problems: slices.CompactFunc(problems, func(a, b Problem) bool {
		return a.Place() == b.Place() && a.Message == b.Message
	})}
}

// preview shortens a value in a message to 64 characters on one line.
func preview(s string) string {
	runes := []rune(strings.Join(strings.Fields(s), " "))
	if len(runes) <= 64 {
		return string(runes)
	}
	return string(runes[:61]) + "..."
}
