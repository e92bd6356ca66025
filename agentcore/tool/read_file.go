package tool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

type readArgs struct {
	Path  string `json:"path"`
	Line  int    `json:"line"`
	Limit int    `json:"limit"`
}

func readFile() Tool {
	return define(Spec{
		Name: "read_file", Kind: KindRead,
		Description: "Read a text file. Relative paths are taken from the working directory. At most 64 KiB are returned; " +
			"a note at the end says where to go on. Line ends are shown as LF.",
	}, `"path":{"type":"string","minLength":1,"description":"file to read"},
		"line":{"type":"integer","minimum":1,"description":"first line, from 1"},
		"limit":{"type":"integer","minimum":1,"description":"number of lines"}`,
		[]string{"path"}, planRead)
}

func planRead(ws *Workspace, a readArgs) (*Plan, error) {
	p, err := ws.locate(a.Path)
	if err != nil {
		return nil, err
	}
	where := p.location()
	where.Line = a.Line
	return &Plan{Locations: []Location{where}, Outside: p.outside(), Run: func(ctx context.Context, _ func(Progress)) Result {
		text, err := p.readLines(ctx, max(a.Line, 1), a.Limit)
		if errors.Is(err, errIsDir) {
			return errorf("reading %s: %v; use list_dir", a.Path, err)
		}
		if err != nil {
			return errorf("reading %s: %v", a.Path, plain(err))
		}
		return Result{Text: text, Locations: []Location{where}}
	}}, nil
}

// readLines returns limit lines from line on; limit 0 is all, as far as they fit.
func (p place) readLines(ctx context.Context, line, limit int) (string, error) {
	f, err := p.openFile()
	if err != nil {
		return "", err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, sniffLen)
	head, err := r.Peek(sniffLen)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if isBinary(head) {
		return "", errBinary
	}
	if strings.HasPrefix(string(head), string(bom)) {
		_, _ = r.Discard(len(bom)) // peeked at, so it is there
	}
	w := window{first: line, limit: limit}
	if err := w.fill(ctx, r); err != nil {
		return "", err
	}
	return w.result(), nil
}

// window collects the lines of a range until it is full.
type window struct {
	first, limit int

	text     strings.Builder
	line     int  // lines read to their end
	more     bool // something follows that is not shown
	longLine bool // the last line shown is not complete
}

func (w *window) fill(ctx context.Context, r *bufio.Reader) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := r.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(part) == 0 {
			return nil
		}
		if full := w.add(part); full {
			w.more = true
			return nil
		}
		switch {
		case err == nil:
			w.line++
		case errors.Is(err, io.EOF):
			w.line++
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// add takes a piece of the line behind w.line; full means that it was not taken,
// or not as a whole.
func (w *window) add(part []byte) (full bool) {
	switch {
	case w.line+1 < w.first:
		return false
	case w.limit > 0 && w.line+1 >= w.first+w.limit:
		return true
	case w.text.Len()+len(part) <= maxText:
		w.text.Write(part)
		return false
	}
	if atLineStart := w.text.Len() > 0 && strings.HasSuffix(w.text.String(), "\n"); !atLineStart {
		w.text.WriteString(cut(string(part), maxText-w.text.Len()))
		w.longLine = true
	}
	return true
}

// result is the text and, when it is not the whole rest of the file, a note.
func (w *window) result() string {
	text := clean(unix(w.text.String()))
	switch {
	case w.longLine:
		return fmt.Sprintf("%s\n[line %d is cut after 64 KiB]", text, w.line+1)
	case w.more:
		return fmt.Sprintf("%s[lines %d to %d; more from line %d]", text, w.first, w.line, w.line+1)
	case text == "" && w.line == 0:
		return "[the file is empty]"
	case text == "":
		return fmt.Sprintf("[the file has %s]", plural(w.line, "line"))
	}
	return text
}
