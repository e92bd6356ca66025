package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestReadme runs every shell block of the README in a copy of the repository,
// one script per block. A comment "# exit N" states the exit code of the command
// behind it; everything else has to succeed. The command that runs the tests is
// left out, since it is running.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("the README runs the whole quickstart several times")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(readme, -1)
	if len(blocks) < 5 {
		t.Fatalf("%d shell blocks found", len(blocks))
	}
	dir := t.TempDir()
	for i, b := range blocks {
		needs := ""
		if bytes.Contains(b[1], []byte("| jq ")) {
			needs = "[!exec:jq] skip 'jq is not installed'\n"
		}
		script := fmt.Sprintf("# README block %d\n%scd repo\nexec sh -e ../block.sh\n-- block.sh --\n%s", i+1, needs, shell(b[1]))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("readme_%02d.txtar", i+1)), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir: dir, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			setupGo(e)
			return copyRepo(filepath.Join(e.WorkDir, "repo"))
		},
	})
}

// shell turns a block into a script that fails where the README would be wrong.
func shell(block []byte) string {
	var out bytes.Buffer
	exit := ""
	for line := range strings.Lines(string(block)) {
		switch code, ok := strings.CutPrefix(strings.TrimSpace(line), "# exit "); {
		case ok:
			exit = code
		case strings.TrimSpace(line) == "go test ./...":
		case exit != "" && strings.TrimSpace(line) != "":
			fmt.Fprintf(&out, "code=0\n%s || code=$?\ntest $code = %s\n", strings.TrimSuffix(line, "\n"), exit)
			exit = ""
		default:
			out.WriteString(line)
		}
	}
	return out.String()
}

// setupGo lets the go command work in a script: it needs its caches.
func setupGo(e *testscript.Env) {
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY", "GOTOOLCHAIN"} {
		e.Setenv(name, goEnv(name))
	}
}

// copyRepo copies the files of a clone: everything but hidden folders and what
// builds and runs leave behind.
func copyRepo(to string) error {
	const from = "../.."
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || rel == "bin" || rel == filepath.Join("examples", "out")) {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o600)
	})
}
