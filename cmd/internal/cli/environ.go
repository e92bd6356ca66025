package cli

import (
	"slices"
	"strings"
)

// withoutNames returns environ without the named variables.
func withoutNames(environ, names []string) []string {
	if len(names) == 0 {
		return environ
	}
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
}
