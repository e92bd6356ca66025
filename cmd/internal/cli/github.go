package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// writeGitHubOutput appends the outputs of a run to the file that GITHUB_OUTPUT
// names, if it names one. Values go in as heredocs whose delimiter occurs in
// none of them, so a value cannot set another output.
func (a *app) writeGitHubOutput(outputs map[string]any) error {
	path, ok := a.env.Getenv("GITHUB_OUTPUT")
	if !ok || path == "" || len(outputs) == 0 {
		return nil
	}
	f, err := os.OpenFile(a.abs(path), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("writing GITHUB_OUTPUT: %w", err)
	}
	_, err = f.WriteString(gitHubOutput(outputs))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("writing GITHUB_OUTPUT: %w", err)
	}
	return nil
}

func gitHubOutput(outputs map[string]any) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		value := outputText(outputs[name])
		delimiter := "ACPCTL_EOF"
		for strings.Contains(value, delimiter) {
			delimiter += "_"
		}
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", name, delimiter, value, delimiter)
	}
	return b.String()
}

// outputText is a value as a CI variable: strings bare, the rest JSON.
func outputText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
