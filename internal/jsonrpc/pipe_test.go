package jsonrpc

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
)

// fill writes frames until one blocks, and returns how many passed.
func fill(ctx context.Context, to Transport, frame []byte) int {
	n := 0
	for to.WriteFrame(ctx, frame) == nil {
		n++
	}
	return n
}

func TestPipeIsBounded(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{1: 64, 100_000: 10, 1 << 20: 1, 5 << 20: 1} {
		synctest.Test(t, func(t *testing.T) {
			a, b := Pipe()
			ctx, cancel := context.WithCancelCause(t.Context())
			passed := 0
			go func() { passed = fill(ctx, a, make([]byte, size)) }()
			synctest.Wait()
			cancel(errGaveUp)
			synctest.Wait()
			if passed != want {
				t.Errorf("%d frames of %d bytes passed, want %d", passed, size, want)
			}
			if _, err := b.ReadFrame(); err != nil {
				t.Error(err)
			}
			if err := a.WriteFrame(t.Context(), []byte("x")); err != nil {
				t.Errorf("after a frame was read: %v", err)
			}
		})
	}
}

func TestPipeEnds(t *testing.T) {
	t.Parallel()
	frame := []byte("x")
	tests := []struct {
		name               string
		end                func(a, b Transport) error
		read, write        error // of b, behind the frames that a wrote
		readBack, writeOwn error // of a
	}{
		{"a closed", func(a, _ Transport) error { return a.Close() }, io.EOF, io.ErrClosedPipe, ErrClosed, io.ErrClosedPipe},
		{"a half closed", func(a, _ Transport) error { return a.(halfCloser).CloseWrite() }, io.EOF, nil, nil, io.ErrClosedPipe},
		{"b closed", func(_, b Transport) error { return b.Close() }, ErrClosed, io.ErrClosedPipe, nil, io.ErrClosedPipe},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := Pipe()
			send(t, a, "one", "two")
			send(t, b, "back")
			for range 2 {
				if err := tt.end(a, b); err != nil {
					t.Fatal(err)
				}
			}
			if !errors.Is(tt.read, ErrClosed) {
				wantFrames(t, b, "one", "two")
			}
			if _, err := b.ReadFrame(); !errors.Is(err, tt.read) {
				t.Errorf("b reads %v", err)
			}
			if err := b.WriteFrame(t.Context(), frame); !errors.Is(err, tt.write) {
				t.Errorf("b writes %v", err)
			}
			if _, err := a.ReadFrame(); !errors.Is(err, tt.readBack) {
				t.Errorf("a reads %v", err)
			}
			if err := a.WriteFrame(t.Context(), frame); !errors.Is(err, tt.writeOwn) {
				t.Errorf("a writes %v", err)
			}
		})
	}
}

func TestPipeCloseEndsBlockedCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		var read, write error
		passed := 0
		go func() { _, read = a.ReadFrame() }()
		go func() {
			passed = fill(t.Context(), a, []byte("x"))
			write = a.WriteFrame(t.Context(), []byte("x"))
		}()
		synctest.Wait()
		_ = b.Close()
		synctest.Wait()
		if !errors.Is(read, io.EOF) || !errors.Is(write, io.ErrClosedPipe) || passed != pipeFrames {
			t.Errorf("read %v, write %v, %d passed", read, write, passed)
		}
	})
}
