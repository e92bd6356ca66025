package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/controller/event"
)

// acpVersion is the protocol version that this program speaks.
const acpVersion = 1

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program, of its event stream and of ACP",
		Long:    "Print the version of the program, of its event stream and of ACP.",
		Example: "  acpctl version\n  acpctl version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.printVersion(asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) printVersion(asJSON bool) error {
	if !asJSON {
		_, err := fmt.Fprintf(a.env.Stdout, "acpctl %s (events v%d, ACP %d, %s)\n",
			version(), event.Version, acpVersion, runtime.Version())
		return err
	}
	return json.NewEncoder(a.env.Stdout).Encode(map[string]any{
		"version": version(), "events": event.Version, "acp": acpVersion, "go": runtime.Version(),
	})
}

// version is the module's version from the build information; a build from a
// working tree is "devel".
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
