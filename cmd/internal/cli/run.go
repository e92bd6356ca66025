package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/recipes"
)

const runLong = `Run a recipe: open an agent, take the steps in order, answer permissions and
questions by the recipe's rules, stream events, and end with one result.

The format is text on a terminal and ndjson otherwise; -o changes it. The recipe
is checked whole before anything starts.`

func newRun(a *app) *cobra.Command {
	o := &runOptions{}
	var inputs []string
	var inputsFile string
	var dryRun bool
	cmd := &cobra.Command{
		Use:     "run RECIPE [flags]",
		Short:   "Run a recipe",
		Long:    runLong,
		Example: "  acpctl run recipe.yaml\n  acpctl run recipe.yaml -i path=src --timeout 20m | jq -r 'select(.type==\"message\").text'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageErrorf("run takes one recipe, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.prepare(cmd, o); err != nil {
				return err
			}
			plan, err := a.loadRecipe(args[0], inputs, inputsFile, o)
			if err != nil {
				return err
			}
			if dryRun {
				return a.printPlan(plan, o)
			}
			return a.execute(cmd.Context(), plan, o, "none")
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&inputs, "input", "i", nil, "input of the recipe, as name=value")
	f.StringVar(&inputsFile, "inputs", "", "file with inputs, as a JSON or YAML mapping")
	f.BoolVar(&dryRun, "dry-run", false, "check everything, print the resolved recipe, start nothing")
	addRunFlags(cmd, o)
	return cmd
}

// prepare takes the environment's values and finds flags that make no sense.
func (a *app) prepare(cmd *cobra.Command, o *runOptions) error {
	if err := a.bindEnviron(cmd); err != nil {
		return err
	}
	return o.checkFlags()
}

// loadRecipe parses and resolves a recipe with the flags on top.
func (a *app) loadRecipe(file string, inputs []string, inputsFile string, o *runOptions) (*recipes.Plan, error) {
	src, err := os.ReadFile(a.abs(file))
	if err != nil {
		return nil, usageErrorf("reading recipe: %v", err)
	}
	recipe, err := recipes.Parse(src, file)
	if err != nil {
		return nil, usageError(err.Error())
	}
	flags, err := pairsOf("-i", inputs)
	if err != nil {
		return nil, err
	}
	values, err := a.readInputs(inputsFile)
	if err != nil {
		return nil, err
	}
	load := a.loadOptions(file)
	if load.Override, err = a.overrides(o); err != nil {
		return nil, err
	}
	plan, err := recipe.Resolve(recipes.Inputs{Flags: flags, File: values, Env: a.inputVariables()}, load)
	if err != nil {
		return nil, usageError(err.Error())
	}
	return plan, nil
}

// execute runs a plan to its result and leaves the exit code in the app.
func (a *app) execute(ctx context.Context, plan *recipes.Plan, o *runOptions, stdin string) error {
	r, err := a.newRunner(plan, o, stdin)
	if err != nil {
		return err
	}
	a.code = r.run(ctx)
	return errReported
}
