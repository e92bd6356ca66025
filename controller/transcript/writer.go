package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// WriterOptions configure [NewWriter]; nil is legal.
type WriterOptions struct {
	// Clock tells the time. Nil: every frame has time 0. Recommended.
	Clock func() time.Time
	// Redact returns the frame without its secrets, or the frame itself. It must not
	// change or keep its argument. Optional.
	Redact func(frame []byte) []byte
}

// Writer writes a recording. It is safe for concurrent use and does not buffer: a
// line is written as a whole or the writer has failed.
type Writer struct {
	opts WriterOptions

	mu   sync.Mutex // guards what follows
	w    io.Writer
	zero time.Time
	line []byte
	err  error
}

// NewWriter writes the header and starts the clock.
func NewWriter(w io.Writer, h Header, opts *WriterOptions) (*Writer, error) {
	t := &Writer{w: w}
	if opts != nil {
		t.opts = *opts
	}
	if t.opts.Clock != nil {
		t.zero = t.opts.Clock()
	}
	h.Form = Form
	line, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encoding the header: %w", err)
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("writing the recording: %w", err)
	}
	return t, nil
}

// largeLine is from where on a frame is not copied once more to make a line of it.
const largeLine = 64 << 10

// Frame writes one frame, which must be JSON and is not kept. After the first error
// it writes nothing more and returns that error again.
func (t *Writer) Frame(dir Direction, frame []byte) error {
	frame = t.clean(frame)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return t.err
	}
	t.line = append(t.line[:0], `{"t":`...)
	t.line = strconv.AppendInt(t.line, t.sinceZero(), 10)
	t.line = append(append(append(t.line, `,"dir":"`...), dir...), `","frame":`...)
	if err := t.write(frame); err != nil {
		t.err = fmt.Errorf("writing the recording: %w", err)
	}
	return t.err
}

// write writes the begun line with its frame. It needs the mutex.
func (t *Writer) write(frame []byte) error {
	if len(frame) < largeLine {
		t.line = append(append(t.line, frame...), "}\n"...)
		_, err := t.w.Write(t.line)
		return err
	}
	for _, part := range [][]byte{t.line, frame, []byte("}\n")} {
		if _, err := t.w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// sinceZero needs the mutex, so that times never run backwards in the file.
func (t *Writer) sinceZero() int64 {
	if t.opts.Clock == nil {
		return 0
	}
	return max(0, t.opts.Clock().Sub(t.zero).Milliseconds())
}

// clean masks a frame and makes it one line. A frame that is no JSON any more when
// its secrets are masked is kept as a string: neither the secret nor the form of
// the file may suffer.
func (t *Writer) clean(frame []byte) []byte {
	clean := frame
	if t.opts.Redact != nil {
		clean = t.opts.Redact(frame)
	}
	if bytes.IndexByte(clean, '\n') < 0 && (bytes.Equal(clean, frame) || json.Valid(clean)) {
		return clean
	}
	var b bytes.Buffer
	if json.Compact(&b, clean) == nil {
		return b.Bytes()
	}
	text, err := json.Marshal(string(clean))
	if err != nil { // a string can always be encoded
		return []byte("null")
	}
	return text
}
