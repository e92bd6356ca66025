package recipes

import (
	"path/filepath"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/recipes/expr"
)

// Recipe is a parsed recipe: every key is known, every expression compiles and
// names what exists. Inputs, files and the environment are not bound yet.
type Recipe struct {
	src         *source
	name        string
	inputs      []*input
	secrets     []*yaml.Node
	agent       *agentDecl
	settings    settings
	cwd         *text
	addDirs     []*text
	from        fromDecl
	client      Client
	servers     []*serverDecl
	mcpFiles    []*text
	permissions *permissionsDecl
	questions   *questionsDecl
	limits      limitsDecl
	steps       []*step
	outputs     []binding
	names       *names
}

// settings are what is selected in a session.
type settings struct {
	models       []*text
	effort, mode *text
	config       map[string]tree
}

// Limits bound a run or a step. Zero is no limit.
type Limits struct {
	Time      time.Duration // wall time
	Idle      time.Duration // silence of the agent in a turn
	ToolCalls int
	Turns     int
	// Grace is how long a proper end may take; zero is 10 s, and 2 s after a
	// signal. Of a run only.
	Grace time.Duration
}

// DefaultIdle is how long an agent may be silent in a turn when nothing else is
// said: a turn without any limit would wait for ever on an agent that hangs.
const DefaultIdle = 15 * time.Minute

// limitsDecl are limits with a word on what was written.
type limitsDecl struct {
	Limits
	idle bool // Idle was written
}

// The kinds of steps, as in step.start.
const (
	kindPrompt = "prompt"
	kindRun    = "run"
	kindSet    = "set"
)

// step is one entry of steps.
type step struct {
	src       *source
	node      *yaml.Node
	id        string
	anonymous bool // the id is ours
	kind      string
	scope     *scope // of its expressions
	condition *condition
	asserts   []assertion
	goOn      bool // continueOnError

	// Of a prompt step.
	prompt      *promptDecl
	output      *outputDecl
	fresh       bool // session: new
	settings    settings
	permissions *permissionsDecl
	limits      limitsDecl

	// Of a run step.
	script string
	env    []variableDecl
	parse  string // json, lines or none

	set []binding
}

// condition is the if of a step.
type condition struct {
	src  *source
	node *yaml.Node
	code *expr.Code
	own  bool // names one of the status words, so success is not required beside it
}

// assertion is one condition on a step's result.
type assertion struct {
	node    *yaml.Node
	that    *expr.Code
	message *text
}

// promptDecl is the prompt of a step: a text, or a file with variables.
type promptDecl struct {
	text *text
	file *text
	vars map[string]tree
}

// outputDecl is structured output as declared.
type outputDecl struct {
	src     *source
	node    *yaml.Node
	file    *text // nil: inline
	inline  any
	text    []byte // the schema itself, instead, which stands or would stand at path
	path    string
	retries int
}

// defaultRetries is how often an agent is asked again for output that fits: once
// corrects what it did not know, more is for those who want to pay for it.
const defaultRetries = 1

// variableDecl is an environment variable or a header.
type variableDecl struct {
	name  string
	value *text
}

// members are the names that a step's result may have.
func (s *step) members() []string {
	list := []string{
		"status", "reason", "exitCode", "text", "output", "outputAttempts", "stopReason", "sessionId", "toolCalls", "changes", "denials", "uncovered",
		"usage", "stdout", "stderr", "json", "lines", "durationMs",
	}
	for _, b := range s.set {
		list = append(list, b.name)
	}
	return list
}

// shownName is the recipe's name, else its file's.
func (r *Recipe) shownName() string {
	if r.name != "" {
		return r.name
	}
	base := filepath.Base(r.src.file)
	return base[:len(base)-len(filepath.Ext(base))]
}
