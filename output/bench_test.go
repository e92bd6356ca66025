package output

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// BenchmarkNDJSON is the cost of one small event on its way to the reader, with
// ten secrets to look for and without.
func BenchmarkNDJSON(b *testing.B) {
	secrets := make([]string, 10)
	for i := range secrets {
		secrets[i] = strings.Repeat(string(rune('a'+i)), 5) + "/0123456789+=&\"0123456789012345"
	}
	for name, r := range map[string]*Redactor{"plain": NewRedactor(nil), "masked": NewRedactor(secrets)} {
		b.Run(name, func(b *testing.B) {
			g := NewGuard(io.Discard)
			s := NewNDJSON(g, nil)
			e := event.Event{Seq: 1, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Run: "r", SessionID: "s1", Turn: 1, Body: event.MessageDelta{
				Role: "agent", MessageID: "m1", Text: "Eighty bytes of text, which is about what an agent sends in one chunk of a message.",
			}}
			b.ReportAllocs()
			for b.Loop() {
				for _, m := range r.Events(e) {
					if err := s.Write(&m); err != nil {
						b.Fatal(err)
					}
				}
			}
			if err := g.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
