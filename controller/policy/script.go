package policy

import (
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Limits on hostile input. A command beyond one of them is taken as one that
// cannot be parsed, so no rule with a pattern allows it.
const (
	maxText     = 128 << 10 // bytes of one command line; agents send whole files in here-documents
	maxNesting  = 100       // brackets open at one time; parser and judgement are recursive
	maxTexts    = 64        // texts within a text, as in sh -c "sh -c ..."
	maxDepth    = 8         // how deep they may stand within each other
	maxCommands = 4096      // simple commands, those behind wrappers included
	maxWords    = 1 << 16   // words of all of them
	maxWraps    = 32        // wrappers within each other
	maxBraces   = 64        // words out of one brace expansion
)

// script is what a command line would run, as far as its text tells.
type script struct {
	ok       bool   // the text could be parsed
	fault    string // why not
	commands []*command
	redirs   []*redirect
	words    []placedWord // further words that may name files
	// bars are reasons why no rule with a pattern can allow the script.
	bars []string
	// opaque says that it runs text which is not known, so it might do anything.
	opaque    bool
	functions []string
	// aside are texts in variables; only denies look at them.
	aside []*script
	lost  bool // where the shell stands is not known to those who look later
}

// command is one simple command.
type command struct {
	assigns []assign
	words   []word
	name    string // the program's, as tables and denies know it
	place   place
	free    bool // needs no rule by itself
	// wraps is what the command runs, where it is a wrapper.
	wraps *wrapped
	// nested are the script texts of the command.
	nested []*script
}

// assign is an assignment in front of a command.
type assign struct {
	name  string
	value word
	never bool // a name that can choose what runs
	bad   bool // no pattern allows the value: part of it is not known
}

// wrapped is a command within a wrapper's words.
type wrapped struct {
	clear bool // allow rules look through as well
	// inner are the commands that the words can be read as: one, where all
	// options before it are known.
	inner []innerCommand
	// lost says that the words do not tell what runs.
	lost bool
}

// innerCommand is a command among the words of another, from start up to end.
type innerCommand struct {
	*command
	start, end int
}

// redirect is a redirection to or from a file.
type redirect struct {
	kind   kindSet // read or edit
	target word
	place  place
	bare   bool // there is no command
}

// placedWord is a word with the folders it may be relative to.
type placedWord struct {
	word  word
	place place
}

// place is where the shell may stand.
type place struct {
	cwds    []string
	unknown bool
}

func (p place) join(q place) place {
	out := place{cwds: p.cwds, unknown: p.unknown || q.unknown}
	for _, cwd := range q.cwds {
		if !slices.Contains(out.cwds, cwd) {
			out.cwds = append(slices.Clip(out.cwds), cwd)
		}
	}
	return out
}

// sure is the one folder that the shell stands in, if that is known.
func (p place) sure() (string, bool) {
	if p.unknown || len(p.cwds) != 1 {
		return "", false
	}
	return p.cwds[0], true
}

func newParsers() *sync.Pool {
	return &sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}
}

// parse reads a command line. The second result says why it cannot be read.
func parse(parsers *sync.Pool, text string) (*syntax.File, string) {
	switch {
	case len(text) > maxText:
		return nil, "it is too long to be judged"
	case hasControl(text):
		return nil, "it holds a control character"
	case tooDeep(text):
		return nil, "it is nested too deeply to be judged"
	}
	parser := parsers.Get().(*syntax.Parser)
	file, err := parser.Parse(strings.NewReader(text), "")
	if err != nil {
		// A parser that failed may keep what it had read; it is not used again.
		return nil, "it cannot be parsed as shell"
	}
	parsers.Put(parser)
	return file, ""
}

// tooDeep counts brackets that open a level, without regard to quotes. What
// slips through costs stack, of which a text of this length cannot use up much.
func tooDeep(text string) bool {
	if len(text) <= maxNesting {
		return false
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth = max(0, depth-1)
		}
		if depth > maxNesting {
			return true
		}
	}
	return false
}
