package policy

import (
	"path"
	"slices"
	"strings"
)

// Env is the world that a call would run in. Paths are absolute and cleaned.
type Env struct {
	// Cwd is the session's folder. Required.
	Cwd string
	// Roots are the folders of the workspace; empty means Cwd alone.
	Roots []string
	// Home is the user's home, for ~; empty means that ~ leads nowhere.
	Home string
	// Readlink returns the target of a symbolic link, false for everything
	// else. It is asked for one path at a time, during Decide. Nil means that
	// nothing is a link.
	Readlink func(path string) (target string, isLink bool)
	// FoldCase tells whether names below a root are the same in upper and lower
	// case. Nil means that they differ.
	FoldCase func(root string) bool
	// Servers are the names of the declared MCP servers; they settle where a
	// name such as mcp__server__tool is split.
	Servers []string
}

// world is an Env prepared for one decision.
type world struct {
	env     *Env
	session string   // the session's folder
	cwds    []string // the same, and where its links lead
	roots   []string // likewise
	homes   []string
	base    string // what the call's own relative paths start from
	fold    bool
}

func newWorld(env *Env, callCwd string) *world {
	if env == nil {
		env = &Env{}
	}
	w := &world{env: env, session: cleanAbs(env.Cwd, "/")}
	w.cwds = w.both(w.session)
	roots := env.Roots
	if len(roots) == 0 {
		roots = []string{w.session}
	}
	for _, root := range roots {
		root = cleanAbs(root, "/")
		w.roots = append(w.roots, w.both(root)...)
		w.fold = w.fold || env.FoldCase != nil && env.FoldCase(root)
	}
	if env.Home != "" {
		w.homes = w.both(cleanAbs(env.Home, "/"))
	}
	w.base = w.session
	if callCwd != "" {
		if p, ok := decodeURI(callCwd); ok {
			callCwd = p
		}
		w.base = cleanAbs(callCwd, w.session)
	}
	return w
}

// both returns a folder and, where links lead it elsewhere, that place.
func (w *world) both(p string) []string {
	real, _, ok := w.follow(p)
	if !ok || real == p {
		return []string{p}
	}
	return []string{p, real}
}

// inside tells whether a resolved path is a root or below one.
func (w *world) inside(p string) bool {
	return slices.ContainsFunc(w.roots, func(root string) bool {
		_, ok := below(root, p, w.fold)
		return ok
	})
}

// cleanAbs makes a path absolute and cleans it as text.
func cleanAbs(p, base string) string {
	if !strings.HasPrefix(p, "/") {
		p = base + "/" + p
	}
	return path.Clean(p)
}

// maxLinks is where the walk gives up, as systems do with "too many levels".
const maxLinks = 40

// follow resolves a path component by component as the system does: a link is
// followed before the ".." behind it. What does not exist is no link. The ways
// are the cleaned paths before each link was followed. Nothing below /proc is
// followed, since what stands there depends on who looks.
func (w *world) follow(p string) (real string, ways []string, ok bool) {
	if w.env.Readlink == nil {
		return path.Clean(p), nil, true
	}
	cur, rest := "/", strings.TrimPrefix(p, "/")
	for links := 0; rest != ""; {
		var name string
		name, rest = cutSlash(rest)
		switch name {
		case "", ".":
			continue
		case "..":
			cur = path.Dir(cur)
			continue
		}
		next := path.Join(cur, name)
		target, isLink := w.readlink(next)
		if !isLink {
			cur = next
			continue
		}
		if links++; links > maxLinks {
			return "", ways, false
		}
		ways = append(ways, path.Join(next, rest))
		if strings.HasPrefix(target, "/") {
			cur = "/"
		}
		rest = strings.TrimPrefix(target+"/"+rest, "/")
	}
	return cur, ways, true
}

func (w *world) readlink(p string) (string, bool) {
	if p == "/proc" || strings.HasPrefix(p, "/proc/") || freeDevice(p) {
		return "", false
	}
	target, ok := w.env.Readlink(p)
	return target, ok && target != ""
}

// freeDevice tells whether a path is a device that needs no rule.
func freeDevice(p string) bool {
	switch p {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty":
		return true
	}
	return false
}
