package event

import (
	"path/filepath"
	"slices"
	"strings"
)

// diff is one diff of a tool call's content.
type diff struct {
	path     string
	old, new string
	removed  bool   // newText is null
	hint     string // what the agent calls the change, in _meta
}

// readDiff reads an item of a tool call's content; ok is false when it is none.
//
// ACP: Diff.
func readDiff(item []byte) (d diff, ok bool) {
	if string(member(item, "type")) != `"diff"` {
		return diff{}, false
	}
	newText := member(item, "newText")
	d.path, ok = text(member(item, "path"))
	if !ok || d.path == "" || len(newText) == 0 {
		return diff{}, false
	}
	d.old, _ = text(member(item, "oldText")) // null and "" are a new file
	d.new, ok = text(newText)
	d.removed = isNull(newText)
	d.hint, _ = text(member(member(item, "_meta"), "kind"))
	return d, ok || d.removed
}

// change counts the lines of a diff. The kind is the agent's word for it, where
// there is one; else a file without old text is new. Only a call of kind delete
// deletes by emptying: an edit may leave an empty file.
func (d *diff) change(callKind, cwd string) Change {
	c := Change{Path: relativeTo(cwd, d.path), Kind: "edit"}
	switch {
	case d.hint == "add" || d.hint == "modify" || d.hint == "delete":
		c.Kind = strings.Replace(d.hint, "modify", "edit", 1)
	case d.removed || callKind == "delete" && d.new == "":
		c.Kind = "delete"
	case callKind == "move":
		c.Kind = "move"
	case d.old == "":
		c.Kind = "add"
	}
	c.Added, c.Removed = countLines(d.old, d.new)
	return c
}

// relativeTo shows a path relative to a folder if it is inside it.
func relativeTo(dir, path string) string {
	clean := filepath.Clean(path)
	rooted := filepath.IsAbs(clean) || strings.HasPrefix(path, "/") // without a drive, on Windows
	if dir == "" || !rooted {
		return filepath.ToSlash(clean)
	}
	rel, err := filepath.Rel(dir, clean)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(clean)
	}
	return filepath.ToSlash(rel)
}

// mergeChange adds a later change to a list that has one entry per path.
func mergeChange(list []Change, c Change) []Change {
	i := slices.IndexFunc(list, func(o Change) bool { return o.Path == c.Path })
	if i < 0 {
		return append(list, c)
	}
	before := &list[i]
	if before.Kind == "add" && c.Kind == "delete" {
		return slices.Delete(list, i, i+1) // nothing is left of it
	}
	before.Added += c.Added
	before.Removed += c.Removed
	switch {
	case before.Kind == "add": // still new
	case before.Kind == "delete" && c.Kind == "add":
		before.Kind = "edit"
	default:
		before.Kind = c.Kind
	}
	return list
}

// Changes are the files that the completed calls of the turn touched, by their
// diffs; of an edit, a deletion or a move without a diff, its paths without
// counts. There is one entry per path, in the order of the first change, relative
// to the session's folder for files inside it.
func (p *Projector) Changes() []Change {
	var list []Change
	for _, c := range p.turnCalls {
		if c.status != "completed" {
			continue
		}
		for _, d := range c.diffs {
			list = mergeChange(list, d)
		}
		if len(c.diffs) > 0 || c.kind != "edit" && c.kind != "delete" && c.kind != "move" {
			continue
		}
		for _, path := range c.paths {
			list = mergeChange(list, Change{Path: relativeTo(p.opts.Cwd, path), Kind: c.kind})
		}
	}
	return list
}
