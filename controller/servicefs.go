package controller

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// textLimit bounds what is read of a file, in bytes.
const textLimit = 32 << 20

// readFile prepares fs/read_text_file.
func (s *Session) readFile(v *service, p *serviceCall) error {
	if err := checkPath(p.Path); err != nil {
		return err
	}
	if p.Line != nil && *p.Line < 0 || p.Limit != nil && *p.Limit < 0 {
		return errors.New("line and limit must not be negative")
	}
	v.body.Path = p.Path
	v.call = fileCall("read", p.Path)
	v.do = func(v *service) (any, error) {
		text, err := s.readText(p.Path, p.Line, p.Limit)
		if err != nil {
			return nil, fileError(p.Path, err)
		}
		v.body.Bytes = len(text)
		return map[string]string{"content": text}, nil
	}
	return nil
}

// writeFile prepares fs/write_text_file.
func (s *Session) writeFile(v *service, p *serviceCall) error {
	if err := checkPath(p.Path); err != nil {
		return err
	}
	if p.Content == nil {
		return errors.New("content is missing")
	}
	v.body.Path = p.Path
	v.call = fileCall("edit", p.Path)
	v.do = func(v *service) (any, error) {
		if err := s.writeText(p.Path, *p.Content); err != nil {
			return nil, fileError(p.Path, err)
		}
		v.body.Bytes = len(*p.Content)
		return nil, nil
	}
	return nil
}

func checkPath(path string) error {
	switch {
	case !filepath.IsAbs(path):
		return fmt.Errorf("the path %q is not absolute", path)
	case strings.ContainsRune(path, 0):
		return errors.New("the path has a NUL")
	}
	return nil
}

// fileCall is a file access in the words of the rules.
func fileCall(kind, path string) *policy.Call {
	return &policy.Call{Kind: kind, Title: kind + " " + path, Paths: []string{path}}
}

// within opens the root that a path is inside of. What lies behind is opened
// through it, so that no link leads out of it, also not one that is made
// meanwhile.
func (s *Session) within(path string) (root *os.Root, name string, err error) {
	clean := filepath.Clean(path)
	for _, dir := range append([]string{s.params.Cwd}, s.params.AddDirs...) {
		rel, err := filepath.Rel(dir, clean)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		root, err := os.OpenRoot(dir)
		return root, rel, err
	}
	return nil, "", fmt.Errorf("%s is outside of the session's folders", path)
}

// readText reads a text file: whole, or limit lines from the line on, counted
// from 1. Lines keep their ends; what is behind the end is empty.
func (s *Session) readText(path string, line, limit *int) (string, error) {
	root, name, err := s.within(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	// Not blocking: the agent may name a pipe that nobody writes to.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("not a regular file")
	}
	text, err := readLines(f, line, limit)
	if err == nil && !utf8.ValidString(text) {
		err = errors.New("not UTF-8 text")
	}
	return text, err
}

func readLines(r io.Reader, line, limit *int) (string, error) {
	var out strings.Builder
	in := bufio.NewReader(r)
	first, last := 1, 0
	if line != nil && *line > 1 {
		first = *line
	}
	if limit != nil {
		last = first + *limit - 1
	}
	for n := 1; limit == nil || n <= last; {
		part, err := in.ReadSlice('\n')
		if n >= first {
			out.Write(part)
		}
		if out.Len() > textLimit {
			return "", fmt.Errorf("the text is larger than %d bytes; ask for fewer lines", textLimit)
		}
		switch {
		case err == nil:
			n++
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return out.String(), nil
		default:
			return "", err
		}
	}
	return out.String(), nil
}

// writeText replaces a file as a whole, or makes it, with its folders. Links are
// followed, as long as they stay inside.
func (s *Session) writeText(path, content string) error {
	root, name, err := s.within(path)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	name, mode, err := target(root, name)
	if err != nil {
		return err
	}
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	temporary, err := writeBeside(root, name, mode, content)
	if err != nil {
		return err
	}
	if err := root.Rename(temporary, name); err != nil {
		_ = root.Remove(temporary)
		return err
	}
	return nil
}

// target follows links and returns the name that is to be replaced and its mode.
func target(root *os.Root, name string) (string, fs.FileMode, error) {
	for range 40 {
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return name, 0o644, nil
		case err != nil:
			return "", 0, err
		case info.Mode().IsRegular():
			return name, info.Mode().Perm(), nil
		case info.Mode()&fs.ModeSymlink == 0:
			return "", 0, errors.New("not a regular file")
		}
		link, err := root.Readlink(name)
		if err != nil {
			return "", 0, err
		}
		if filepath.IsAbs(link) {
			if link, err = filepath.Rel(root.Name(), link); err != nil {
				return "", 0, err
			}
		} else {
			link = filepath.Join(filepath.Dir(name), link)
		}
		if !filepath.IsLocal(link) {
			return "", 0, errors.New("a link leads outside of the session's folders")
		}
		name = link
	}
	return "", 0, errors.New("too many links")
}

// writeBeside writes a new file in the folder of name and returns its name.
func writeBeside(root *os.Root, name string, mode fs.FileMode, content string) (string, error) {
	for n := range 1000 {
		temporary := fmt.Sprintf("%s.acpctl-%d-%d", name, os.Getpid(), n)
		f, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(content)
		if err == nil {
			err = f.Chmod(mode)
		}
		if closing := f.Close(); err == nil {
			err = closing
		}
		if err != nil {
			_ = root.Remove(temporary)
			return "", err
		}
		return temporary, nil
	}
	return "", errors.New("no name for a temporary file is free")
}

// fileError is the answer for a file that could not be read or written. One that
// is not there has ACP's code, and the words that agents look for.
func fileError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		uri := (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
		data, _ := json.Marshal(map[string]string{"uri": uri})
		return &jsonrpc.Error{Code: codeResourceNotFound, Message: "Resource not found: " + path + " (ENOENT: no such file or directory)", Data: data}
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err // the path inside of the root says less than the agent's
	}
	return fmt.Errorf("%s: %w", path, err)
}
