package tool

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
)

// maxPaths bounds the matches of glob.
const maxPaths = 1000

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

func globFiles() Tool {
	return define(Spec{
		Name: "glob", Kind: KindSearch,
		Description: "Find files by name. * and ? stay within a name, ** crosses folders, {a,b} and [a-z] as usual: **/*.go finds Go files at any depth. " +
			"Links are not followed; version control folders are left out. At most 1000 paths.",
	}, `"pattern":{"type":"string","minLength":1,"description":"glob relative to path"},
		"path":{"type":"string","minLength":1,"description":"folder to search; default: the working directory"}`,
		[]string{"pattern"}, planGlob)
}

func planGlob(ws *Workspace, a globArgs) (*Plan, error) {
	if err := checkGlob(a.Pattern); err != nil {
		return nil, err
	}
	p, err := ws.locate(orDot(a.Path))
	if err != nil {
		return nil, err
	}
	where := []Location{p.location()}
	return &Plan{Locations: where, Outside: p.outside(), Run: func(ctx context.Context, _ func(Progress)) Result {
		text, err := p.glob(ctx, a)
		if err != nil {
			return errorf("searching %s: %v", orDot(a.Path), plain(err))
		}
		return Result{Text: text, Locations: where}
	}}, nil
}

func (p place) glob(ctx context.Context, a globArgs) (string, error) {
	var b strings.Builder
	found := 0
	unread, err := p.walk(ctx, func(rel string, d fs.DirEntry) error {
		if d.IsDir() || !matchGlob(a.Pattern, rel, false) {
			return nil
		}
		if found++; found > maxPaths {
			return fs.SkipAll
		}
		b.WriteString(display(a.Path, rel) + "\n")
		return nil
	})
	if err != nil {
		return "", err
	}
	switch {
	case found == 0:
		b.WriteString("[no file matches]")
	case found > maxPaths:
		fmt.Fprintf(&b, "[more than %d files match; narrow the pattern]", maxPaths)
	}
	if unread > 0 {
		fmt.Fprintf(&b, "\n[%s could not be read]", plural(unread, "folder"))
	}
	return CapText(b.String()), nil
}

func orDot(path string) string {
	if path == "" {
		return "."
	}
	return path
}
