package cli

import (
	"context"
	"slices"

	"github.com/acpctl/acpctl/agentcore/tool"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/recipes"
)

// steps runs the commands of run steps for the runner.
type steps struct {
	commander
	environ []string // what every command gets
}

// newSteps gives commands the environment without the recipe's secrets and the
// keys of model providers: a command of a recipe needs neither, and what it
// prints goes into prompts.
func newSteps(env *Env, secrets []string) *steps {
	return &steps{environ: env.marked(tool.ShellEnviron(env.Environ, secrets...))}
}

// Run adapts the commander to recipes.
func (s *steps) Run(ctx context.Context, c recipes.Command) (recipes.CommandResult, error) {
	environ := slices.Concat(s.environ, c.Env)
	code, stdout, stderr, truncated, err := s.commander.Run(ctx, c.Script, c.Dir, environ)
	return recipes.CommandResult{ExitCode: code, Stdout: stdout, Stderr: stderr, Truncated: truncated}, asError(err)
}

// asError keeps a nil error nil and makes every other one a failure.
func asError(err error) error {
	if err == nil {
		return nil
	}
	return event.AsFailure(err)
}
