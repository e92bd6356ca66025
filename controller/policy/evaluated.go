package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// evaluated walks the commands that evaluate their words a second time:
// declarations, let, (( )) and [[ ]].
func (a *analyzer) evaluated(c syntax.Command, p place) {
	switch x := c.(type) {
	case *syntax.DeclClause:
		a.declaration(x, p)
	case *syntax.LetClause:
		for _, e := range x.Exprs {
			a.arithm(e, p)
		}
	case *syntax.ArithmCmd:
		a.arithm(x.X, p)
	case *syntax.TestClause:
		a.testExpr(x.X, p)
	default:
		a.runsText("it has a form that is not judged")
	}
}

// testExpr walks the inside of [[ ]].
func (a *analyzer) testExpr(e syntax.TestExpr, p place) {
	switch x := e.(type) {
	case *syntax.Word:
		a.look([]word{a.word(x, p)}, p)
	case *syntax.ParenTest:
		a.testExpr(x.X, p)
	case *syntax.UnaryTest:
		if w, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			a.subscript(a.word(w, p))
			return
		}
		a.testExpr(x.X, p)
	case *syntax.BinaryTest:
		if numericTest(x.Op) {
			a.testNumber(x.X, p)
			a.testNumber(x.Y, p)
			return
		}
		a.testExpr(x.X, p)
		a.testExpr(x.Y, p)
	}
}

func numericTest(op syntax.BinTestOperator) bool {
	switch op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		return true
	}
	return false
}

// testNumber walks an operand of -eq and its like, which is arithmetic.
func (a *analyzer) testNumber(e syntax.TestExpr, p place) {
	if w, ok := e.(*syntax.Word); ok {
		a.arithm(w, p)
		return
	}
	a.testExpr(e, p)
}

// subscript judges a word that names a variable: its subscript, if it has one,
// is evaluated once more.
func (a *analyzer) subscript(w word) {
	if !w.known() || evaluatesAgain(w.lit) {
		a.runsText("a word is evaluated a second time: " + preview(shown(w.lit)))
	}
}

// evaluatesAgain tells whether a text would run something when it is evaluated
// as the name of a variable or as arithmetic.
func evaluatesAgain(s string) bool {
	return strings.Contains(s, "[") && strings.ContainsAny(s, "$`")
}

// arithm walks arithmetic. A variable in it is evaluated as arithmetic in its
// turn, and a subscript in its value can run commands, so only variables that
// are known to hold numbers will do.
func (a *analyzer) arithm(e syntax.ArithmExpr, p place) {
	switch x := e.(type) {
	case *syntax.BinaryArithm:
		if w, ok := x.X.(*syntax.Word); ok && assigns(x.Op) {
			a.sets(w.Lit())
		}
		a.arithm(x.X, p)
		a.arithm(x.Y, p)
	case *syntax.UnaryArithm:
		a.arithm(x.X, p)
	case *syntax.ParenArithm:
		a.arithm(x.X, p)
	case *syntax.Word:
		for _, part := range x.Parts {
			a.arithmPart(part, p)
		}
	}
}

func (a *analyzer) arithmPart(part syntax.WordPart, p place) {
	switch x := part.(type) {
	case *syntax.Lit:
		if !a.number(x.Value) {
			a.runsText("arithmetic on " + preview(x.Value) + ", which need not be a number")
		}
	case *syntax.DblQuoted:
		for _, inner := range x.Parts {
			a.arithmPart(inner, p)
		}
	case *syntax.ArithmExp:
		a.arithm(x.X, p)
	case *syntax.ParamExp:
		b := wordBuilder{a: a, place: p}
		b.param(x, true)
		if strings.IndexByte(b.pat.String(), anyRun) >= 0 {
			a.runsText("arithmetic on a value that need not be a number")
		}
	default:
		a.word(&syntax.Word{Parts: []syntax.WordPart{part}}, p)
		a.runsText("arithmetic on a value that need not be a number")
	}
}

// number tells whether a literal in arithmetic is a number or a variable that
// holds one.
func (a *analyzer) number(s string) bool {
	if s == "" || a.numbers[s] {
		return true
	}
	return s[0] >= '0' && s[0] <= '9' && strings.Trim(s, "0123456789abcdefABCDEFxX#") == ""
}
