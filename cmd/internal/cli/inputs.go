package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/acpctl/acpctl/recipes"
)

// pairsOf splits name=value arguments of a flag; a name given twice is an error.
func pairsOf(flag string, list []string) (map[string]string, error) {
	out := make(map[string]string, len(list))
	for _, entry := range list {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" {
			return nil, usageErrorf("%s %q is not of the form name=value", flag, entry)
		}
		if _, twice := out[name]; twice {
			return nil, usageErrorf("%s %s is given twice", flag, name)
		}
		out[name] = value
	}
	return out, nil
}

// inputVariables are the recipe inputs that the environment gives:
// ACPCTL_INPUT_name.
func (a *app) inputVariables() map[string]string {
	const prefix = "ACPCTL_INPUT_"
	out := map[string]string{}
	for _, entry := range a.env.Environ {
		if name, value, ok := strings.Cut(entry, "="); ok && strings.HasPrefix(name, prefix) {
			out[strings.TrimPrefix(name, prefix)] = value
		}
	}
	return out
}

// readInputs reads --inputs: a JSON or YAML mapping.
func (a *app) readInputs(file string) (map[string]any, error) {
	if file == "" {
		return nil, nil
	}
	src, err := os.ReadFile(a.abs(file))
	if err != nil {
		return nil, usageErrorf("reading inputs: %v", err)
	}
	values, err := recipes.ParseInputs(src, file)
	if err != nil {
		return nil, usageError(err.Error())
	}
	return values, nil
}

// loadOptions resolve what a recipe names: files relative to its folder, and
// variables of the environment.
func (a *app) loadOptions(recipeFile string) *recipes.LoadOptions {
	dir := filepath.Dir(a.abs(recipeFile))
	return &recipes.LoadOptions{
		RecipeDir: dir, Cwd: a.env.Dir, ReadFile: os.ReadFile, Getenv: a.env.Getenv,
	}
}

// asProblems takes the problems out of a parse error; any other error stays one.
func asProblems(err error) ([]recipes.Problem, error) {
	if p := new(recipes.ParseError); errors.As(err, &p) {
		return p.Problems, nil
	}
	return nil, err
}

func (a *app) printProblemsJSON(problems []recipes.Problem) error {
	enc := json.NewEncoder(a.env.Stdout)
	enc.SetEscapeHTML(false)
	for _, p := range problems {
		if err := enc.Encode(p); err != nil {
			return err
		}
	}
	return errReported
}
