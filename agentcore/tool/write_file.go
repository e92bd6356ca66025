package tool

import (
	"bytes"
	"context"
	"strings"
)

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func writeFile() Tool {
	return define(Spec{
		Name: "write_file", Kind: KindEdit,
		Description: "Write a whole text file; missing folders are made. An existing file is replaced and keeps its byte order mark, and its CRLF " +
			"line ends when most lines have them. Prefer edit_file for changes.",
	}, `"path":{"type":"string","minLength":1,"description":"file to write"},
		"content":{"type":"string","description":"the whole content"}`,
		[]string{"path", "content"}, planWrite)
}

func planWrite(ws *Workspace, a writeArgs) (*Plan, error) {
	p, err := ws.locate(a.Path)
	if err != nil {
		return nil, err
	}
	return planChange(p, a.Path, func(old []byte) ([]byte, error) { return restyle(old, a.Content), nil }), nil
}

// restyle is content in the manner of the file that it replaces.
func restyle(old []byte, content string) []byte {
	if mostlyCRLF(old) {
		content = strings.ReplaceAll(unix(content), "\n", "\r\n")
	}
	if bytes.HasPrefix(old, bom) && !strings.HasPrefix(content, string(bom)) {
		content = string(bom) + content
	}
	return []byte(content)
}

// planChange plans a change of one file by a function of its content; nil is a
// file that does not exist.
//
// A failure of the function is told when the call runs, not here: an answer
// before anybody was asked would say what is in a file that the rules may deny.
// For the same reason a file outside the roots is not looked at here.
func planChange(p place, path string, change func(old []byte) ([]byte, error)) *Plan {
	plan := &Plan{Locations: []Location{p.location()}, Outside: p.outside()}
	var old, content []byte
	var err error
	look := func() {
		if old, err = p.readOld(); err == nil {
			content, err = change(old)
		}
	}
	if !plan.Outside {
		if look(); err == nil {
			plan.Diffs = []Diff{newDiff(p.shown, old, content)}
		}
	}
	plan.Run = func(context.Context, func(Progress)) Result {
		if plan.Outside {
			look()
		}
		if err == nil {
			err = p.replace(old, content)
		}
		if err != nil {
			return errorf("changing %s: %v", path, plain(err))
		}
		diff := newDiff(p.shown, old, content)
		return Result{Text: summary(path, old, content), Diffs: []Diff{diff}, Locations: plan.Locations}
	}
	return plan
}

func newDiff(path string, old, content []byte) Diff {
	d := Diff{Path: path, NewText: clean(string(content))}
	if old != nil {
		text := clean(string(old))
		d.OldText = &text
	}
	return d
}

func summary(path string, old, content []byte) string {
	lines := plural(bytes.Count(content, []byte("\n")), "line")
	switch {
	case old == nil:
		return "created " + path + " with " + lines
	case bytes.Equal(old, content):
		return path + " has this content already"
	}
	return "changed " + path + ", now " + lines
}
