package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// slow is a writer that nobody reads until open is closed.
type slow struct {
	open chan struct{}
	mu   sync.Mutex
	got  string
}

func (s *slow) Write(p []byte) (int, error) {
	<-s.open
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got += string(p)
	return len(p), nil
}

func TestRO36_GuardWaitsForASlowReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &slow{open: make(chan struct{})}
		g := NewGuard(w)
		line := []byte("one\n")
		done := make(chan error)
		go func() {
			_, err := g.Write(line)
			done <- err
		}()
		time.Sleep(time.Hour)
		select {
		case err := <-done:
			t.Fatalf("the write did not wait: %v", err)
		default:
		}
		close(w.open)
		if err := <-done; err != nil || w.got != "one\n" {
			t.Errorf("wrote %q, %v", w.got, err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestRO38_GuardGivesUpAfterTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &slow{open: make(chan struct{})}
		g := NewGuard(w)
		start := time.Now()
		line := []byte("one\n")
		time.AfterFunc(time.Second, func() { g.Deadline(2 * time.Second) })
		time.AfterFunc(time.Second, func() { g.Deadline(9 * time.Second) })
		if _, err := g.Write(line); !errors.Is(err, ErrGiveUp) {
			t.Errorf("error %v, want ErrGiveUp", err)
		}
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("gave up after %v, want 3s", d)
		}
		copy(line, "xxxx") // the write that is still under way must not see this
		if _, err := g.Write(line); !errors.Is(err, ErrGiveUp) {
			t.Errorf("the error did not stay: %v", err)
		}
		if err := g.Close(); !errors.Is(err, ErrGiveUp) {
			t.Errorf("Close = %v", err)
		}
		close(w.open)
		synctest.Wait()
		if w.got != "one\n" {
			t.Errorf("the held write wrote %q", w.got)
		}
	})
}

func TestRO38_GuardWritesWithinTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &slow{open: make(chan struct{})}
		close(w.open)
		g := NewGuard(w)
		g.Deadline(time.Second)
		if _, err := g.Write([]byte("result\n")); err != nil {
			t.Error(err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		if _, err := g.Write([]byte("late\n")); err == nil {
			t.Error("a closed guard accepts writes")
		}
	})
}

// TestRO38_GuardCountsOnlyTheReadersTime has an agent that takes longer to end
// than the reader may hold up writes.
func TestRO38_GuardCountsOnlyTheReadersTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &delayed{d: time.Second}
		g := NewGuard(w)
		g.Deadline(2500 * time.Millisecond)
		for i := range 2 {
			time.Sleep(time.Minute)
			if _, err := g.Write([]byte("x")); err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		}
		if _, err := g.Write([]byte("x")); !errors.Is(err, ErrGiveUp) {
			t.Errorf("the third write is 3 s of waiting in all: %v", err)
		}
		time.Sleep(time.Minute) // the write that was given up ends
		_ = g.Close()
	})
}

// delayed is a writer that takes d for each write.
type delayed struct{ d time.Duration }

func (w *delayed) Write(p []byte) (int, error) {
	time.Sleep(w.d)
	return len(p), nil
}

func TestRO34_GuardKeepsTheFirstError(t *testing.T) {
	t.Parallel()
	w := &writes{err: fmt.Errorf("write: %w", syscall.EPIPE)}
	g := NewGuard(w)
	_, first := g.Write([]byte("a\n"))
	w.err = nil
	if _, err := g.Write([]byte("b\n")); !errors.Is(err, first) || !IsReaderGone(err) || len(w.list) > 0 {
		t.Errorf("second write: %v, wrote %q", err, w.list)
	}
	if err := g.Close(); !errors.Is(err, first) {
		t.Errorf("Close = %v", err)
	}
}

func TestRO34_IsReaderGone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, true},
		{&os.PathError{Op: "write", Path: "|1", Err: syscall.ECONNRESET}, true},
		{io.ErrClosedPipe, true},
		{syscall.ENOSPC, false},
		{ErrGiveUp, false},
		{nil, false},
	} {
		if got := IsReaderGone(c.err); got != c.want {
			t.Errorf("IsReaderGone(%v) = %v", c.err, got)
		}
	}
}
