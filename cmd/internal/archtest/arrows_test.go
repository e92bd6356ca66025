package archtest

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/acpctl/acpctl"

// arrows says which packages of ours each package may import; "*" is every one
// but the test support. A package that is not listed is an error, so a new
// package needs a line here and a record of the decision.
var arrows = map[string][]string{
	"cmd/acpctl":                {"cmd/internal/cli"},
	"cmd/internal/archtest":     {},
	"cmd/internal/cli":          {"*"},
	"internal/jsonrpc":          {},
	"controller":                {"internal/jsonrpc", "controller/event", "controller/policy", "controller/transcript"},
	"controller/event":          {},
	"controller/policy":         {},
	"controller/transcript":     {},
	"controller/acptest":        {"internal/jsonrpc", "controller/transcript"},
	"recipes":                   {"controller/event", "controller/policy", "recipes/expr"},
	"recipes/expr":              {},
	"output":                    {"controller/event"},
	"agentcore":                 {"internal/jsonrpc", "agentcore/model", "agentcore/tool", "agentcore/store", "agentcore/mcp"},
	"agentcore/model":           {},
	"agentcore/model/offline":   {"agentcore/model"},
	"agentcore/model/sse":       {},
	"agentcore/model/wire":      {"agentcore/model", "agentcore/model/sse"},
	"agentcore/model/openai":    {"agentcore/model", "agentcore/model/wire"},
	"agentcore/model/anthropic": {"agentcore/model", "agentcore/model/wire"},
	"agentcore/tool":            {},
	"agentcore/store":           {},
	"agentcore/store/disk":      {"agentcore/store"},
	"agentcore/store/storetest": {"agentcore/store"},
	"agentcore/mcp":             {"agentcore/tool"},
	"examples/repostat":         {},
	"internal/bench":            {},
	"internal/fakemodel":        {},
	"internal/realagents":       {},
	"internal/bench/linecopy":   {},
	"internal/bench/agent":      {"controller/acptest"},
}

// owners says which packages may import each library; every library in use has
// a line. Tests are held to the same arrows but may use testOnly as well.
var owners = map[string][]string{
	"github.com/spf13/cobra":                   {"cmd/internal/cli", "cmd/gendocs"},
	"github.com/spf13/pflag":                   {"cmd/internal/cli"},
	"github.com/itchyny/gojq":                  {"recipes/expr"},
	"github.com/coder/acp-go-sdk":              {"controller", "controller/acptest", "agentcore", "internal/jsonrpc"},
	"github.com/fatih/color":                   {"output"},
	"gopkg.in/yaml.v3":                         {"recipes", "agentcore/model/offline"},
	"github.com/modelcontextprotocol/go-sdk":   {"agentcore/mcp", "examples/repostat"},
	"mvdan.cc/sh/v3":                           {"controller/policy"},
	"github.com/santhosh-tekuri/jsonschema/v6": {"controller", "recipes", "agentcore", "agentcore/tool", "agentcore/model"},
	"github.com/bmatcuk/doublestar/v4":         {"controller/policy", "agentcore/tool"},
	"golang.org/x/sys":                         {"internal/jsonrpc", "controller", "agentcore/tool", "agentcore/mcp", "agentcore/store/disk", "output", "cmd/internal/cli"},
	"github.com/coder/websocket":               {"internal/jsonrpc", "controller"},
	"golang.org/x/term":                        {"cmd/internal/cli"},
	"golang.org/x/text":                        {"controller/policy", "recipes"},
}

// testOnly are the libraries that only tests may import.
var testOnly = []string{"github.com/rogpeppe/go-internal", "github.com/google/go-cmp"}

func TestArrows(t *testing.T) {
	for _, p := range listPackages(t) {
		allowed, known := arrows[p.name]
		if !known {
			t.Errorf("package %s has no line in the table of arrows", p.name)
			continue
		}
		for _, imported := range p.imports {
			if ours, ok := strings.CutPrefix(imported, module+"/"); ok && !mayImport(allowed, ours) {
				t.Errorf("%s may not import %s", p.name, ours)
			}
		}
	}
}

func TestControllerAndAgentcoreMeetOnlyOverFrames(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, imported := range slices.Concat(p.imports, p.testImports) {
			ours := strings.TrimPrefix(imported, module+"/")
			if inside(p.name, "controller") && inside(ours, "agentcore") || inside(p.name, "agentcore") && inside(ours, "controller") {
				t.Errorf("%s imports %s", p.name, ours)
			}
		}
	}
}

func TestLibrariesHaveOwners(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, imported := range p.imports {
			lib, ok := library(imported)
			if ok && !slices.Contains(owners[lib], p.name) {
				t.Errorf("%s may not import %s", p.name, imported)
			}
		}
		for _, imported := range p.testImports {
			lib, ok := library(imported)
			if ok && owners[lib] == nil && !slices.Contains(testOnly, lib) {
				t.Errorf("tests of %s import %s, which has no owner", p.name, imported)
			}
		}
	}
}

// library returns the module of an import that is neither ours nor the standard
// library's.
func library(path string) (string, bool) {
	first, _, _ := strings.Cut(path, "/")
	if path == module || strings.HasPrefix(path, module+"/") || !strings.Contains(first, ".") {
		return "", false
	}
	for _, lib := range slices.Concat(slices.Collect(maps.Keys(owners)), testOnly) {
		if inside(path, lib) {
			return lib, true
		}
	}
	return path, true
}

func mayImport(allowed []string, p string) bool {
	if slices.Contains(allowed, "*") {
		return !inside(p, "controller/acptest") && !inside(p, "agentcore/store/storetest")
	}
	return slices.Contains(allowed, p)
}

func inside(p, folder string) bool { return p == folder || strings.HasPrefix(p, folder+"/") }
