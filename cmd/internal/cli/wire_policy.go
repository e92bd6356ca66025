package cli

import (
	"os"
	"path/filepath"

	"github.com/acpctl/acpctl/controller/policy"
)

// policyEnv is the world that rules are decided in, as far as a run knows it.
type policyEnv struct {
	cwd     string
	roots   []string // cwd first
	home    string
	servers []string // declared MCP server names
}

// forCall returns the world for one decision. Links are read at that moment,
// since an agent may have made them a moment ago.
func (e policyEnv) forCall() *policy.Env {
	return &policy.Env{Cwd: e.cwd, Roots: e.roots, Home: e.home, Servers: e.servers, Readlink: readlink}
}

// newPolicyEnv takes the folders as the file system names them, so that a
// workspace reached through a link is still inside itself.
func newPolicyEnv(env *Env, cwd string, addDirs, servers []string) policyEnv {
	home, _ := env.Getenv("HOME")
	roots := []string{cwd}
	roots = append(roots, addDirs...)
	return policyEnv{cwd: cwd, roots: roots, home: home, servers: servers}
}

// readlink is the one look at the disk that a decision takes.
func readlink(path string) (target string, isLink bool) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		return "", false
	}
	target, err = os.Readlink(path)
	return filepath.FromSlash(target), err == nil
}
