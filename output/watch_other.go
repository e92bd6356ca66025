//go:build !unix

package output

import (
	"os"
	"syscall"
)

// The errors of a write to a pipe whose reader is gone: ERROR_BROKEN_PIPE and
// ERROR_NO_DATA.
func readerGone() []error {
	return []error{syscall.EPIPE, syscall.ECONNRESET, syscall.Errno(109), syscall.Errno(232)}
}

// WatchReader does nothing here: only a write tells that the reader is gone.
func WatchReader(*os.File, func(error)) (stop func()) { return func() {} }
