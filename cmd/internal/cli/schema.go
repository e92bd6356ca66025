package cli

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/recipes"
)

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:       "schema {recipe | event}",
		Short:     "Print the JSON Schema of recipes or of events",
		Long:      "Print the JSON Schema (2020-12) of recipes or of the lines of -o ndjson.",
		Example:   "  acpctl schema recipe > recipe.schema.json",
		ValidArgs: []string{"recipe", "event"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] != "recipe" && args[0] != "event" {
				return usageError("schema takes one of recipe, event")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			schema, err := event.Schema()
			if args[0] == "recipe" {
				schema, err = recipes.Schema()
			}
			if err != nil {
				return err
			}
			_, err = a.env.Stdout.Write(append(bytes.TrimRight(schema, "\n"), '\n'))
			return err
		},
	}
}
