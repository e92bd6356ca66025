package archtest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDependencyRecord holds the direct modules of go.mod against the decision
// record, both ways.
func TestDependencyRecord(t *testing.T) {
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	record, err := os.ReadFile("../../../docs/adr/0006-dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	direct := matches(`(?m)^\t(\S+) v\S+$`, string(mod))
	recorded := matches(`(?m)^\| (\S+\.\S+/\S+|mvdan\S+|gopkg\S+) \|`, string(record))
	for _, m := range direct {
		if !slices.Contains(recorded, m) {
			t.Errorf("%s is in go.mod and not in the dependency record", m)
		}
	}
	for _, m := range recorded {
		if !slices.Contains(direct, m) {
			t.Errorf("%s is in the dependency record and no direct module of go.mod", m)
		}
	}
	if len(direct) == 0 || strings.Contains(string(mod), "replace ") {
		t.Errorf("go.mod: %d direct modules, replace directives are not allowed", len(direct))
	}
}

func matches(pattern, text string) []string {
	var list []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}
