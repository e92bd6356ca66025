package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtin judges the commands of the shell itself. It tells whether the command
// needs no rule; what runs text or evaluates words again is barred.
func (a *analyzer) builtin(words []word) bool {
	rest := words[1:]
	if words[0].unknown {
		a.runsText("what runs is not known")
		return false
	}
	switch words[0].lit {
	case "true", "false", ":", "echo", "exit", "return", "break", "continue":
		return true
	case "cd":
		return false // a literal one inside the roots is found free later
	case "wait":
		return allKnown(rest) && !hasWord(rest, "-p")
	case "printf":
		return a.printf(rest)
	case "test", "[":
		a.test(rest)
		return true
	case "set":
		return plainSet(rest)
	case "eval", "source", ".", "alias", "trap", "complete", "compgen", "bind", "enable", "fc":
		a.textRunner(words)
	case "hash":
		if hasLetter(rest, 'p') {
			a.runsText("hash -p puts another program in place of a name")
		}
	case "shopt":
		if hasWord(rest, "expand_aliases") || !allKnown(rest) {
			a.bar("aliases may change what runs")
		}
	case "jobs":
		if hasLetter(rest, 'x') {
			a.runsText("jobs -x runs a command")
		}
	case "read", "unset", "getopts", "mapfile", "readarray", "let", "declare", "typeset", "local", "export", "readonly", "nameref":
		a.variables(words)
	}
	return false
}

// textRunner bars the builtins that run text or have it run later.
func (a *analyzer) textRunner(words []word) {
	name, rest := words[0].lit, words[1:]
	switch {
	case name == "alias" && len(rest) == 0:
	case name == "trap":
		if !allKnown(rest) {
			a.runsText("trap runs a text that is not known")
		}
	default:
		a.runsText(name + " runs text")
	}
}

// variables judges the builtins that take names of variables.
func (a *analyzer) variables(words []word) {
	for _, w := range words[1:] {
		a.subscript(w)
		if program := words[0].lit; program != "export" && program != "readonly" {
			a.sets(w.lit)
		}
	}
	switch words[0].lit {
	case "mapfile", "readarray":
		if hasLetter(words[1:], 'C') {
			a.runsText("mapfile -C runs text")
		}
	case "let":
		a.runsText("let evaluates its words")
	case "declare", "typeset", "local", "export", "readonly":
		if hasLetter(words[1:], 'n') || hasLetter(words[1:], 'i') {
			a.runsText("the variable is evaluated when it is used")
		}
	}
}

func (a *analyzer) printf(rest []word) bool {
	if len(rest) == 0 {
		return true
	}
	first := rest[0]
	switch {
	case first.unknown && (first.split || strings.HasPrefix(first.lit, "-") || first.lit[0] == anyRun):
		a.runsText("printf could be given -v")
	case strings.HasPrefix(first.lit, "-v"):
		for _, w := range rest[:min(2, len(rest))] {
			a.subscript(w)
			a.sets(strings.TrimPrefix(w.lit, "-v"))
		}
		return false
	}
	return true
}

// test judges the words of test. Behind -v a word is evaluated again.
func (a *analyzer) test(rest []word) {
	for i, w := range rest {
		if w.split {
			a.runsText("test could be given -v")
			return
		}
		isV := w.lit == "-v" || w.lit == "-R" || w.unknown && len(rest) > 2
		if isV && i+1 < len(rest) && (!rest[i+1].known() || evaluatesAgain(rest[i+1].lit)) {
			a.runsText("test evaluates a word a second time: " + preview(shown(rest[i+1].lit)))
		}
	}
}

// plainSet tells whether set is given -e, -u and -o pipefail at most.
func plainSet(rest []word) bool {
	for i := 0; i < len(rest); i++ {
		w := rest[i].lit
		letters, ok := strings.CutPrefix(w, "-")
		if !ok || letters == "" || strings.Trim(letters, "euo") != "" {
			return false
		}
		if strings.HasSuffix(letters, "o") {
			if i++; i >= len(rest) || rest[i].lit != "pipefail" {
				return false
			}
		}
	}
	return len(rest) > 0
}

// declaration walks declare and its relatives: assignments, with options.
func (a *analyzer) declaration(x *syntax.DeclClause, p place) {
	words := []word{literalWord(x.Variant.Value)}
	free := true
	for _, as := range x.Args {
		switch {
		case as.Naked && as.Name == nil && as.Value != nil:
			words = append(words, a.words([]*syntax.Word{as.Value}, p)...)
		case as.Naked && as.Name != nil:
			words = append(words, literalWord(as.Name.Value))
			free = free && !neverAssigned(as.Name.Value)
		case as.Name != nil:
			got := a.assign(as, p)
			words = append(words, word{
				lit: got.name + "=" + got.value.lit, pat: got.name + "=" + got.value.pat,
				unknown: got.value.unknown,
			})
			free = free && !got.never && !got.bad
		}
	}
	a.variablesOf(words)
	a.shared.commands++
	a.add(&command{words: words, name: x.Variant.Value, place: p, free: free})
}

// variablesOf is variables for a declaration, whose values are values.
func (a *analyzer) variablesOf(words []word) {
	names := make([]word, 0, len(words))
	for i, w := range words {
		if name, _, ok := strings.Cut(w.lit, "="); ok && i > 0 {
			w = literalWord(name)
		}
		names = append(names, w)
	}
	a.variables(names)
}

func allKnown(words []word) bool {
	for _, w := range words {
		if w.unknown {
			return false
		}
	}
	return true
}

func hasWord(words []word, text string) bool {
	for _, w := range words {
		if w.lit == text {
			return true
		}
	}
	return false
}

// hasLetter tells whether a bundle of options holds the letter.
func hasLetter(words []word, letter byte) bool {
	for _, w := range words {
		if len(w.lit) > 1 && w.lit[0] == '-' && strings.IndexByte(w.lit[1:], letter) >= 0 {
			return true
		}
	}
	return false
}
