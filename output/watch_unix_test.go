//go:build unix

package output

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// awaitGone fails the test when the watch does not report in time.
func awaitGone(t *testing.T, gone <-chan error) {
	t.Helper()
	select {
	case err := <-gone:
		if !IsReaderGone(err) {
			t.Errorf("reported %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("a closed reader was not noticed")
	}
}

func TestRO34_WatchReaderSeesAClosedPipe(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	gone := make(chan error, 2)
	stop := WatchReader(w, func(err error) { gone <- err })
	if _, err := w.WriteString("unread"); err != nil {
		t.Fatal(err)
	}
	if len(gone) > 0 {
		t.Fatal("reported while the reader is there")
	}
	_ = r.Close()
	awaitGone(t, gone)
	stop()
	stop()
	if len(gone) > 0 {
		t.Error("reported twice")
	}
}

func TestRO34_WatchReaderSeesAClosedSocket(t *testing.T) {
	t.Parallel()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := os.NewFile(uintptr(fds[0]), "socket")
	defer w.Close()
	gone := make(chan error, 1)
	stop := WatchReader(w, func(err error) { gone <- err })
	defer stop()
	if err := syscall.Close(fds[1]); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, gone)
}

func TestRO34_WatchReaderStops(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	gone := make(chan error, 1)
	WatchReader(w, func(err error) { gone <- err })()
	_ = r.Close()
	if len(gone) > 0 {
		t.Error("reported after stop")
	}
}

func TestRO34_WatchReaderLeavesFilesAlone(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close() // even a poll of this would report
	WatchReader(f, func(err error) { t.Errorf("reported %v", err) })()
}
