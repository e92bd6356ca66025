package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Error is what is wrong with a recording, and where. Line and Column count from 1,
// Column in bytes.
type Error struct {
	Name         string
	Line, Column int
	Err          error
}

// Error reads name:line:column: message.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %v", e.Name, e.Line, e.Column, e.Err)
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// Reader reads a recording. It is not safe for concurrent use.
type Reader struct {
	name   string
	r      *bufio.Reader
	header Header
	line   int
	torn   string
	err    error // what every later Next returns
}

// NewReader reads the header. The name is for messages. Errors are of type
// [*Error]: no recording, or one in a later form; or those of r.
func NewReader(name string, r io.Reader) (*Reader, error) {
	t := &Reader{name: name, r: bufio.NewReaderSize(r, 64<<10)}
	line, _, err := t.next()
	switch {
	case errors.Is(err, io.EOF):
		return nil, &Error{Name: name, Line: 1, Column: 1, Err: errors.New("the file is empty")}
	case err != nil:
		return nil, err
	}
	var h struct {
		Acpctl *string `json:"acpctl"`
		Form   int     `json:"v"`
		ACP    int     `json:"acp"`
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, t.wrong(fmt.Errorf("no header of a recording: %w", err))
	}
	switch {
	case h.Acpctl == nil || h.Form < 1:
		return nil, t.wrong(errors.New("no header of a recording"))
	case h.Form > Form:
		return nil, t.wrong(fmt.Errorf("form %d of a recording is newer than this acpctl, which reads %d", h.Form, Form))
	}
	t.header = Header{Acpctl: *h.Acpctl, Form: h.Form, ACP: h.ACP}
	return t, nil
}

// Header returns the first line.
func (t *Reader) Header() Header { return t.header }

// Torn describes a last line that is not whole, as a crash leaves it, and that Next
// left out; "" when there is none. It is known once Next returned io.EOF.
func (t *Reader) Torn() string { return t.torn }

// Next returns the next frame, io.EOF at the end, an [*Error] for a line that is
// not of the form. After an error it returns that error again.
func (t *Reader) Next() (Frame, error) {
	if t.err != nil {
		return Frame{}, t.err
	}
	f, err := t.frame()
	t.err = err
	return f, err
}

func (t *Reader) frame() (Frame, error) {
	line, whole, err := t.next()
	if err != nil {
		return Frame{}, err
	}
	if !whole && !json.Valid(line) {
		t.torn = fmt.Sprintf("%s:%d: the last line is cut off and left out", t.name, t.line)
		return Frame{}, io.EOF
	}
	var f struct {
		Ms  int64           `json:"t"`
		Dir Direction       `json:"dir"`
		Raw json.RawMessage `json:"frame"`
	}
	if err := json.Unmarshal(line, &f); err != nil {
		return Frame{}, t.wrong(err)
	}
	switch {
	case f.Dir != In && f.Dir != Out:
		return Frame{}, t.wrong(fmt.Errorf("dir is %q, not in or out", f.Dir))
	case f.Raw == nil:
		return Frame{}, t.wrong(errors.New("no frame"))
	case f.Ms < 0:
		return Frame{}, t.wrong(fmt.Errorf("time %d is negative", f.Ms))
	}
	return Frame{Ms: f.Ms, Dir: f.Dir, Raw: f.Raw}, nil
}

// next returns the next line that is not blank; whole says that its end was there.
func (t *Reader) next() (line []byte, whole bool, err error) {
	for {
		line, err = t.r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, false, fmt.Errorf("reading %s: %w", t.name, err)
		}
		t.line++
		whole = err == nil
		if len(bytes.TrimSpace(line)) > 0 {
			return line, whole, nil
		}
		if !whole {
			return nil, false, io.EOF
		}
	}
}

// wrong places an error in the current line.
func (t *Reader) wrong(err error) *Error {
	column := 1
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		column = max(1, int(syntax.Offset))
	}
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		column = max(1, int(mismatch.Offset))
	}
	return &Error{Name: t.name, Line: t.line, Column: column, Err: err}
}
