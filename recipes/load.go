package recipes

import (
	"time"

	"github.com/acpctl/acpctl/controller/policy"
)

// Inputs are the values that a caller gives, by name. Flags win over the file,
// the file over the environment, and all of them over the recipe's defaults.
type Inputs struct {
	Flags map[string]string // read as the input's type
	File  map[string]any    // as JSON or YAML has them, see [ParseInputs]
	Env   map[string]string // read as the input's type; names that are no input are ignored
}

// LoadOptions is what a recipe is resolved with. Nil is a recipe that reads no
// file and sees no environment.
type LoadOptions struct {
	// RecipeDir is the folder of the recipe, absolute: what files that it names
	// are relative to. Cwd is the caller's. Required.
	RecipeDir, Cwd string
	// ReadFile reads a file by its absolute path. Nil: there are no files.
	ReadFile func(path string) ([]byte, error)
	// Getenv looks a variable up. Nil: none is set.
	Getenv func(name string) (string, bool)
	// Override is what the command line says; it wins over the recipe. Optional.
	Override *Override
}

// Override is what flags say. Zero values leave the recipe as it is.
type Override struct {
	Agent        *AgentSpec
	Models       []string
	Effort, Mode string
	Config       map[string]any
	Cwd          string   // absolute
	AddDirs      []string // absolute; added to the recipe's
	From         SessionFrom
	MCPFiles     []string // absolute; added to the recipe's servers
	Policies     []*Permissions
	Rules        *policy.Spec // of flags; added to all others
	Layers       []*Layer     // of the user and the project; they only tighten
	Time, Idle   time.Duration
	ToolCalls    int
	Answers      []Answer // come before the recipe's
	// AllowSecretInPrompt lifts the refusal of secrets in prompts.
	AllowSecretInPrompt bool
}

// Answer answers questions that match a regular expression, with an option's
// label or value or with free text.
type Answer struct{ Match, Text string }

// AgentSpec says which agent to start.
type AgentSpec struct {
	Core   bool              // the bundled one
	Script string            // of its scripted model, absolute; "" for none
	Argv   []string          // an exact command
	Env    map[string]string // added to the environment of the command

	URL     string     // of a remote agent: ws or wss
	Headers []Variable // sent with the request that opens it
	CAFile  string     // certificates that it is held against, absolute; "" for the system's
}

// MCPServer is a server for the agent to mount: Command for stdio, URL for http.
type MCPServer struct {
	Name, Type string // stdio or http
	Command    string
	Args       []string
	Env        []Variable
	URL        string
	Headers    []Variable
	Required   bool // the run fails when the agent could not mount it
}

// Variable is an environment variable or a header.
type Variable struct{ Name, Value string }

func (o *LoadOptions) override() *Override {
	if o == nil || o.Override == nil {
		return &Override{}
	}
	return o.Override
}

func (o *LoadOptions) getenv(name string) (string, bool) {
	if o == nil || o.Getenv == nil {
		return "", false
	}
	return o.Getenv(name)
}
