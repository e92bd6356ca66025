package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// AtomicFile is a file that appears, or replaces an old one, as a whole. Until
// [AtomicFile.Commit] the data is in a temporary file beside it. A path that is
// no regular file, such as /dev/null or a named pipe, is written directly.
// It is not safe for concurrent use.
type AtomicFile struct {
	f      *os.File
	target string // empty: written directly
	err    error  // first error of a write
}

// maxTemporaries bounds the leftovers of killed processes that are skipped when
// a name for the temporary file is looked for.
const maxTemporaries = 1000

// CreateAtomic opens a file to be written at path, with the permissions of the
// old one if there is any. A symbolic link is followed. The folder must exist.
// The caller ends it with Commit or Discard.
func CreateAtomic(path string) (*AtomicFile, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &AtomicFile{f: f}, nil
	}
	f, tmpErr := createTemporary(path)
	if tmpErr != nil {
		return nil, tmpErr
	}
	if err == nil {
		_ = f.Chmod(info.Mode().Perm()) // not every file system has permissions
	}
	return &AtomicFile{f: f, target: path}, nil
}

// createTemporary does not use [os.CreateTemp]: its files are readable by their
// owner alone, whatever the umask says.
func createTemporary(path string) (*os.File, error) {
	dir, name := filepath.Split(path)
	for n := range maxTemporaries {
		f, err := os.OpenFile(fmt.Sprintf("%s.%s.%d.tmp", dir, name, n), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, os.ErrExist) {
			return f, err
		}
	}
	return nil, fmt.Errorf("creating %s: too many temporary files beside it", path)
}

// Write appends to the new file. The first error stays.
func (a *AtomicFile) Write(p []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	n, err := a.f.Write(p)
	a.err = err
	return n, err
}

// Commit puts the new file in its place. After a failed write, or if that fails,
// the old file stays as it is.
func (a *AtomicFile) Commit() error {
	if a.target == "" {
		return errors.Join(a.err, a.f.Close())
	}
	err := a.err
	if err == nil {
		err = a.f.Sync() // else a crash may leave an empty file under the name
	}
	err = errors.Join(err, a.f.Close())
	if err == nil {
		err = os.Rename(a.f.Name(), a.target)
	}
	if err != nil {
		_ = os.Remove(a.f.Name())
	}
	return err
}

// Discard drops the new file; the old one stays as it is.
func (a *AtomicFile) Discard() error {
	err := a.f.Close()
	if a.target != "" {
		err = errors.Join(err, os.Remove(a.f.Name()))
	}
	return err
}
