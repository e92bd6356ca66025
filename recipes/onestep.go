package recipes

import (
	"gopkg.in/yaml.v3"
)

// OneShot is a single prompt, as the command line has it.
type OneShot struct {
	Text       string
	Schema     []byte // of the final message; nil: none
	SchemaFile string // its name, for messages and relative references
	Override   *Override
}

// OneStep is the plan of a single prompt: a recipe of one step, whose text is
// taken as it is. The error is a *[ParseError].
func OneStep(one OneShot, opts *LoadOptions) (*Plan, error) {
	if opts == nil {
		opts = &LoadOptions{}
	}
	with := *opts
	with.Override = one.Override
	src := &source{}
	s := &step{
		src: src, node: &yaml.Node{Kind: yaml.MappingNode}, id: "prompt", kind: kindPrompt, scope: &scope{},
		prompt: &promptDecl{text: literalText(one.Text)},
	}
	if one.Schema != nil {
		s.output = &outputDecl{
			src: &source{file: one.SchemaFile}, node: s.node, retries: defaultRetries,
			text: one.Schema, path: absolute(with.Cwd, one.SchemaFile),
		}
	}
	r := &Recipe{src: src, steps: []*step{s}, names: &names{steps: map[string]*step{s.id: s}, order: map[string]int{s.id: 0}}}
	plan, err := r.Resolve(Inputs{}, &with)
	if plan != nil {
		plan.Name = ""
	}
	return plan, err
}
