package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/controller/event"
)

// writes records each call of Write.
type writes struct {
	list []string
	err  error
}

func (w *writes) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	w.list = append(w.list, string(p))
	return len(p), nil
}

func event1(seq int64, b event.Body) *event.Event { return &event.Event{Seq: seq, Body: b} }

func TestRO27_NDJSONWritesWholeLines(t *testing.T) {
	t.Parallel()
	var w writes
	s := NewNDJSON(&w, nil)
	for i, b := range []event.Body{event.Mode{ModeID: "a<b"}, event.Result{Status: "ok"}} {
		if err := s.Write(event1(int64(i+1), b)); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.list) != 2 {
		t.Fatalf("%d writes, want one per line: %q", len(w.list), w.list)
	}
	for i, line := range w.list {
		if e, err := event.Parse([]byte(line)); err != nil || e.Seq != int64(i+1) || !strings.HasSuffix(line, "}\n") {
			t.Errorf("line %d is no event: %q, %v", i, line, err)
		}
	}
	w.err = syscall.EPIPE
	if err := s.Write(event1(3, event.Mode{})); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("error of a lost reader: %v", err)
	}
}

func TestRO31_FilterSpeaksPerLineAndNamesTheEvent(t *testing.T) {
	t.Parallel()
	errBad := errors.New("bad")
	filter := func(e map[string]any) iter.Seq2[any, error] {
		return func(yield func(any, error) bool) {
			switch e["type"] {
			case "mode":
				_ = yield(e["modeId"], nil) && yield(map[string]any{"seq": e["seq"]}, nil)
			case "limit":
				_ = yield("before", nil) && yield(nil, errBad)
			}
		}
	}
	for _, c := range []struct {
		name string
		raw  bool
		want []string
	}{
		{"json", false, []string{"\"a<\\nb\"\n{\"seq\":1}\n", "\"before\"\n", "\"c\"\n{\"seq\":4}\n"}},
		{"raw", true, []string{"a<\nb\n{\"seq\":1}\n", "before\n", "c\n{\"seq\":4}\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var w writes
			s := NewNDJSON(&w, &NDJSONOptions{Filter: filter, Raw: c.raw})
			for i, b := range []event.Body{event.Mode{ModeID: "a<\nb"}, event.Limit{}, event.Info{}, event.Mode{ModeID: "c"}} {
				if err := s.Write(event1(int64(i+1), b)); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(c.want, w.list); diff != "" {
				t.Errorf("lines differ (-want +got):\n%s", diff)
			}
			if err := s.Close(); !errors.Is(err, errBad) || !strings.Contains(err.Error(), "event 2") {
				t.Errorf("Close = %v, want the filter's error with the event's seq", err)
			}
		})
	}
}

func TestRO31_FilterKeepsNumbers(t *testing.T) {
	t.Parallel()
	var w writes
	s := NewNDJSON(&w, &NDJSONOptions{Filter: func(e map[string]any) iter.Seq2[any, error] {
		return func(yield func(any, error) bool) { yield(e["update"], nil) }
	}})
	if err := s.Write(event1(1, event.Update{Kind: "x", Update: json.RawMessage(`{"n":12345678901234567890}`)})); err != nil {
		t.Fatal(err)
	}
	if want := []string{"{\"n\":12345678901234567890}\n"}; !cmp.Equal(want, w.list) {
		t.Errorf("lines %q, want %q", w.list, want)
	}
}

func TestRO32_JSONWritesTheResultAlone(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	s := NewJSON(&buf)
	for _, b := range []event.Body{event.Mode{}, event.Result{Status: "ok", Text: "done"}} {
		if err := s.Write(event1(7, b)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := event.Parse(buf.Bytes())
	if err != nil || e.Body.(event.Result).Text != "done" {
		t.Errorf("%q: %v", buf.String(), err)
	}
}
