//go:build unix

package output

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

func readerGone() []error { return []error{unix.EPIPE, unix.ECONNRESET} }

// WatchReader calls gone, once and from another goroutine, when f is a pipe or a
// socket and the other end is closed: that is seen without a write, also while
// nothing is to be written. For any other file it does nothing.
//
// stop ends the watch and waits for it; gone must not call it. f must stay open
// until then.
func WatchReader(f *os.File, gone func(error)) (stop func()) {
	fd, ok := pipeOrSocket(f)
	if !ok {
		return func() {}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return func() {} // out of descriptors: writes still tell
	}
	wake := int(r.Fd())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if waitGone(fd, wake) {
			gone(unix.EPIPE)
		}
	}()
	return sync.OnceFunc(func() {
		_ = w.Close() // which wakes the poll
		<-ended
		_ = r.Close()
	})
}

// pipeOrSocket returns the descriptor without changing the mode of f.
func pipeOrSocket(f *os.File) (fd int, ok bool) {
	info, err := f.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return 0, false
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = conn.Control(func(p uintptr) { fd = int(p) })
	return fd, err == nil
}

// waitGone waits until the other end of fd is closed, or the one of wake, which
// makes it return false. Both are reported without being asked for.
func waitGone(fd, wake int) bool {
	const closed = unix.POLLERR | unix.POLLHUP
	fds := []unix.PollFd{{Fd: int32(fd)}, {Fd: int32(wake)}}
	for {
		if _, err := unix.Poll(fds, -1); err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			return false
		}
		switch {
		case fds[1].Revents != 0, fds[0].Revents&unix.POLLNVAL != 0:
			return false
		case fds[0].Revents&closed != 0:
			return true
		}
	}
}
