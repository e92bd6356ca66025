package tool

import (
	"context"
	"errors"
)

type deleteArgs struct {
	Path string `json:"path"`
}

func deleteFile() Tool {
	return define(Spec{
		Name: "delete_file", Kind: KindDelete,
		Description: "Delete one file. Of a link, the link itself is deleted. Folders are refused.",
	}, `"path":{"type":"string","minLength":1,"description":"file to delete"}`, []string{"path"}, planDelete)
}

func planDelete(ws *Workspace, a deleteArgs) (*Plan, error) {
	p, err := ws.locateEntry(a.Path)
	if err != nil {
		return nil, err
	}
	where := []Location{p.location()}
	return &Plan{Locations: where, Outside: p.outside(), Run: func(context.Context, func(Progress)) Result {
		if err := p.remove(); err != nil {
			return errorf("deleting %s: %v", a.Path, plain(err))
		}
		return Result{Text: "deleted " + a.Path, Locations: where}
	}}, nil
}

func (p place) remove() error {
	root, name, err := p.open()
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return errors.New("it is a folder; only files are deleted")
	}
	return root.Remove(name)
}
