package tool

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// walk calls visit for every file and folder below the place, in lexical order,
// with its path relative to the place, slashes between names. Links are visited
// but not followed, and the databases of version control are left out, since
// nothing in them is meant to be found. A folder that cannot be read is passed over. The
// second result counts those.
func (p place) walk(ctx context.Context, visit func(rel string, d fs.DirEntry) error) (unread int, err error) {
	root, name, err := p.open()
	if err != nil {
		return 0, err
	}
	defer root.Close()
	start := filepath.ToSlash(name)
	err = fs.WalkDir(root.FS(), start, func(file string, d fs.DirEntry, err error) error {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		switch {
		case file == start:
			return err
		case err != nil:
			unread++
			return fs.SkipDir
		case d.IsDir() && isVersionControl(d.Name()):
			return fs.SkipDir
		}
		return visit(relative(start, file), d)
	})
	return unread, err
}

func relative(start, file string) string {
	if start == "." {
		return file
	}
	return strings.TrimPrefix(file, start+"/")
}

func isVersionControl(name string) bool {
	return name == ".git" || name == ".hg" || name == ".svn" || name == ".jj"
}

// checkGlob refuses a pattern that can match nothing below a folder.
func checkGlob(pattern string) error {
	switch {
	case !doublestar.ValidatePattern(pattern):
		return errors.New("the glob is not valid; brackets and braces must be closed")
	case path.IsAbs(pattern) || filepath.IsAbs(pattern):
		return errors.New("the glob must be relative; give the folder in path")
	case strings.HasPrefix(path.Clean(pattern), ".."):
		return errors.New("the glob must not lead out of the folder; give the folder in path")
	}
	return nil
}

// matchGlob matches a relative path. A pattern that is a bare name matches in
// every folder when anywhere is set.
func matchGlob(pattern, rel string, anywhere bool) bool {
	if anywhere && !strings.Contains(pattern, "/") {
		rel = path.Base(rel)
	}
	return doublestar.MatchUnvalidated(pattern, rel)
}

// display is the path of something below the place as results show it: as the
// call named the place, so that the model can use it again.
func display(base, rel string) string {
	if base == "" || base == "." {
		return rel
	}
	return strings.TrimRight(base, "/") + "/" + rel
}
