package controller

import (
	"io"
	"strings"
	"sync"
)

// tailKept is how much of stderr is kept in memory, at least; twice as much at
// most.
const tailKept = 64 << 10

// tail copies what it is written and keeps the end of it.
type tail struct {
	mu  sync.Mutex // guards what follows
	out io.Writer  // nil once it failed, or for none
	buf []byte
}

func newTail(out io.Writer) *tail { return &tail{out: out} }

// Write implements [io.Writer]; it never fails, so that the agent's stderr is
// always drained.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out != nil {
		if _, err := t.out.Write(b); err != nil {
			t.out = nil
		}
	}
	t.buf = append(t.buf, b...)
	if len(t.buf) > 2*tailKept { // seldom, so that small writes stay cheap
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailKept:]...)
	}
	return len(b), nil
}

// end returns the last n bytes as text, from a line's beginning where there is
// one.
func (t *tail) end(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.buf
	if len(text) > n {
		text = text[len(text)-n:]
		if _, rest, ok := strings.Cut(string(text), "\n"); ok && rest != "" {
			return strings.ToValidUTF8(rest, "\uFFFD")
		}
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
