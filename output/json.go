package output

import (
	"io"

	"github.com/acpctl/acpctl/controller/event"
)

// jsonSink writes the result and drops all other events.
type jsonSink struct {
	w    io.Writer
	line []byte
}

// NewJSON returns a sink that writes one line of JSON: the result event.
func NewJSON(w io.Writer) Sink { return &jsonSink{w: w} }

func (s *jsonSink) Write(e *event.Event) error {
	if _, ok := e.Body.(event.Result); !ok {
		return nil
	}
	var err error
	if s.line, err = e.AppendJSON(s.line[:0]); err != nil {
		return err
	}
	s.line = append(s.line, '\n')
	_, err = s.w.Write(s.line)
	return err
}

func (s *jsonSink) Close() error { return nil }
