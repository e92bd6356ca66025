package event

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// act is one line of a golden input: something that happens to a projector.
type act struct {
	Deltas     *bool           `json:"deltas"`
	Begin      bool            `json:"begin"`
	Update     json.RawMessage `json:"update"`
	Permission json.RawMessage `json:"permission"`
	Question   *string         `json:"question"`
	Cancel     bool            `json:"cancel"`
	End        *string         `json:"end"` // "" or cancelled
	Discard    []string        `json:"discard"`
	Replay     *bool           `json:"replay"`
	Config     json.RawMessage `json:"config"`
	Origin     string          `json:"origin"`
	Snapshot   bool            `json:"snapshot"`
}

// play does it and returns the bodies.
func (a *act) play(p *Projector) []Body {
	switch {
	case a.Deltas != nil:
		p.opts.Deltas = *a.Deltas
	case a.Begin:
		p.BeginTurn()
	case a.Update != nil:
		return p.Update(a.Update)
	case a.Permission != nil:
		bodies, _ := p.Permission(a.Permission)
		return bodies
	case a.Question != nil:
		return p.Question(*a.Question)
	case a.Cancel:
		p.CancelOpen()
	case a.End != nil:
		return p.EndTurn(*a.End == "cancelled")
	case a.Discard != nil:
		p.Discard(a.Discard)
	case a.Replay != nil:
		return p.SetReplay(*a.Replay)
	case a.Origin != "":
		return p.Config(a.Config, a.Origin)
	}
	return nil
}

// TestGolden plays the inputs of testdata/golden and compares the lines, the
// turn's text and changes behind each turn, and the snapshot.
func TestGolden(t *testing.T) {
	t.Parallel()
	for name, ar := range goldenArchives(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := ar.Files[1:]
			got := playGolden(t, ar.Files[0].Data)
			if *update {
				ar.Files = append(ar.Files[:1], got...)
				if err := os.WriteFile("testdata/golden/"+name+".txtar", txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(sections(want), sections(got)); diff != "" {
				t.Errorf("differs from the golden file (-want +got):\n%s", diff)
			}
		})
	}
}

// goldenArchives reads the golden files by name.
func goldenArchives(tb testing.TB) map[string]*txtar.Archive {
	tb.Helper()
	files, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no golden files: %v", err)
	}
	all := make(map[string]*txtar.Archive)
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".txtar")] = ar
	}
	return all
}

func sections(files []txtar.File) map[string][]string {
	m := make(map[string][]string)
	for _, f := range files {
		m[f.Name] = strings.Split(string(f.Data), "\n")
	}
	return m
}

func playGolden(t *testing.T, in []byte) []txtar.File {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := NewProjector(&ProjectorOptions{Cwd: "/w", Now: func() time.Time {
		now = now.Add(5 * time.Millisecond)
		return now
	}})
	var events, turns bytes.Buffer
	seq := int64(0)
	for line := range strings.Lines(string(in)) {
		var a act
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for _, body := range a.play(p) {
			seq++
			e := Event{Seq: seq, Time: time.Unix(0, 0), SessionID: "s", Turn: p.turns, Body: body}
			events.Write(mustEncode(t, &e))
			events.WriteByte('\n')
		}
		switch {
		case a.End != nil:
			fmt.Fprintf(&turns, "text %q changes %s\n", p.TurnText(), indented(t, p.Changes(), ""))
		case a.Snapshot:
			fmt.Fprintf(&turns, "calls %s\n", indented(t, p.Snapshot().ToolCalls, ""))
		}
	}
	return []txtar.File{
		{Name: "want.ndjson", Data: events.Bytes()},
		{Name: "turns", Data: turns.Bytes()},
		{Name: "snapshot.json", Data: append(indented(t, p.Snapshot(), "  "), '\n')},
	}
}

func indented(t *testing.T, v any, indent string) []byte {
	t.Helper()
	doc, err := encode(v)
	if err != nil || indent == "" {
		return doc
	}
	var buf bytes.Buffer
	if err := json.Indent(&buf, doc, "", indent); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// mustEncode encodes an event and holds the line against what every line promises:
// valid JSON on one line, and the same bytes after it was parsed.
func mustEncode(t *testing.T, e *Event) []byte {
	t.Helper()
	line, err := e.AppendJSON(nil)
	if err != nil {
		t.Fatalf("%#v: %v", e.Body, err)
	}
	if !json.Valid(line) || bytes.ContainsAny(line, "\n\r") {
		t.Fatalf("no line of JSON: %q", line)
	}
	back, err := Parse(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	again, err := back.AppendJSON(nil)
	if err != nil || !bytes.Equal(again, line) {
		t.Fatalf("round trip of\n%s gave\n%s (%v)", line, again, err)
	}
	return line
}
