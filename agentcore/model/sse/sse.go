// Package sse reads event streams, as model providers send them.
//
// It follows the rules of the HTML standard for server-sent events: lines end with
// LF, CR LF or CR, a colon at the start makes a comment, one space behind the
// colon of a field is not part of its value, several data lines are joined by
// line ends, and an event that is not ended by a blank line is none.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

// maxEvent bounds one event, in bytes.
const maxEvent = 32 << 20

// ErrTooLarge is the end of a stream with an event over the bound of 32 MiB.
var ErrTooLarge = errors.New("an event of the stream is too large")

// Event is one event with data.
type Event struct {
	Name string // empty for a plain message
	Data []byte // valid until the next event
}

// Read iterates over the events of a stream. It ends with the stream; a read that
// fails ends it with the error.
func Read(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		in := &lines{r: bufio.NewReaderSize(r, 16<<10)}
		var e event
		for {
			line, err := in.next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					yield(Event{}, err)
				}
				return
			}
			if len(line) > 0 {
				if err := e.field(line); err != nil {
					yield(Event{}, err)
					return
				}
				continue
			}
			if e.hasData && !yield(Event{e.name, e.data.Bytes()}, nil) {
				return
			}
			e = event{data: e.data}
			e.data.Reset()
		}
	}
}

// event is one that is being read.
type event struct {
	name    string
	data    bytes.Buffer
	hasData bool
}

func (e *event) field(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		e.name = string(value)
	case "data":
		if e.hasData {
			e.data.WriteByte('\n')
		}
		e.hasData = true
		if e.data.Len()+len(value) > maxEvent {
			return ErrTooLarge
		}
		e.data.Write(value)
	}
	return nil
}

// lines cuts a stream at LF, CR LF and CR.
type lines struct {
	r      *bufio.Reader
	buf    []byte
	begun  bool
	skipLF bool // the line before ended with CR
}

func (l *lines) next() ([]byte, error) {
	l.buf = l.buf[:0]
	for {
		c, err := l.r.ReadByte()
		if err != nil {
			return nil, err // a line without an end is no line
		}
		if l.skipLF {
			l.skipLF = false
			if c == '\n' {
				continue
			}
		}
		if c == '\r' || c == '\n' {
			l.skipLF = c == '\r'
			line := l.buf
			if !l.begun {
				l.begun = true
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			return line, nil
		}
		if len(l.buf) >= maxEvent {
			return nil, fmt.Errorf("%w: a line of over %d bytes", ErrTooLarge, maxEvent)
		}
		l.buf = append(l.buf, c)
	}
}
