package agentcore

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

// place is where a session works.
type place struct {
	Cwd  string
	Dirs []string // further roots
}

func (p place) roots() []string { return append([]string{p.Cwd}, p.Dirs...) }

// readPlace checks cwd and additionalDirectories. Both are never resolved against
// the working directory of this process.
func readPlace(cwd *string, dirs json.RawMessage) (place, error) {
	if cwd == nil {
		return place{}, invalid("cwd_not_absolute", "cwd is missing")
	}
	if err := checkDir(*cwd, "cwd"); err != nil {
		return place{}, err
	}
	p := place{Cwd: filepath.Clean(*cwd)}
	var list []string
	if len(dirs) > 0 {
		if err := json.Unmarshal(dirs, &list); err != nil {
			return place{}, invalid("invalid_params", "additionalDirectories must be a list of paths")
		}
	}
	for _, d := range list {
		if err := checkDir(d, "root"); err != nil {
			return place{}, err
		}
		if d = filepath.Clean(d); d != p.Cwd && !slices.Contains(p.Dirs, d) {
			p.Dirs = append(p.Dirs, d)
		}
	}
	return p, nil
}

// checkDir refuses what is not the absolute path of a directory.
func checkDir(path, what string) error {
	if !filepath.IsAbs(path) {
		return invalid(what+"_not_absolute", "the path "+path+" is not absolute", "path", path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return invalid(what+"_not_found", "the directory cannot be used: "+err.Error(), "path", path)
	case !info.IsDir():
		reason := what + "_not_directory"
		if what == "root" {
			reason = "root_not_found"
		}
		return invalid(reason, path+" is not a directory", "path", path)
	}
	return nil
}

// canonical is the physical path, by which directories are compared. Of a path that
// does not exist it is the path itself.
func canonical(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return filepath.Clean(path)
	}
	return real
}
