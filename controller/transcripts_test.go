package controller

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acpctl/acpctl/controller/event"
)

// TestTranscripts reads what was recorded of other agents, from the folder in
// ACPCTL_TRANSCRIPTS: files *.jsonl of {"dir": "c2a" or "a2c", "line": FRAME}.
// What the projection makes of them is held against a plain reading.
func TestTranscripts(t *testing.T) {
	dir := os.Getenv("ACPCTL_TRANSCRIPTS")
	if dir == "" {
		t.Skip("ACPCTL_TRANSCRIPTS names no folder of recorded agents")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			readTranscript(t, file)
		})
	}
}

// plainly is what a transcript says, read with encoding/json alone.
type plainly struct {
	text  map[string]string          // agent's text by session
	calls map[string]map[string]bool // tool calls by session
	turns int                        // prompts that were answered or not
}

func readTranscript(t *testing.T, file string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	open := map[string]int{}
	begun := 0
	off := NewOffline(func(e event.Event) {
		line, err := e.AppendJSON(nil)
		if err != nil || !json.Valid(line) {
			t.Errorf("event %q: %v", line, err)
		}
		switch b := e.Body.(type) {
		case event.TurnStart:
			begun++
			open["turn "+e.SessionID]++
		case event.TurnEnd:
			open["turn "+e.SessionID]--
		case event.ToolStart:
			open["tool "+b.ToolCallID]++
		case event.ToolEnd:
			open["tool "+b.ToolCallID]--
		}
	}, true)
	want := plainly{text: map[string]string{}, calls: map[string]map[string]bool{}}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var l struct{ Dir, Line string }
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		switch l.Dir {
		case "c2a":
			off.Frame("out", []byte(l.Line))
		case "a2c":
			off.Frame("in", []byte(l.Line))
		}
		want.add(l.Dir, l.Line)
	}
	off.Close()
	for what, n := range open {
		if n != 0 {
			t.Errorf("%s: %d starts without an end", what, n)
		}
	}
	if begun != want.turns {
		t.Errorf("%d turns, want %d", begun, want.turns)
	}
	for id, snapshot := range off.Snapshots() {
		want.compare(t, id, snapshot)
	}
}

func (p *plainly) add(dir, line string) {
	var m struct {
		Method string
		Params struct {
			SessionID string
			Update    struct {
				SessionUpdate, ToolCallID string
				Content                   json.RawMessage
			}
		}
	}
	if json.Unmarshal([]byte(line), &m) != nil {
		return
	}
	id, u := m.Params.SessionID, m.Params.Update
	switch {
	case dir == "c2a" && m.Method == "session/prompt":
		p.turns++
	case dir != "a2c" || m.Method != "session/update":
	case u.SessionUpdate == "agent_message_chunk":
		var c struct{ Type, Text string }
		if json.Unmarshal(u.Content, &c) == nil && c.Type == "text" {
			p.text[id] += c.Text
		}
	case u.ToolCallID != "":
		if p.calls[id] == nil {
			p.calls[id] = map[string]bool{}
		}
		p.calls[id][u.ToolCallID] = true
	}
}

func (p *plainly) compare(t *testing.T, id string, got event.Snapshot) {
	t.Helper()
	var text strings.Builder
	for _, m := range got.Messages {
		if m.Role == "agent" {
			text.WriteString(m.Text)
		}
	}
	if text.String() != p.text[id] {
		t.Errorf("session %s: text %q, want %q", id, text.String(), p.text[id])
	}
	if len(got.ToolCalls) < len(p.calls[id]) {
		t.Errorf("session %s: %d tool calls, want %d", id, len(got.ToolCalls), len(p.calls[id]))
	}
}
