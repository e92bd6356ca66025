package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

const rootLong = `acpctl drives coding agents that speak the Agent Client Protocol (ACP),
unattended: a YAML recipe or one prompt in, NDJSON events or plain text out, and
an exit code that tells what happened.

Exit codes, events, rules and expressions have help topics: acpctl help exit-codes`

// newRoot builds the command tree.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "acpctl",
		Short:         "Drive ACP coding agents from scripts and pipelines",
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newRun(a), newPrompt(a), newValidate(a), newPolicy(a), newAgent(a),
		newModels(a), newSessions(a), newAgents(a), newReplay(a), newSchema(a), newVersion(a))
	root.AddCommand(topics()...)
	return root
}

// unknownCommand names what the person probably meant.
func unknownCommand(cmd *cobra.Command, name string) error {
	hints := []string{"run 'acpctl --help' for the list of commands"}
	if s := cmd.SuggestionsFor(name); len(s) > 0 {
		hints = append([]string{"did you mean " + strings.Join(s, " or ") + "?"}, hints...)
	}
	if plannedCommands[name] {
		return usageError("command \""+name+"\" is not supported in this version", hints...)
	}
	return usageError("unknown command \""+name+"\"", hints...)
}
