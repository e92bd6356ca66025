package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLinks bounds the links on the way to one file, as systems do.
const maxLinks = 40

var (
	errLinkLoop = errors.New("too many links")
	errMoved    = errors.New("the path leads elsewhere than when the call was checked; call again")
)

// place is where a path of a call really is. It is looked up when the call is
// planned and again when it runs, so that a link put there in between does not
// lead to a file that nobody was asked about.
type place struct {
	written string // as in the call, made absolute
	shown   string // absolute and clean; names the same file
	real    string // links resolved, the last component's too unless it is kept
	root    string // the resolved root that real is in; empty: outside of all
	keep    bool   // the last component is taken as it is, link or not
}

// locate resolves path of a call.
func (ws *Workspace) locate(path string) (place, error) { return ws.find(path, false) }

// locateEntry resolves path up to the folder that its last name is in: what is
// deleted or moved is the link, not what it points to.
func (ws *Workspace) locateEntry(path string) (place, error) { return ws.find(path, true) }

func (ws *Workspace) find(path string, keep bool) (place, error) {
	switch {
	case path == "":
		return place{}, errors.New("the path is empty")
	case strings.ContainsRune(path, 0):
		return place{}, errors.New("the path has a NUL character")
	}
	p := place{written: path, keep: keep}
	if !filepath.IsAbs(path) {
		p.written = ws.Cwd + string(filepath.Separator) + path
	}
	var err error
	if p.real, err = p.resolve(); err != nil {
		return place{}, fmt.Errorf("resolving %s: %w", path, plain(err))
	}
	p.shown = filepath.Clean(p.written)
	if hasParent(p.written) { // cleaning would drop a link in front of ".."
		p.shown = p.real
	}
	p.root = ws.rootOf(p.real)
	return p, nil
}

func (p place) resolve() (string, error) {
	if !p.keep {
		return physical(p.written)
	}
	dir, name := filepath.Split(strings.TrimRightFunc(p.written, isSeparator))
	if name == ".." || name == "." || name == "" {
		return physical(p.written)
	}
	dir, err := physical(dir)
	return filepath.Join(dir, name), err
}

// rootOf returns the resolved root that real is in, or "".
func (ws *Workspace) rootOf(real string) string {
	for _, root := range ws.Roots {
		if resolved, err := physical(root); err == nil && within(resolved, real) {
			return resolved
		}
	}
	return ""
}

// outside reports whether the place is in none of the roots.
func (p place) outside() bool { return p.root == "" }

// location is the place as shown to the client.
func (p place) location() Location { return Location{Path: p.shown} }

// open returns the folder that confines the access, and the name of the place in
// it. Outside the roots that is the whole volume: real holds no links, and any
// that appears now and leads out of the folder is refused by the system.
func (p place) open() (*os.Root, string, error) {
	if now, err := p.resolve(); err != nil || now != p.real {
		return nil, "", errMoved
	}
	base := p.root
	if base == "" {
		base = volumeRoot(p.real)
	}
	return openIn(base, p.real)
}

func openIn(base, real string) (*os.Root, string, error) {
	name, err := filepath.Rel(base, real)
	if err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(base)
	return root, name, err
}

// physical follows path as the system does, component by component, so that a
// link is followed before a ".." behind it. What does not exist is taken as it is
// written; a dangling link counts as its target.
func physical(path string) (string, error) {
	done, rest := split(path)
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		info, err := os.Lstat(next)
		if err != nil && !isMissing(err) {
			return "", err
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", errLinkLoop
		}
		if done, rest, err = follow(done, next, rest); err != nil {
			return "", err
		}
	}
	return done, nil
}

// follow puts the target of the link in front of the components that are left.
func follow(dir, link string, rest []string) (string, []string, error) {
	target, err := os.Readlink(link)
	if err != nil {
		return "", nil, err
	}
	if !filepath.IsAbs(target) {
		_, names := split(target)
		return dir, append(names, rest...), nil
	}
	root, names := split(target)
	return root, append(names, rest...), nil
}

// split returns the volume's root and the names behind it; a relative path gives
// a root of no meaning.
func split(path string) (string, []string) {
	rest := path[len(filepath.VolumeName(path)):]
	names := strings.FieldsFunc(rest, isSeparator)
	return volumeRoot(path), slices.DeleteFunc(names, func(n string) bool { return n == "." })
}

func isSeparator(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }

func volumeRoot(path string) string {
	return filepath.VolumeName(path) + string(filepath.Separator)
}

func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

func hasParent(path string) bool {
	_, names := split(path)
	return slices.Contains(names, "..")
}
