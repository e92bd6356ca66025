//go:build unix

package controller

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

func TestStderrIsAlwaysDrained(t *testing.T) {
	t.Parallel()
	cmd := commandFor(t, "chatty")
	var n counter
	cmd.Stderr = &n
	c, s := start(t, cmd, nil)
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Error(err)
	}
	_ = c.Close(t.Context())
	if n != 9*200_000 {
		t.Errorf("%d bytes were copied", n)
	}
}

type counter int

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	tl := newTail(nil)
	for i := range 100_000 {
		fmt.Fprintf(tl, "line %d\n", i)
	}
	if len(tl.buf) > 3*tailKept {
		t.Errorf("%d bytes are kept", len(tl.buf))
	}
	end := tl.end(50)
	if !strings.HasPrefix(end, "line ") || !strings.HasSuffix(end, "line 99999\n") || len(end) > 50 {
		t.Errorf("end is %q", end)
	}
	if got := newTail(nil); got.end(10) != "" {
		t.Error("an empty tail has an end")
	}
}

func TestDrainReadsEverythingBeforeItGivesUp(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	d := newDrain(r)
	want := strings.Repeat("x", 10_000)
	if _, err := io.WriteString(w, want); err != nil {
		t.Fatal(err)
	}
	d.writerGone()
	var got []byte
	buf := make([]byte, 100)
	for {
		n, err := d.Read(buf)
		got = append(got, buf[:n]...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if string(got) != want {
		t.Errorf("%d bytes were read, want %d", len(got), len(want))
	}
}
