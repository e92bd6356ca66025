package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
)

// frames reads the output of a server and leaves out lines that cannot be a
// message: banners and debug output of a careless server would otherwise end the
// connection.
type frames struct {
	r    *bufio.Reader
	junk io.Writer // gets what is left out

	rest   []byte // of a piece that is let through
	inLine bool   // the last piece did not end its line
	skip   bool   // the line is left out
}

func newFrames(r io.Reader, junk io.Writer) *frames {
	return &frames{r: bufio.NewReaderSize(r, 64<<10), junk: junk}
}

func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		piece, err := f.r.ReadSlice('\n')
		if len(piece) == 0 && err != nil {
			return 0, err
		}
		if !f.inLine {
			start := bytes.TrimLeft(piece, " \t")
			f.skip = !bytes.HasPrefix(start, []byte("{")) && !bytes.HasPrefix(start, []byte("["))
		}
		f.inLine = errors.Is(err, bufio.ErrBufferFull)
		if !f.skip {
			f.rest = piece
		} else if _, err := f.junk.Write(piece); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// maxTail bounds what is kept of a server's complaints, in bytes.
const maxTail = 2 << 10

// tail keeps the last bytes written to it. It is safe for concurrent use.
type tail struct {
	mu  sync.Mutex
	buf []byte // guarded by mu
	cut bool   // likewise: something was dropped
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if extra := len(t.buf) - maxTail; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
		t.cut = true
	}
	return len(p), nil
}

// text is what is left, whole lines where possible, as one line of valid text.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := strings.ToValidUTF8(string(t.buf), "\ufffd")
	if t.cut {
		if _, whole, found := strings.Cut(s, "\n"); found {
			s = whole
		}
	}
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.TrimSpace(strings.Join(lines, " | "))
}
