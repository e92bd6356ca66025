package output

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestBatchJoinsWhatComesMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &slow{open: make(chan struct{})}
		b := NewBatch(w)
		var want strings.Builder
		for i := range 100 {
			line := fmt.Sprintf("line %d\n", i)
			want.WriteString(line)
			if _, err := b.Write([]byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		close(w.open)
		if err := b.Flush(); err != nil || w.got != want.String() {
			t.Errorf("flushed %d bytes of %d, %v", len(w.got), want.Len(), err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestBatchWaitsForASlowReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &slow{open: make(chan struct{})}
		b := NewBatch(w)
		written := 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 1000 {
				n, _ := b.Write(make([]byte, 1024))
				written += n
			}
		}()
		time.Sleep(time.Hour)
		synctest.Wait()
		if written > 3*batchBytes {
			t.Errorf("%d bytes taken over while nobody reads", written)
		}
		close(w.open)
		<-done
		if err := b.Close(); err != nil || len(w.got) != 1000*1024 {
			t.Errorf("%d bytes arrived, %v", len(w.got), err)
		}
	})
}

func TestBatchErrorStays(t *testing.T) {
	t.Parallel()
	b := NewBatch(&writes{err: syscall.EPIPE})
	_, _ = b.Write([]byte("a\n"))
	if err := b.Flush(); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Flush = %v", err)
	}
	if _, err := b.Write([]byte("b\n")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Write = %v", err)
	}
	if err := b.Close(); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Close = %v", err)
	}
}
