package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxEdit bounds the files that are edited or compared as a whole, in bytes.
const maxEdit = 8 << 20

var (
	errIsDir    = errors.New("it is a folder")
	errNotFile  = errors.New("it is not a regular file")
	errBinary   = errors.New("it is a binary file")
	errTooLarge = fmt.Errorf("it is larger than %d MiB", maxEdit>>20)
	errChanged  = errors.New("the file has changed since the call was checked; read it and call again")
)

// openFile opens a regular file for reading. The check comes before and after
// opening: a FIFO would block the first, and the second is about what was opened.
func (p place) openFile() (*os.File, error) {
	root, name, err := p.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if err := checkRegular(info); err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = checkRegular(info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func checkRegular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errIsDir
	case !info.Mode().IsRegular():
		return errNotFile
	}
	return nil
}

// readText returns the whole content of a text file.
func (p place) readText() ([]byte, error) {
	f, err := p.openFile()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxEdit+1))
	switch {
	case err != nil:
		return nil, err
	case len(content) > maxEdit:
		return nil, errTooLarge
	case isBinary(content):
		return nil, errBinary
	}
	return content, nil
}

// readOld is readText for a file that may be missing, which gives nil.
func (p place) readOld() ([]byte, error) {
	content, err := p.readText()
	switch {
	case isMissing(err):
		return nil, nil
	case err == nil && content == nil:
		return []byte{}, nil
	}
	return content, err
}

// replace puts content in the place of the file, of which old is what it must
// hold now; nil: it must not exist. Readers see the old content or the new, and
// the mode stays.
func (p place) replace(old, content []byte) error {
	now, err := p.readOld()
	if err != nil {
		return err
	}
	if (now == nil) != (old == nil) || !bytes.Equal(now, old) {
		return errChanged
	}
	root, name, err := p.open()
	if err != nil {
		return err
	}
	defer root.Close()
	mode, err := prepare(root, name, old == nil)
	if err != nil {
		return err
	}
	temp, err := writeTemp(root, name, content, mode)
	if err != nil {
		return err
	}
	if err := root.Rename(temp, name); err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return nil
}

// prepare makes the folders of a new file, and returns the mode to write with.
func prepare(root *os.Root, name string, isNew bool) (fs.FileMode, error) {
	if isNew {
		return 0, root.MkdirAll(filepath.Dir(name), 0o777)
	}
	info, err := root.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}

// writeTemp writes content to a new file beside name. Mode 0 leaves it to the
// process's umask.
func writeTemp(root *os.Root, name string, content []byte, mode fs.FileMode) (string, error) {
	f, temp, err := createTemp(root, name)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, root.Remove(temp))
	}
	return temp, nil
}

func createTemp(root *os.Root, name string) (*os.File, string, error) {
	dir, base := filepath.Split(name)
	for n := 0; ; n++ {
		temp := filepath.Join(dir, fmt.Sprintf(".%s.%d.tmp", cut(base, 200), n))
		f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || n == 99 {
			return f, temp, err
		}
	}
}
