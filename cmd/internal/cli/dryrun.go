package cli

import (
	"encoding/json"

	"github.com/acpctl/acpctl/output"
	"github.com/acpctl/acpctl/recipes"
)

// printPlan prints what a run would do, secrets masked: YAML for people, JSON
// with -o json.
func (a *app) printPlan(plan *recipes.Plan, o *runOptions) error {
	view := plan.View()
	text, err := recipes.YAML(view)
	if o.format == formatJSON {
		text, err = json.MarshalIndent(view, "", "  ")
		text = append(text, '\n')
	}
	if err != nil {
		return err
	}
	_, err = a.env.Stdout.Write(output.NewRedactor(plan.SecretValues()).Bytes(text))
	return err
}
