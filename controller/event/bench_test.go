package event

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// chunk80 is an update with 80 bytes of text.
var chunk80 = json.RawMessage(`{"sessionUpdate":"agent_message_chunk","messageId":"msg_0123456789","content":{"type":"text","text":"` +
	strings.Repeat("0123456789", 8) + `"}}`)

// benchmarkChunks takes chunks from the update to the bytes of the line, in turns
// of 10,000.
func benchmarkChunks(b *testing.B, deltas bool) {
	b.Helper()
	p := NewProjector(&ProjectorOptions{Deltas: deltas})
	at := time.Unix(1_800_000_000, 0)
	var line []byte
	b.ReportAllocs()
	b.SetBytes(80)
	n := 0
	emit := func(bodies []Body) {
		for _, body := range bodies {
			n++
			e := Event{Seq: int64(n), Time: at, Run: "run-1", SessionID: "sess-1", Turn: 1, Body: body}
			line, _ = e.AppendJSON(line[:0])
		}
	}
	p.BeginTurn()
	for i := 0; b.Loop(); i++ {
		if i%10_000 == 9_999 {
			emit(p.EndTurn(false))
			p.SetReplay(true) // forget the history
			p.SetReplay(false)
			p.BeginTurn()
		}
		emit(p.Update(chunk80))
	}
	if deltas && n == 0 {
		b.Fatal("no events")
	}
}

func BenchmarkDelta(b *testing.B) { benchmarkChunks(b, true) }

func BenchmarkChunk(b *testing.B) { benchmarkChunks(b, false) }

func BenchmarkToolCall(b *testing.B) {
	p := NewProjector(nil)
	start := json.RawMessage(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"ls","kind":"execute","status":"pending","rawInput":{"command":"ls"}}`)
	end := json.RawMessage(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[{"type":"content","content":{"type":"text","text":"a\nb\n"}}]}`)
	var line []byte
	b.ReportAllocs()
	for b.Loop() {
		p.BeginTurn()
		for _, u := range []json.RawMessage{start, end} {
			for _, body := range p.Update(u) {
				e := Event{Seq: 1, SessionID: "sess-1", Turn: 1, Body: body}
				line, _ = e.AppendJSON(line[:0])
			}
		}
		p.EndTurn(false)
	}
}

// TestChunkAllocations guards the hot path: without deltas a chunk costs nothing
// but its text, with them the body and the list it comes in; its line costs
// nothing.
func TestChunkAllocations(t *testing.T) {
	if testing.Short() {
		t.Skip("counts allocations")
	}
	for _, tt := range []struct {
		deltas bool
		most   float64
	}{{false, 0}, {true, 2}} {
		p := NewProjector(&ProjectorOptions{Deltas: tt.deltas})
		p.BeginTurn()
		p.Update(chunk80)
		line := make([]byte, 0, 1024)
		got := testing.AllocsPerRun(1000, func() {
			for _, body := range p.Update(chunk80) {
				line, _ = (&Event{SessionID: "s", Turn: 1, Body: body}).AppendJSON(line[:0])
			}
		})
		if got > tt.most {
			t.Errorf("deltas %v: %v allocations a chunk, want at most %v", tt.deltas, got, tt.most)
		}
	}
}
