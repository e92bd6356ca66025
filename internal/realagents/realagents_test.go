//go:build unix

package realagents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acpctl/acpctl/internal/fakemodel"
)

// The environment chooses the agents (names by commas, or all), where they are
// installed, and whether the table of docs/agents is rewritten.
const (
	envAgents = "ACPCTL_REALAGENTS"
	envDir    = "ACPCTL_REALAGENTS_DIR"
	envUpdate = "ACPCTL_REALAGENTS_UPDATE"
)

func TestRealAgents(t *testing.T) {
	names := os.Getenv(envAgents)
	if names == "" {
		t.Skipf("skipped: set %s to all, or run make realagents", envAgents)
	}
	root := os.Getenv(envDir)
	if root == "" {
		root = filepath.Join(os.TempDir(), "acpctl-realagents")
	}
	tools := t.TempDir()
	acpctl, mcp := build(t, tools, "./cmd/acpctl"), build(t, tools, "./examples/repostat")
	table := newTable()
	for i := range agents {
		a := &agents[i]
		if names != "all" && !slices.Contains(strings.Split(names, ","), a.name) {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			b := start(t, a, root)
			b.acpctl, b.mcp = acpctl, mcp
			for _, c := range cases {
				if a.modelless && c.needsModel {
					table.set(c.name, a, "fixed turn")
					continue
				}
				t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
					table.set(c.name, a, "FAILED")
					table.set(c.name, a, c.run(t, b))
				})
			}
		})
	}
	if os.Getenv(envUpdate) != "" && !t.Failed() {
		if err := os.WriteFile("../../docs/agents/README.md", []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Log("\n" + table.String())
}

func build(t *testing.T, dir, pkg string) string {
	t.Helper()
	out := filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", out, pkg)
	cmd.Dir = "../.."
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v: %s", pkg, err, msg)
	}
	return out
}

// start installs an agent and gives it a home and a model.
func start(t *testing.T, a *agent, root string) *bench {
	t.Helper()
	node := node(t, root, a)
	modules := install(t, root, a.pkg+"@"+a.version)
	a.version = version(modules, a.pkg)
	b := &bench{a: a, home: t.TempDir(), servers: fakemodel.NewServer(), mark: fmt.Sprintf("ACPCTL_REALAGENT=%s-%d", a.name, os.Getpid())}
	t.Cleanup(b.servers.Close)
	if err := a.prepare(b.home, b.servers.URL); err != nil {
		t.Fatal(err)
	}
	b.argv = a.command(modules, node)
	name, value, _ := strings.Cut(b.mark, "=")
	b.env = map[string]string{
		name: value, "HOME": b.home, "PATH": filepath.Dir(node) + ":" + os.Getenv("PATH"),
		"XDG_CONFIG_HOME": b.home + "/.config", "XDG_DATA_HOME": b.home + "/.local/share",
		"XDG_CACHE_HOME": b.home + "/.cache", "XDG_STATE_HOME": b.home + "/.local/state",
	}
	for k, v := range a.env {
		b.env[k] = filled(v, b.home, b.servers.URL)
	}
	return b
}
