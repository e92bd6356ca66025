package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hereDocument checks where the parser let a here-document end. It takes a mark
// that follows an expansion in the middle of a line for the end, and looks for
// no mark within a substitution; bash reads whole lines, whatever is in them.
// Where the two differ, nobody knows what is text and what is run.
func (a *analyzer) hereDocument(r *syntax.Redirect, mark word) {
	if r.Hdoc == nil || len(r.Hdoc.Parts) == 0 {
		return
	}
	from, to := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	if !mark.known() || !wholeLines(a.text, from, to, mark.lit, r.Op == syntax.DashHdoc) {
		a.runsText("its here-document can end in two places")
	}
}

// wholeLines tells whether text[from:to] is lines of which the last, and only
// the last, is the mark.
func wholeLines(text string, from, to int, mark string, indent bool) bool {
	if from < 1 || to > len(text) || from > to || text[from-1] != '\n' || to < len(text) && text[to] != '\n' {
		return false
	}
	lines := strings.Split(text[from:to], "\n")
	for i, line := range lines {
		if indent {
			line = strings.TrimLeft(line, "\t")
		}
		if (line == mark) != (i == len(lines)-1) {
			return false
		}
	}
	return true
}
