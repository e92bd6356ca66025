package tool

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// maxEntries bounds a folder listing.
const maxEntries = 1000

type listArgs struct {
	Path string `json:"path"`
}

func listDir() Tool {
	return define(Spec{
		Name: "list_dir", Kind: KindRead,
		Description: "List a folder by name, hidden entries too; folders end in a slash, links show their target. At most 1000 entries.",
	}, `"path":{"type":"string","minLength":1,"description":"folder; default: the working directory"}`, nil, planList)
}

func planList(ws *Workspace, a listArgs) (*Plan, error) {
	if a.Path == "" {
		a.Path = "."
	}
	p, err := ws.locate(a.Path)
	if err != nil {
		return nil, err
	}
	where := []Location{p.location()}
	return &Plan{Locations: where, Outside: p.outside(), Run: func(context.Context, func(Progress)) Result {
		text, err := p.list()
		if err != nil {
			return errorf("listing %s: %v", a.Path, plain(err))
		}
		return Result{Text: text, Locations: where}
	}}, nil
}

func (p place) list() (string, error) {
	root, name, err := p.open()
	if err != nil {
		return "", err
	}
	defer root.Close()
	dir, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return "", err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var b strings.Builder
	for _, e := range entries[:min(len(entries), maxEntries)] {
		b.WriteString(e.Name())
		switch {
		case e.IsDir():
			b.WriteByte('/')
		case e.Type()&fs.ModeSymlink != 0:
			if target, err := root.Readlink(filepath.Join(name, e.Name())); err == nil {
				b.WriteString(" -> " + target)
			}
		}
		b.WriteByte('\n')
	}
	switch n := len(entries); {
	case n == 0:
		b.WriteString("[the folder is empty]")
	case n > maxEntries:
		fmt.Fprintf(&b, "[%d more entries]", n-maxEntries)
	}
	return CapText(b.String()), nil
}
