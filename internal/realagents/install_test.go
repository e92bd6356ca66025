//go:build unix

package realagents

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// newer is the package that has the Node.js which some agents need.
const newer = "node@22"

// install puts a package into a folder of its own, unless it is there, and
// returns its node_modules. A registry that does not answer skips the test.
func install(t *testing.T, root, spec string) string {
	t.Helper()
	dir := filepath.Join(root, strings.NewReplacer("/", "_", "@", "_").Replace(spec))
	modules := filepath.Join(dir, "node_modules")
	done := filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err == nil {
		return modules
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", spec)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("skipped: npm cannot install %s: %v: %s", spec, err, lastOf(string(out)))
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return modules
}

// node returns a Node.js that is new enough for the agent.
func node(t *testing.T, root string, a *agent) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("skipped: there is no node")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("skipped: there is no npm")
	}
	if !a.node22 || major(t, path) >= 22 {
		return path
	}
	return filepath.Join(install(t, root, newer), ".bin", "node")
}

func major(t *testing.T, node string) int {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), node, "--version").Output()
	if err != nil {
		t.Skipf("skipped: %s --version: %v", node, err)
	}
	number, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), ".")
	n, _ := strconv.Atoi(number)
	return n
}

// version is the one that was installed.
func version(modules, pkg string) string {
	out, err := os.ReadFile(filepath.Join(modules, pkg, "package.json"))
	if err != nil {
		return "?"
	}
	for line := range strings.Lines(string(out)) {
		var v string
		if n, _ := fmt.Sscanf(strings.TrimSpace(line), `"version": %q`, &v); n == 1 {
			return v
		}
	}
	return "?"
}

func lastOf(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
