package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/recipes"
)

// validateOptions are the flags of validate.
type validateOptions struct {
	inputs []string
	asJSON bool
}

const validateLong = `Check recipes without starting anything: keys, types, expressions, permission
rules and their tests, schemas, referenced files. All problems are printed at
once, each with file:line:column and an excerpt.`

func newValidate(a *app) *cobra.Command {
	o := &validateOptions{}
	cmd := &cobra.Command{
		Use:     "validate RECIPE...",
		Short:   "Check recipes without starting anything",
		Long:    validateLong,
		Example: "  acpctl validate recipe.yaml\n  acpctl validate --json recipes/*.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("validate needs at least one recipe")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.validate(o, args) },
	}
	cmd.Flags().StringArrayVarP(&o.inputs, "input", "i", nil, "input of the recipe, as name=value")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object per problem on stdout")
	return cmd
}

// validate checks every file, prints all problems, and fails when there is one.
func (a *app) validate(o *validateOptions, files []string) error {
	var problems []recipes.Problem
	for _, file := range files {
		found, err := a.problemsOf(file, o.inputs)
		if err != nil {
			return err
		}
		problems = append(problems, found...)
		if len(found) == 0 && !o.asJSON {
			fmt.Fprintf(a.env.Stdout, "%s: ok\n", file)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	a.code = usageError("").ExitCode()
	if o.asJSON {
		return a.printProblemsJSON(problems)
	}
	a.printFailure(usageError((&recipes.ParseError{Problems: problems}).Error()))
	return errReported
}

func (a *app) problemsOf(file string, inputs []string) ([]recipes.Problem, error) {
	src, err := os.ReadFile(a.abs(file))
	if err != nil {
		return nil, usageErrorf("reading recipe: %v", err)
	}
	recipe, err := recipes.Parse(src, file)
	if err != nil {
		return asProblems(err)
	}
	flags, err := pairsOf("-i", inputs)
	if err != nil {
		return nil, err
	}
	return asProblems(recipe.Check(recipes.Inputs{Flags: flags, Env: a.inputVariables()}, a.loadOptions(file)))
}
