package transcript_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/acpctl/acpctl/controller/transcript"
)

// What is written is read again, byte for byte.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"<\u003c&>","n":1E3}}`), int64(5), true)
	f.Add([]byte(` [1 , 2] `), int64(-5), false)
	f.Add([]byte("{\n\"a\": 1\r\n}"), int64(1<<40), false)
	f.Add([]byte("\"\xff\""), int64(0), true)
	f.Fuzz(func(t *testing.T, frame []byte, ms int64, out bool) {
		if !json.Valid(frame) {
			t.Skip("a frame is JSON")
		}
		dir := transcript.In
		if out {
			dir = transcript.Out
		}
		now := time.Unix(0, 0)
		var b bytes.Buffer
		w, err := transcript.NewWriter(&b, header, &transcript.WriterOptions{Clock: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		ms %= 1 << 40
		now = now.Add(time.Duration(ms) * time.Millisecond)
		for range 2 {
			if err := w.Frame(dir, frame); err != nil {
				t.Fatal(err)
			}
		}
		want := frame
		if bytes.IndexByte(frame, '\n') >= 0 {
			var one bytes.Buffer
			if err := json.Compact(&one, frame); err != nil {
				t.Fatal(err)
			}
			want = one.Bytes()
		}
		frames, torn, err := readAll(b.String())
		if err != nil || torn != "" || len(frames) != 2 {
			t.Fatalf("%d frames, torn %q, %v", len(frames), torn, err)
		}
		for _, got := range frames {
			if !bytes.Equal(got.Raw, bytes.TrimSpace(want)) || got.Dir != dir || got.Ms != max(0, ms) {
				t.Fatalf("got %+v", got)
			}
		}
	})
}

// Arbitrary bytes never panic, and what is read can be written and read again.
func FuzzReader(f *testing.F) {
	f.Add([]byte(head + `{"t":3,"dir":"in","frame":{"a": 1e3}}` + "\n" + `{"t":4,"dir":"out","fra`))
	f.Add([]byte(`{"acpctl":"9","v":2}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		frames, _, _ := readAll(string(text))
		var b bytes.Buffer
		w, err := transcript.NewWriter(&b, header, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range frames {
			if err := w.Frame(got.Dir, got.Raw); err != nil {
				t.Fatal(err)
			}
		}
		again, torn, err := readAll(b.String())
		if err != nil || torn != "" || len(again) != len(frames) {
			t.Fatalf("%d of %d frames, torn %q, %v", len(again), len(frames), torn, err)
		}
		for i := range frames {
			if again[i].Dir != frames[i].Dir || !bytes.Equal(again[i].Raw, frames[i].Raw) {
				t.Fatalf("frame %d: %s became %s", i, frames[i].Raw, again[i].Raw)
			}
		}
	})
}
