package recipes

import (
	"context"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

// Plan is a recipe with everything bound that can be known before the start.
type Plan struct {
	Name        string // of the recipe, else of its file; "" for a single prompt
	Agent       AgentSpec
	Cwd         string   // absolute
	AddDirs     []string // absolute
	From        SessionFrom
	Client      Client
	MCPServers  []MCPServer
	Models      []string // the first one that the agent offers; none: the agent's own
	Limits      Limits   // of the run
	SecretNames []string // variables that agents and run steps do not inherit

	file        string
	inputs      map[string]any
	masked      []string // values to mask
	secrets     []string // values of the declared secrets, which must not stand in a prompt
	allowSecret bool
	selection   Selection
	flags       Selection // what flags select, also over a step's own words
	rules       *policy.Spec
	policy      *policy.Policy
	policyEnv   *policy.Env // the world of rules without its links
	onUncovered string
	onDeny      string
	onUnasked   string
	remember    bool
	questions   *Questions
	steps       []*planStep
	outputs     []binding
	values      values
	askKinds    []string
	warnings    []event.Warning
}

// Client are the services that the agent may use on this side.
type Client struct {
	FS       bool `json:"fs"`
	Terminal bool `json:"terminal"`
}

// planStep is a step with its files read.
type planStep struct {
	*step
	prompt *text // the text itself, also of a file
	schema *outputSchema
}

// outputSchema is a compiled schema with its text.
type outputSchema struct {
	compiled *jsonschema.Schema
	source   []byte // as JSON, compact
}

// SecretValues are the values to mask in everything that is written: of declared
// secrets, of environment variables that the recipe reads, and of what it gives
// to servers and headers.
func (p *Plan) SecretValues() []string { return slices.Clone(p.masked) }

// ServerNames are the names of the MCP servers.
func (p *Plan) ServerNames() []string {
	names := make([]string, len(p.MCPServers))
	for i, m := range p.MCPServers {
		names[i] = m.Name
	}
	return names
}

// Remember says whether an allow may be the agent's allow_always.
func (p *Plan) Remember() bool { return p.remember }

// AskKinds are the kinds of tool calls that some ask or deny rule is about, also
// one of a step, sorted.
func (p *Plan) AskKinds() []string { return slices.Clone(p.askKinds) }

// NeedsAgent says whether some step is a prompt.
func (p *Plan) NeedsAgent() bool {
	return slices.ContainsFunc(p.steps, func(s *planStep) bool { return s.kind == kindPrompt })
}

// SelectsModel says whether a model is selected before the first prompt, by the
// recipe, a flag, or every prompt step itself.
func (p *Plan) SelectsModel() bool {
	return len(p.Models) > 0 || !slices.ContainsFunc(p.steps, func(s *planStep) bool {
		return s.kind == kindPrompt && len(s.settings.models) == 0
	})
}

// ModelNames are the models that the recipe, a flag or a step names, as far as
// they are known before the start.
func (p *Plan) ModelNames() []string {
	names := slices.Clone(p.Models)
	for _, s := range p.steps {
		for _, t := range s.settings.models {
			if name, err := t.string(context.Background(), p.values); err == nil {
				names = append(names, name)
			}
		}
	}
	return names
}

// RunStart is the first event of a run. Stdin is none, pipe, file or ignored.
func (p *Plan) RunStart(version, stdin string) event.RunStart {
	name := p.Name
	return event.RunStart{Acpctl: version, Recipe: name, Inputs: p.inputs, Cwd: p.Cwd, Stdin: stdin}
}
