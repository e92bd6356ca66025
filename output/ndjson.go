package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/acpctl/acpctl/controller/event"
)

// Filter maps one event, decoded as JSON values with numbers as [json.Number],
// to any number of JSON values. It ends at its first error.
type Filter func(e map[string]any) iter.Seq2[any, error]

// NDJSONOptions are the options of [NewNDJSON]; nil is the zero value.
type NDJSONOptions struct {
	Filter Filter // nil: the events themselves
	Raw    bool   // with a filter: strings are printed bare
}

// ndjson writes every line with one call of Write, so that a reader sees whole
// lines as soon as they are there; only a line with a long text takes several.
type ndjson struct {
	w      io.Writer
	opts   NDJSONOptions
	line   []byte
	failed error // first error of the filter
}

// keptLine is the size up to which the buffer of a line is kept for the next one.
const keptLine = 1 << 20

// NewNDJSON returns a sink that writes one line of JSON per event, or per result
// of the filter. A filter that fails on an event loses what it had still to say
// about that event only; the first such error comes out of Close.
func NewNDJSON(w io.Writer, opts *NDJSONOptions) Sink {
	if opts == nil {
		opts = &NDJSONOptions{}
	}
	return &ndjson{w: w, opts: *opts}
}

func (s *ndjson) Write(e *event.Event) error {
	var err error
	if s.opts.Filter == nil {
		s.line, err = e.WriteJSON(s.w, s.line)
		if cap(s.line) > keptLine {
			s.line = nil
		}
		return err
	}
	if s.line, err = e.AppendJSON(s.line[:0]); err != nil {
		return err
	}
	s.line = append(s.line, '\n')
	return s.filter(e.Seq)
}

func (s *ndjson) Close() error { return s.failed }

// filter replaces the line by what the filter makes of it.
func (s *ndjson) filter(seq int64) error {
	var value map[string]any
	dec := json.NewDecoder(bytes.NewReader(s.line))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		return fmt.Errorf("decoding event %d: %w", seq, err)
	}
	var out bytes.Buffer
	for result, err := range s.opts.Filter(value) {
		if err == nil {
			err = s.print(&out, result)
		}
		if err != nil {
			s.fail(seq, err)
			break
		}
	}
	if out.Len() == 0 {
		return nil
	}
	_, err := s.w.Write(out.Bytes())
	return err
}

// print appends one result and its newline.
func (s *ndjson) print(out *bytes.Buffer, result any) error {
	if text, ok := result.(string); ok && s.opts.Raw {
		out.WriteString(text)
		out.WriteByte('\n')
		return nil
	}
	before := out.Len()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		out.Truncate(before)
		return err
	}
	return nil
}

func (s *ndjson) fail(seq int64, err error) {
	if s.failed == nil {
		s.failed = fmt.Errorf("filtering event %d: %w", seq, err)
	}
}
