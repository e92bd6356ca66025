package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param works off a parameter expansion. Its value is not known, unless it can
// only be a number.
func (b *wordBuilder) param(x *syntax.ParamExp, quoted bool) {
	name := ""
	if x.Param != nil {
		name = x.Param.Value
	}
	b.paramParts(x)
	if x.Exp != nil && (x.Exp.Op == syntax.AssignUnset || x.Exp.Op == syntax.AssignUnsetOrNull) {
		b.a.sets(name)
	}
	switch {
	case x.Length:
		b.run(numRun)
		return
	case x.Excl && x.Names == 0:
		b.a.runsText("${!" + name + "} evaluates the value of a variable")
	case x.Exp != nil && x.Exp.Op == syntax.OtherParamOps && !harmlessOperator(x.Exp.Word):
		b.a.runsText("${" + name + "@P} evaluates the value of a variable")
	}
	plain := x.Exp == nil && x.Repl == nil && x.Slice == nil && x.Names == 0 && x.Index == nil && !x.Excl
	if plain && (numericParam(name) || b.a.numbers[name]) {
		b.run(numRun)
		return
	}
	list := name == "@" || name == "*" && !quoted || x.Names != 0 || x.Index != nil
	b.unknown(quoted && !list)
}

// paramParts walks what stands inside the expansion.
func (b *wordBuilder) paramParts(x *syntax.ParamExp) {
	a := b.a
	if x.Index != nil && !allElements(x.Index) {
		a.arithm(x.Index, b.place)
	}
	if x.Slice != nil {
		for _, e := range []syntax.ArithmExpr{x.Slice.Offset, x.Slice.Length} {
			if e != nil {
				a.arithm(e, b.place)
			}
		}
	}
	words := make([]*syntax.Word, 0, 3)
	if x.Repl != nil {
		words = append(words, x.Repl.Orig, x.Repl.With)
	}
	if x.Exp != nil {
		words = append(words, x.Exp.Word)
	}
	for _, w := range words {
		if w != nil {
			a.word(w, b.place)
		}
	}
}

// allElements tells whether a subscript is @ or *.
func allElements(e syntax.ArithmExpr) bool {
	w, ok := e.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

// harmlessOperator tells whether the letter behind @ only rewrites the value.
func harmlessOperator(w *syntax.Word) bool {
	if w == nil {
		return false
	}
	switch w.Lit() {
	case "U", "u", "L", "Q", "E", "a", "A", "K", "k":
		return true
	}
	return false
}

// numericParam tells whether a parameter of the shell is always a number.
func numericParam(name string) bool {
	switch name {
	case "?", "#", "$", "!", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "PPID", "UID", "EUID":
		return true
	}
	return false
}

// numericVariables finds the variables to which the text assigns nothing but
// numbers. A builtin that sets variables by name makes all of them doubtful.
func numericVariables(file *syntax.File) map[string]bool {
	numbers := map[string]bool{}
	set := func(name string, numeric bool) {
		if before, seen := numbers[name]; seen {
			numeric = numeric && before
		}
		numbers[name] = numeric
	}
	doubtful := false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.Assign:
			if x.Name != nil && !x.Naked {
				set(x.Name.Value, x.Array == nil && x.Index == nil && numericValue(x.Value))
			}
		case *syntax.WordIter:
			set(x.Name.Value, x.InPos.IsValid() && allNumeric(x.Items))
		case *syntax.BinaryArithm:
			if w, ok := x.X.(*syntax.Word); ok && assigns(x.Op) {
				set(w.Lit(), true)
			}
		case *syntax.CallExpr:
			doubtful = doubtful || len(x.Args) > 0 && setsVariables(x.Args[0].Lit())
		}
		return true
	})
	if doubtful {
		return nil
	}
	return numbers
}

func assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
		syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		return true
	}
	return false
}

func allNumeric(items []*syntax.Word) bool {
	for _, w := range items {
		if !numericValue(w) {
			return false
		}
	}
	return true
}

// numericValue tells whether a word is digits, arithmetic, or a sequence of
// numbers in braces.
func numericValue(w *syntax.Word) bool {
	if w == nil || len(w.Parts) != 1 {
		return false
	}
	switch x := w.Parts[0].(type) {
	case *syntax.ArithmExp:
		return true
	case *syntax.Lit:
		return x.Value != "" && strings.Trim(x.Value, "0123456789-{}.") == ""
	}
	return false
}

// setsVariables tells whether a program, the empty name is one that is not
// known, may set variables of which its words give the names.
func setsVariables(program string) bool {
	switch program {
	case "", "read", "mapfile", "readarray", "getopts", "printf", "declare", "typeset", "local", "export", "readonly",
		"let", "eval", "source", ".", "wait", "command", "builtin":
		return true
	}
	return false
}
