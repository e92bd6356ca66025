package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// isMissing also covers a path that goes on behind a file.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// plain takes the system's call and path off an error, since the message around
// it names the path as the model wrote it.
func plain(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err
	}
	return err
}

func errorf(format string, args ...any) Result {
	return Result{Text: clean(fmt.Sprintf(format, args...)), IsError: true}
}
