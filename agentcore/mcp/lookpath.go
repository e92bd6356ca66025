package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// lookPath finds the program of a server: on the PATH that the server gets, not
// on ours. Relative folders of PATH are passed over, since they would make the
// session's folder choose the program.
func lookPath(command string, env []string) (string, error) {
	exts := extensions(env)
	if filepath.IsAbs(command) {
		return firstProgram(command, exts)
	}
	for _, dir := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := firstProgram(filepath.Join(dir, command), exts); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not on PATH", command)
}

// firstProgram tries the path itself and, on Windows, with each extension, so
// that "npx" finds npx.cmd.
func firstProgram(path string, exts []string) (string, error) {
	err := checkProgram(path)
	if err == nil {
		return path, nil
	}
	for _, ext := range exts {
		if checkProgram(path+ext) == nil {
			return path + ext, nil
		}
	}
	return "", err
}

func checkProgram(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case runtime.GOOS == "windows" && filepath.Ext(path) == "", runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not executable", path)
	}
	return nil
}

func extensions(env []string) []string {
	if runtime.GOOS != "windows" {
		return nil
	}
	if list := lookup(env, "PATHEXT"); list != "" {
		return strings.Split(list, ";")
	}
	return []string{".com", ".exe", ".bat", ".cmd"}
}

// lookup returns the last value of a variable, which is the one that counts.
func lookup(env []string, name string) string {
	value := ""
	for _, line := range env {
		n, v, _ := strings.Cut(line, "=")
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			value = v
		}
	}
	return value
}
