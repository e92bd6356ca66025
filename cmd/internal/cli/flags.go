package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/acpctl/acpctl/recipes/expr"
)

// bindEnviron gives every flag of cmd that was not set on the command line the
// value of its variable: --max-tool-calls is ACPCTL_MAX_TOOL_CALLS. Flags that
// widen what an agent may do have none, so that nothing ambient can widen a run.
// A list flag takes one value.
func (a *app) bindEnviron(cmd *cobra.Command) error {
	var err error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if err != nil || f.Changed || !hasVariable(f.Name) {
			return
		}
		name := variableOf(f.Name)
		value, ok := a.env.Getenv(name)
		if !ok || value == "" {
			return
		}
		if setErr := cmd.Flags().Set(f.Name, value); setErr != nil {
			err = usageErrorf("environment variable %s: %v", name, setErr)
		}
	})
	return err
}

// variableOf is the environment variable of a flag.
func variableOf(flag string) string {
	return "ACPCTL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// hasVariable says whether a flag can come from the environment.
func hasVariable(flag string) bool {
	return !slices.Contains([]string{"help", "version", "allow", "ask", "deny", "policy", "allow-bypass", "allow-secret-in-prompt", "dangerously-allow-all", "allow-terminal-auth"}, flag)
}

// enum is a flag with a fixed set of values; the set shows in the help, the
// completion and the error.
type enum struct {
	value   *string
	choices []string
}

func (e enum) String() string { return *e.value }
func (e enum) Type() string   { return strings.Join(e.choices, "|") }

// Set accepts one of the choices and nothing else.
func (e enum) Set(v string) error {
	if !slices.Contains(e.choices, v) {
		return usageErrorf("%q is not one of %s", v, strings.Join(e.choices, ", "))
	}
	*e.value = v
	return nil
}

// addEnum declares an enum flag with its completion.
func addEnum(cmd *cobra.Command, value *string, name, short, usage string, choices ...string) {
	cmd.Flags().VarP(enum{value, choices}, name, short, usage)
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(
		completions(choices), cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
}

func completions(choices []string) []cobra.Completion {
	list := make([]cobra.Completion, len(choices))
	copy(list, choices)
	return list
}

// nearestFlag is the flag of cmd that a wrong name probably means, else "".
func nearestFlag(cmd *cobra.Command, name string) string {
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	return expr.Nearest(name, known)
}
