package tool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

type moveArgs struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Overwrite bool   `json:"overwrite"`
}

func moveFile() Tool {
	return define(Spec{
		Name: "move_file", Kind: KindMove,
		Description: "Move or rename a file or folder; missing folders of the target are made. An existing target is refused unless overwrite is set, " +
			"and a folder is never overwritten. To is the new path itself, not the folder to put it in.",
	}, `"from":{"type":"string","minLength":1,"description":"what to move"},
		"to":{"type":"string","minLength":1,"description":"its new path"},
		"overwrite":{"type":"boolean","description":"replace an existing file"}`,
		[]string{"from", "to"}, planMove)
}

func planMove(ws *Workspace, a moveArgs) (*Plan, error) {
	from, err := ws.locateEntry(a.From)
	if err != nil {
		return nil, err
	}
	to, err := ws.locateEntry(a.To)
	if err != nil {
		return nil, err
	}
	if from.real == to.real {
		return nil, errors.New("from and to are the same")
	}
	where := []Location{from.location(), to.location()}
	return &Plan{Locations: where, Outside: from.outside() || to.outside(), Run: func(context.Context, func(Progress)) Result {
		if err := move(from, to, a.Overwrite); err != nil {
			return errorf("moving %s to %s: %v", a.From, a.To, plain(err))
		}
		return Result{Text: "moved " + a.From + " to " + a.To, Locations: where}
	}}, nil
}

// move renames within the deepest folder that holds both places, since a folder
// handle confines both ends at once.
func move(from, to place, overwrite bool) error {
	for _, p := range []place{from, to} {
		if now, err := p.resolve(); err != nil || now != p.real {
			return errMoved
		}
	}
	base := commonDir(from.real, to.real)
	root, source, err := openIn(base, from.real)
	if err != nil {
		return err
	}
	defer root.Close()
	target, err := filepath.Rel(base, to.real)
	if err != nil {
		return err
	}
	if err := checkTarget(root, source, target, overwrite); err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return err
	}
	return root.Rename(source, target)
}

func checkTarget(root *os.Root, source, target string, overwrite bool) error {
	old, err := root.Lstat(source)
	if err != nil {
		return err
	}
	taken, err := root.Lstat(target)
	switch {
	case isMissing(err):
		return nil
	case err != nil:
		return err
	case os.SameFile(old, taken): // another spelling where case does not count
		return nil
	case taken.IsDir():
		return errors.New("the target is a folder; give the new path itself")
	case !overwrite:
		return errors.New("the target exists; set overwrite to replace it")
	}
	return nil
}

// commonDir returns the deepest folder above both paths. On different volumes it
// is of the first alone.
func commonDir(a, b string) string {
	dir := filepath.Dir(a)
	for !within(dir, b) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}
