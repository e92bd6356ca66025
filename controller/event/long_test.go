package event

import (
	"bytes"
	"strings"
	"testing"
)

// parts counts the calls of Write.
type parts struct {
	bytes.Buffer
	n, most int
}

func (p *parts) Write(b []byte) (int, error) {
	p.n++
	p.most = max(p.most, len(b))
	return p.Buffer.Write(b)
}

// TestWriteJSONLongTexts holds lines that are written in parts against the same
// lines made at once.
func TestWriteJSONLongTexts(t *testing.T) {
	texts := map[string]string{
		"plain":   strings.Repeat("abcdefg ", longText/8),
		"escapes": strings.Repeat("\"\\\n\x00\x7f\u2028<", longText/8),
		"wide":    "x" + strings.Repeat("é世🙂", longText/9),
		"broken":  strings.Repeat("a\xff\xc3", longText/2),
		"hole":    hole + `"text":"\u0000"` + strings.Repeat("y", longText),
		"short":   "short",
	}
	for name, text := range texts {
		for _, b := range []Body{
			Message{Role: "agent", MessageID: `"text":"`, Text: text},
			Thought{Text: text},
			TurnEnd{StopReason: hole, Text: text},
			StepEnd{Kind: "prompt", Status: "ok", Text: text},
			Result{Status: "ok", Reason: `"text":"\u0000"`, Text: text},
		} {
			e := Event{Seq: 3, Run: `"text":"\u0000"`, Step: hole, SessionID: "s", Body: b}
			want, err := e.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			var got parts
			if _, err := e.WriteJSON(&got, nil); err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want)+"\n" {
				t.Errorf("%s %T: the parts make another line", name, b)
			}
			if long := len(text) >= longText; long == (got.n == 1) || got.most > 7*partText {
				t.Errorf("%s %T: %d writes, the longest of %d bytes", name, b, got.n, got.most)
			}
		}
	}
}

// TestRope holds the text against its pieces, and the pieces against later ones.
func TestRope(t *testing.T) {
	var r rope
	var want string
	var shown []string
	for _, n := range []int{0, 1, 10, ropePiece, 3, ropeBlock - 1, 5, 2 * ropeBlock, 1} {
		piece := strings.Repeat(string(rune('a'+n%26)), n)
		want += piece
		shown = append(shown, r.add([]byte(piece)))
	}
	for range 300 {
		want += strings.Repeat("z", 200)
		r.add([]byte(strings.Repeat("z", 200)))
	}
	if strings.Join(shown, "") != want[:len(want)-60000] || r.join() != want || r.join() != want {
		t.Error("the rope is not the text of its pieces")
	}
	r.add([]byte("more"))
	if r.join() != want+"more" {
		t.Error("a joined rope does not go on")
	}
}
