package transcript_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/acpctl/acpctl/controller/transcript"
)

var header = transcript.Header{Acpctl: "1.2.3", ACP: 1}

// ticking is a clock that goes on by d at each look.
func ticking(d time.Duration) func() time.Time {
	now := time.Unix(1000, 0)
	return func() time.Time {
		defer func() { now = now.Add(d) }()
		return now
	}
}

func TestWriter(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := transcript.NewWriter(&out, header, &transcript.WriterOptions{
		Clock: ticking(1500 * time.Microsecond),
		Redact: func(frame []byte) []byte {
			return bytes.ReplaceAll(frame, []byte("s3cret"), []byte("***"))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		dir  transcript.Direction
		text string
	}{
		{transcript.Out, `{"jsonrpc":"2.0", "id":0,"n":1e3,"html":"<&>","u":"\u003c"}`},
		{transcript.In, `{"key":"s3cret"}`},
		{transcript.In, "{\n  \"a\": 1\n}"},
		{transcript.In, `{"s3cret":"s3cret`},
	} {
		if err := w.Frame(f.dir, []byte(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"acpctl":"1.2.3","v":1,"acp":1}
{"t":1,"dir":"out","frame":{"jsonrpc":"2.0", "id":0,"n":1e3,"html":"<&>","u":"\u003c"}}
{"t":3,"dir":"in","frame":{"key":"***"}}
{"t":4,"dir":"in","frame":{"a":1}}
{"t":6,"dir":"in","frame":"{\"***\":\"***"}
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestWriterWithoutOptions(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := transcript.NewWriter(&out, header, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Frame(transcript.In, []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if _, line, _ := strings.Cut(out.String(), "\n"); line != `{"t":0,"dir":"in","frame":{}}`+"\n" {
		t.Errorf("got %s", line)
	}
}

// Lines of several goroutines do not mix, whatever their size.
func TestWriterIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := transcript.NewWriter(&out, header, &transcript.WriterOptions{Clock: ticking(time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	const writers, each = 4, 25
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for n := range each {
				frame := fmt.Appendf(nil, `{"i":%d,"n":%d,"x":"%s"}`, i, n, strings.Repeat("x", n*5000))
				if err := w.Frame(transcript.In, frame); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	frames, torn, err := readAll(out.String())
	if err != nil || torn != "" || len(frames) != writers*each {
		t.Fatalf("%d frames, %q, %v", len(frames), torn, err)
	}
	next := [writers]int{}
	for at, f := range frames {
		var v struct{ I, N int }
		if err := json.Unmarshal(f.Raw, &v); err != nil || v.N != next[v.I] || f.Ms != int64(at+1) {
			t.Fatalf("line %d: %+v, time %d, %v", at, v, f.Ms, err)
		}
		next[v.I]++
	}
}

// failingWriter takes some bytes and then nothing more.
type failingWriter struct {
	left  int
	calls int
}

func (w *failingWriter) Write(p []byte) (int, error) {
	w.calls++
	if w.left -= len(p); w.left < 0 {
		return 0, os.ErrPermission
	}
	return len(p), nil
}

func TestWriterFails(t *testing.T) {
	t.Parallel()
	if _, err := transcript.NewWriter(&failingWriter{}, header, nil); !errors.Is(err, os.ErrPermission) {
		t.Errorf("NewWriter = %v", err)
	}
	for _, size := range []int{10, 200_000} {
		out := &failingWriter{left: 100}
		w, err := transcript.NewWriter(out, header, nil)
		if err != nil {
			t.Fatal(err)
		}
		frame := []byte(`"` + strings.Repeat("x", 100+size) + `"`)
		for range 3 {
			if err := w.Frame(transcript.In, frame); !errors.Is(err, os.ErrPermission) {
				t.Errorf("Frame = %v", err)
			}
		}
		if out.calls > 3 {
			t.Errorf("%d writes after the first error", out.calls)
		}
	}
}

// readAll reads a recording called rec.
func readAll(text string) (frames []transcript.Frame, torn string, err error) {
	r, err := transcript.NewReader("rec", strings.NewReader(text))
	for err == nil {
		var f transcript.Frame
		if f, err = r.Next(); err == nil {
			frames = append(frames, f)
		}
	}
	if errors.Is(err, io.EOF) {
		return frames, r.Torn(), nil
	}
	return frames, "", err
}

const head = `{"acpctl":"1.2.3","v":1,"acp":1}` + "\n"

func TestReader(t *testing.T) {
	t.Parallel()
	line := `{"t":3,"dir":"in","frame":{"a": 1e3}}`
	tests := []struct {
		name, in   string
		frames     int
		torn, fail string
	}{
		{name: "frames", in: head + line + "\n" + line + "\n", frames: 2},
		{name: "CR LF and blank lines", in: "\n" + head + "\r\n" + line + "\r\n \n", frames: 1},
		{name: "unknown members", in: `{"v":1,"acpctl":"","new":[1]}` + "\n" + `{"new":1,"t":1,"dir":"out","frame":null}` + "\n", frames: 1},
		{name: "no frame", in: head},
		{name: "last line without end", in: head + line, frames: 1},
		{name: "torn", in: head + line + "\n" + line[:20], frames: 1, torn: "rec:3: the last line is cut off and left out"},
		{name: "empty", in: " \n", fail: "rec:1:1: the file is empty"},
		{name: "torn header", in: head[:10], fail: "rec:1:10: no header of a recording: unexpected end of JSON input"},
		{name: "no header", in: line + "\n", fail: "rec:1:1: no header of a recording"},
		{name: "other NDJSON", in: `{"v":1,"type":"run.start"}` + "\n", fail: "rec:1:1: no header of a recording"},
		{name: "later form", in: `{"acpctl":"9","v":2}` + "\n", fail: "rec:1:1: form 2 of a recording is newer than this acpctl, which reads 1"},
		{name: "no JSON", in: head + line + "\n{\"t\":1,x}\n" + line + "\n", frames: 1, fail: "rec:3:8: invalid character 'x' looking for beginning of object key string"},
		{name: "wrong type", in: head + `{"t":"1","dir":"in","frame":1}` + "\n", fail: "rec:2:8: json: cannot unmarshal string into Go struct field .t of type int64"},
		{name: "direction", in: head + `{"t":1,"dir":"up","frame":1}` + "\n", fail: `rec:2:1: dir is "up", not in or out`},
		{name: "frame missing", in: head + `{"t":1,"dir":"in"}` + "\n", fail: "rec:2:1: no frame"},
		{name: "negative time", in: head + `{"t":-1,"dir":"in","frame":1}` + "\n", fail: "rec:2:1: time -1 is negative"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			frames, torn, err := readAll(tt.in)
			for _, f := range frames {
				if string(f.Raw) != `{"a": 1e3}` && string(f.Raw) != "null" {
					t.Errorf("frame %s", f.Raw)
				}
			}
			fail := ""
			if err != nil {
				fail = err.Error()
			}
			if len(frames) != tt.frames || torn != tt.torn || fail != tt.fail {
				t.Errorf("%d frames, torn %q, %q; want %d, %q, %q", len(frames), torn, fail, tt.frames, tt.torn, tt.fail)
			}
		})
	}
}

func TestReaderFails(t *testing.T) {
	t.Parallel()
	r, err := transcript.NewReader("rec", io.MultiReader(strings.NewReader(head), iotest.ErrReader(os.ErrPermission)))
	if err != nil || r.Header() != (transcript.Header{Acpctl: "1.2.3", Form: 1, ACP: 1}) {
		t.Fatalf("NewReader = %v", err)
	}
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, os.ErrPermission) {
			t.Errorf("Next = %v", err)
		}
	}
	if _, err := transcript.NewReader("rec", iotest.ErrReader(os.ErrPermission)); !errors.Is(err, os.ErrPermission) {
		t.Errorf("NewReader = %v", err)
	}
}
