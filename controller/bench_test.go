package controller

import (
	"fmt"
	"testing"

	"github.com/acpctl/acpctl/controller/event"
)

// BenchmarkUpdates is the way of one update of 80 characters from the frame to
// the events, with deltas.
func BenchmarkUpdates(b *testing.B) {
	frame := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%080d"}}}}`, 7)
	s := session(b, &Options{Deltas: true, Emit: func(event.Event) {}}, func(p *peer) {
		prompt := p.prompted()
		for range b.N {
			p.send(frame)
		}
		p.endTurn(prompt)
	})
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := s.Prompt(b.Context(), say("hi")); err != nil {
		b.Fatal(err)
	}
}
