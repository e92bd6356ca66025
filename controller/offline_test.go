package controller

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/controller/transcript"
)

// recorded runs a turn with everything that a projection knows, and returns its
// recording, the live snapshot and the live events.
func recorded(t *testing.T) ([]byte, event.Snapshot, []event.Event) {
	t.Helper()
	var file bytes.Buffer
	w, err := transcript.NewWriter(&file, transcript.Header{Acpctl: "1", ACP: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	opts, rec := options()
	opts.Decide = deciding(policy.Allow)
	opts.Tap = func(dir string, frame []byte) {
		if err := w.Frame(transcript.Direction(dir), frame); err != nil {
			t.Error(err)
		}
	}
	c := connect(t, opts, func(p *peer) {
		p.open(`,"configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"}]}]`)
		prompt := p.expect("session/prompt")
		p.text("one ")
		p.toolCall("t", "make")
		p.permission("7", "t")
		p.expect("")
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[{"type":"diff","path":"/srv/x","oldText":null,"newText":"a\n"}]}`)
		p.update(`{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high","status":"pending"}]}`)
		p.update(`{"sessionUpdate":"future","a":1.0}`)
		p.text("two")
		p.endTurn(prompt)
	})
	s, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	live := s.Snapshot()
	_ = c.Close(t.Context())
	return file.Bytes(), live, rec.all()
}

// replayed reads a recording again.
func replayed(t *testing.T, recording []byte) (*Offline, []event.Event) {
	t.Helper()
	var events []event.Event
	off := NewOffline(func(e event.Event) { events = append(events, e) }, false)
	r, err := transcript.NewReader("r", bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	if err := off.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return off, events
}

// TestOfflinePromptWithinTurn reads what clients do that do not wait: each turn
// has one end, and an answer belongs to its own prompt.
func TestOfflinePromptWithinTurn(t *testing.T) {
	t.Parallel()
	var ends []event.TurnEnd
	off := NewOffline(func(e event.Event) {
		if end, ok := e.Body.(event.TurnEnd); ok {
			ends = append(ends, end)
		}
	}, false)
	for _, f := range []struct{ dir, frame string }{
		{"out", `{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`},
		{"out", `{"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`},
		{"in", `{"id":1,"error":{"code":-32603,"message":"busy"}}`},
		{"in", `{"id":2,"result":{"stopReason":"end_turn"}}`},
	} {
		off.Frame(f.dir, []byte(f.frame))
	}
	off.Close()
	if len(ends) != 2 || ends[0].Error == nil || ends[0].Error.Reason != "prompted_again" || ends[1].Error != nil || ends[1].StopReason != "end_turn" {
		t.Errorf("turns ended with %+v", ends)
	}
}

// TestCT39_OfflineIsLive holds the snapshot and the events of a replay against
// those of the live connection.
func TestCT39_OfflineIsLive(t *testing.T) {
	t.Parallel()
	recording, live, events := recorded(t)
	off, again := replayed(t, recording)
	if diff := cmp.Diff(asDoc(t, live), asDoc(t, off.Snapshots()["s-1"])); diff != "" {
		t.Errorf("the snapshot differs (-live +replayed):\n%s", diff)
	}
	lines := func(list []event.Event) []string {
		var out []string
		for _, e := range list {
			line, err := e.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			doc := map[string]any{}
			_ = json.Unmarshal(line, &doc)
			for _, only := range []string{"durationMs", "by", "rule", "at", "layer", "model", "effort", "exitCode", "command", "reason"} {
				if e.Type() != "permission" && only == "command" && e.Type() != "agent.start" {
					continue
				}
				delete(doc, only)
			}
			raw, _ := json.Marshal(doc)
			out = append(out, string(raw))
		}
		return out
	}
	if diff := cmp.Diff(lines(events), lines(again)); diff != "" {
		t.Errorf("the events differ (-live +replayed):\n%s", diff)
	}
	bare := NewOffline(func(event.Event) {}, false)
	bare.Update("s", json.RawMessage(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}`))
	if m := bare.Snapshots()["s"].Messages; len(m) != 1 || m[0].Text != "x" {
		t.Errorf("bare updates: %+v", m)
	}
}

func asDoc(t *testing.T, v any) any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	_ = json.Unmarshal(raw, &doc)
	return doc
}

// TestCT40_EachFrameOnce counts the frames of both sides in the recording, which
// stand there in the order of the wire.
func TestCT40_EachFrameOnce(t *testing.T) {
	t.Parallel()
	recording, _, _ := recorded(t)
	var mu sync.Mutex
	var got []string
	r, err := transcript.NewReader("r", bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	for {
		f, err := r.Next()
		if err != nil {
			break
		}
		m := members(f.Raw)
		name := jsonString(m["method"])
		if name == "session/update" {
			name = jsonString(members(members(m["params"])["update"])["sessionUpdate"])
		}
		mu.Lock()
		got = append(got, string(f.Dir)+" "+name)
		mu.Unlock()
	}
	want := "out initialize|in |out session/new|in |out session/prompt|in agent_message_chunk|in tool_call|in session/request_permission|out |" +
		"in tool_call_update|in plan|in future|in agent_message_chunk|in "
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("frames\n%s, want\n%s", s, want)
	}
}
