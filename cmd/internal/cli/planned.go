package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// What the documentation of the product announces and this version has not got
// is refused by name, so that nobody looks for a spelling mistake.
var (
	plannedCommands = map[string]bool{
		"mcp": true, "report": true,
		"config": true, "doctor": true, "init": true,
	}
	plannedFlags = map[string]bool{
		"items": true, "jobs": true, "shard": true, "run-dir": true, "resume-run": true, "only": true,
		"from": true, "report": true, "replay": true, "max-cost": true, "attach": true,
	}
)

// flagError turns a flag error of cobra into a usage error that says where the
// valid flags are listed, and what was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	message := err.Error()
	if name := unknownFlag(message); name != "" {
		if plannedFlags[name] {
			return usageError("flag --" + name + " is not supported in this version")
		}
		hints := []string{"run '" + cmd.CommandPath() + " --help' for the list of flags"}
		if near := nearestFlag(cmd, name); near != "" {
			hints = append([]string{"did you mean --" + near + "?"}, hints...)
		}
		return usageError("unknown flag --"+name, hints...)
	}
	return usageError(message, "run '"+cmd.CommandPath()+" --help' for the list of flags")
}

// unknownFlag takes the name out of pflag's message, which has no type.
func unknownFlag(message string) string {
	m := regexp.MustCompile(`^unknown flag: --([^=\s]+)`).FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(m[1])
}
