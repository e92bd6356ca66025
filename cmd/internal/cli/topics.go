package cli

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed topics/*.txt
var topicFiles embed.FS

// topics returns the help topics: commands without a run function, which cobra
// lists apart from the commands.
func topics() []*cobra.Command {
	var list []*cobra.Command
	for _, t := range []struct{ name, short string }{
		{"exit-codes", "What each exit code means"},
		{"events", "The event stream of -o ndjson"},
		{"rules", "The language of permission rules"},
		{"expressions", "jq expressions in recipes"},
		{"environment", "Environment variables"},
	} {
		text, err := topicFiles.ReadFile("topics/" + t.name + ".txt")
		if err != nil {
			continue // every name above is embedded; a test walks them
		}
		list = append(list, &cobra.Command{Use: t.name, Short: t.short, Long: strings.TrimSpace(string(text))})
	}
	return list
}
