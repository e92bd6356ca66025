package policy

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// analyzer turns a syntax tree into a script.
type analyzer struct {
	world   *world
	text    string
	parsers *sync.Pool
	out     *script
	shared  *analysis
	depth   int
	numbers map[string]bool // variables that can only hold numbers
}

// analysis counts what all texts of one command line have in common.
type analysis struct {
	texts, commands, words, wraps int
}

// exhausted tells whether a command line has more in it than is judged.
func (n *analysis) exhausted() bool { return n.commands > maxCommands || n.words > maxWords }

// analyze reads a command line that is run in one of the places.
func analyze(w *world, parsers *sync.Pool, text string, p place) *script {
	return analyzeText(w, parsers, text, p, &analysis{}, 0)
}

// analyzeText reads a text. One with continuations is read without them, and
// again as the parser takes them; when the two differ nobody knows what runs.
func analyzeText(w *world, parsers *sync.Pool, text string, p place, shared *analysis, depth int) *script {
	if !strings.Contains(text, continuation) {
		return analyzeOnce(w, parsers, text, p, shared, depth)
	}
	flat, sure := unfold(text)
	if !sure {
		flat = text
	}
	s := analyzeOnce(w, parsers, flat, p, shared, depth)
	if !sure || !s.same(analyzeOnce(w, parsers, text, p, shared, depth)) {
		s.opaque, s.lost = true, true
		s.bars = append(s.bars, "its line continuations can be read in two ways")
	}
	return s
}

func analyzeOnce(w *world, parsers *sync.Pool, text string, p place, shared *analysis, depth int) *script {
	s := &script{}
	if shared.texts++; shared.texts > maxTexts || depth > maxDepth {
		s.fault = "it is nested too deeply to be judged"
		return s
	}
	file, fault := parse(parsers, text)
	if fault != "" {
		s.fault = fault
		return s
	}
	s.ok = true
	a := &analyzer{world: w, text: text, parsers: parsers, out: s, shared: shared, depth: depth, numbers: numericVariables(file)}
	a.list(file.Stmts, p)
	if shared.exhausted() {
		return &script{fault: "it has too many commands to be judged"}
	}
	return s
}

// nested reads a text that the shell would run later or elsewhere.
func (a *analyzer) nested(text string, p place) *script {
	s := analyzeText(a.world, a.parsers, text, p, a.shared, a.depth+1)
	a.out.lost = a.out.lost || s.lost
	return s
}

// bar notes why no rule with a pattern can allow the script.
func (a *analyzer) bar(reason string) { a.out.bars = append(a.out.bars, reason) }

// runsText notes that the script runs something that its text does not tell.
func (a *analyzer) runsText(reason string) {
	a.bar(reason)
	a.out.opaque = true
	a.out.lost = true
}

// list walks statements in a row and returns where the shell may stand behind
// them.
func (a *analyzer) list(stmts []*syntax.Stmt, p place) place {
	for _, s := range stmts {
		done, failed := a.stmt(s, p)
		p = done.join(failed)
	}
	return p
}

// subshell walks statements whose cd has no effect outside.
func (a *analyzer) subshell(stmts []*syntax.Stmt, p place) { a.list(stmts, p) }

// stmt walks one statement and returns where the shell stands when it
// succeeded and when it failed.
func (a *analyzer) stmt(s *syntax.Stmt, p place) (done, failed place) {
	for _, r := range s.Redirs {
		a.redirect(r, p, s.Cmd == nil)
	}
	if s.Cmd == nil {
		return p, p
	}
	done, failed = a.command(s.Cmd, s.Redirs, p)
	switch {
	case s.Background || s.Coprocess || s.Disown:
		return p, p
	case s.Negated:
		return failed, done
	}
	return done, failed
}

func (a *analyzer) command(c syntax.Command, redirs []*syntax.Redirect, p place) (done, failed place) {
	switch x := c.(type) {
	case *syntax.CallExpr:
		return a.call(x, redirs, p)
	case *syntax.BinaryCmd:
		return a.binary(x, p)
	case *syntax.Block:
		end := a.list(x.Stmts, p)
		return end, end
	case *syntax.Subshell:
		a.subshell(x.Stmts, p)
	case *syntax.IfClause:
		end := a.ifClause(x, p)
		return end, end
	case *syntax.WhileClause:
		end := a.loop(x, p, func(p place) { a.list(x.Do, a.list(x.Cond, p)) })
		return end, end
	case *syntax.ForClause:
		end := a.loop(x, p, func(p place) { a.forLoop(x.Loop, p); a.list(x.Do, p) })
		return end, end
	case *syntax.CaseClause:
		end := a.caseClause(x, p)
		return end, end
	case *syntax.FuncDecl:
		a.function(x, p)
	case *syntax.TimeClause:
		if x.Stmt != nil {
			return a.stmt(timed(x.Stmt), p)
		}
	case *syntax.CoprocClause:
		a.coproc(x, p)
	default:
		a.evaluated(c, p)
	}
	return p, p
}

// timed is what time runs. The parser leaves its options to the first command.
func timed(s *syntax.Stmt) *syntax.Stmt {
	out := *s
	switch x := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		first := *x
		first.X = timed(x.X)
		out.Cmd = &first
	case *syntax.CallExpr:
		args := x.Args
		for len(args) > 0 && (args[0].Lit() == "-p" || args[0].Lit() == "--") {
			args = args[1:]
		}
		out.Cmd = &syntax.CallExpr{Assigns: x.Assigns, Args: args}
	}
	return &out
}

func (a *analyzer) binary(x *syntax.BinaryCmd, p place) (done, failed place) {
	switch x.Op {
	case syntax.AndStmt:
		done, failed = a.stmt(x.X, p)
		done, second := a.stmt(x.Y, done)
		return done, failed.join(second)
	case syntax.OrStmt:
		done, failed = a.stmt(x.X, p)
		second, failed := a.stmt(x.Y, failed)
		return done.join(second), failed
	default: // pipes: both sides in shells of their own
		a.stmt(x.X, p)
		a.stmt(x.Y, p)
		return p, p
	}
}

func (a *analyzer) ifClause(x *syntax.IfClause, p place) place {
	if x == nil {
		return p
	}
	end := a.list(x.Cond, p)
	return a.list(x.Then, end).join(a.ifClause(x.Else, end))
}

// loop walks a body that may run many times. If it moves, nobody knows where
// the later turns begin.
func (a *analyzer) loop(x syntax.Node, p place, body func(place)) place {
	if moves(x) {
		p.unknown = true
	}
	body(p)
	return p
}

func (a *analyzer) forLoop(l syntax.Loop, p place) {
	switch x := l.(type) {
	case *syntax.WordIter:
		a.sets(x.Name.Value)
		a.look(a.words(x.Items, p), p)
	case *syntax.CStyleLoop:
		for _, e := range []syntax.ArithmExpr{x.Init, x.Cond, x.Post} {
			a.arithm(e, p)
		}
	}
}

func (a *analyzer) caseClause(x *syntax.CaseClause, p place) place {
	a.look([]word{a.word(x.Word, p)}, p)
	end := p
	for _, item := range x.Items {
		for _, pattern := range item.Patterns {
			a.word(pattern, p)
		}
		end = end.join(a.list(item.Stmts, end))
	}
	return end
}

// function walks a body, which runs where nobody knows.
func (a *analyzer) function(x *syntax.FuncDecl, p place) {
	if x.Name != nil {
		a.out.functions = append(a.out.functions, x.Name.Value)
	}
	if moves(x) {
		a.out.lost = true
	}
	if x.Body != nil {
		a.stmt(x.Body, p)
	}
}

// coproc walks what runs beside the shell. A name may stand in front of a
// compound command only; elsewhere the word, which the parser may yet take for
// a name, is what runs.
func (a *analyzer) coproc(x *syntax.CoprocClause, p place) {
	if x.Stmt == nil {
		return
	}
	if x.Name != nil && !compound(x.Stmt.Cmd) || startsWithAssignment(x.Stmt.Cmd) {
		a.runsText("what coproc runs is not certain")
	}
	if x.Name != nil {
		a.word(x.Name, p)
	}
	a.stmt(x.Stmt, p)
}

func compound(c syntax.Command) bool {
	switch c.(type) {
	case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause:
		return true
	}
	return false
}

// startsWithAssignment tells whether a call's first word looks like one.
func startsWithAssignment(c syntax.Command) bool {
	call, ok := c.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && len(call.Assigns) == 0 && strings.Contains(call.Args[0].Lit(), "=")
}

// look notes words that belong to no command.
func (a *analyzer) look(ws []word, p place) {
	for _, w := range ws {
		a.out.words = append(a.out.words, placedWord{w, p})
	}
}

// moves tells whether something in the tree may change the folder. Words that
// are not known may be anything.
func moves(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return !found
		}
		for _, w := range call.Args {
			switch w.Lit() {
			case "cd", "pushd", "popd", "":
				found = true
			}
		}
		return !found
	})
	return found
}
