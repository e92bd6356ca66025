package controller

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
)

// lookup finds the program on the given path, not on that of this process, and
// never in the current folder.
func (c *Command) lookup() (string, *event.Failure) {
	if c.Dir != "" {
		if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
			return "", failf(event.ClassStart, "no_such_folder", "starting agent %q: the working directory %s is no folder", c.Argv[0], c.Dir)
		}
	}
	name := c.Argv[0]
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(cmp.Or(c.Dir, "."), path)
		}
		found, err := executable(path, c.extensions())
		if err != nil {
			return "", failf(event.ClassStart, "command_not_found", "starting agent %q: %v", name, err)
		}
		return absolute(found), nil
	}
	for _, dir := range filepath.SplitList(c.Path) {
		if dir == "" {
			continue // would be the current folder
		}
		if found, err := executable(filepath.Join(dir, name), c.extensions()); err == nil {
			return absolute(found), nil
		}
	}
	return "", failf(event.ClassStart, "command_not_found", "starting agent %q: no such command on PATH (%s)", name, c.Path)
}

// absolute keeps the program's path good after the change of folder.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// executable says whether a file can be run, trying the system's extensions.
func executable(path string, extensions []string) (string, error) {
	first := check(path)
	if first == nil {
		return path, nil
	}
	for _, ext := range extensions {
		if check(path+ext) == nil {
			return path + ext, nil
		}
	}
	return "", first
}

func check(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist", path)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case !isExecutable(path, info):
		return fmt.Errorf("%s is not executable", path)
	}
	return nil
}

// extensions are those that the system runs without being named, from the
// agent's environment; none on unix.
func (c *Command) extensions() []string {
	if !hasExtensions {
		return nil
	}
	for _, e := range c.Env {
		if name, value, ok := strings.Cut(e, "="); ok && strings.EqualFold(name, "PATHEXT") {
			return filepath.SplitList(strings.ToLower(value))
		}
	}
	return []string{".com", ".exe", ".bat", ".cmd"}
}
