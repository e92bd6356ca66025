package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/recipes"
)

// projectFile is the file of a project's layer, in the folder of the session or
// the nearest one above it.
const projectFile = ".acpctl.yaml"

// overrideLayers reads what the user and the project say for every run: rules
// that deny or ask, and lower limits.
func (a *app) overrideLayers(_ *runOptions, over *recipes.Override) error {
	dir := over.Cwd
	if dir == "" {
		dir = a.env.Dir
	}
	for _, l := range []struct {
		file  string
		layer policy.Layer
	}{{a.userConfig(), policy.LayerUser}, {a.projectConfig(dir), policy.LayerProject}} {
		if l.file == "" {
			continue
		}
		src, err := os.ReadFile(l.file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return usageErrorf("reading configuration: %v", err)
		}
		layer, err := recipes.ParseLayer(src, l.file, l.layer)
		if err != nil {
			return usageError(err.Error())
		}
		over.Layers = append(over.Layers, layer)
	}
	return nil
}

// userConfig is the user's file, whether it is there or not; empty where there is
// no place for one.
func (a *app) userConfig() string {
	if dir, ok := a.env.Getenv("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "acpctl", "config.yaml")
	}
	if home, ok := a.env.Getenv("HOME"); ok && filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "acpctl", "config.yaml")
	}
	return ""
}

// projectConfig looks for the project's file from dir upwards.
func (a *app) projectConfig(dir string) string {
	for {
		file := filepath.Join(dir, projectFile)
		if _, err := os.Stat(file); err == nil {
			return file
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
