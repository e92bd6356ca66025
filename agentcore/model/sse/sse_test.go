package sse

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func read(t *testing.T, r io.Reader) (string, error) {
	t.Helper()
	var out []string
	for e, err := range Read(r) {
		if err != nil {
			return strings.Join(out, "|"), err
		}
		out = append(out, e.Name+"="+string(e.Data))
	}
	return strings.Join(out, "|"), nil
}

// TestF27_Framing reads the same events from streams that are spelled in every
// way, one byte at a time and at once.
func TestF27_Framing(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 1<<20)
	for name, tc := range map[string]struct{ stream, want string }{
		"plain":              {"data: a\n\ndata: b\n\n", "=a|=b"},
		"crlf":               {"data: a\r\n\r\ndata: b\r\n\r\n", "=a|=b"},
		"cr":                 {"data: a\r\rdata: b\r\r", "=a|=b"},
		"no space":           {"data:{\"x\": 1}\n\n", `={"x": 1}`},
		"comments":           {": PROCESSING\n\n: x\ndata: a\n: y\n\n", "=a"},
		"names and ids":      {"event: ping\nid: 7\nretry: 3\ndata: a\n\n", "ping=a"},
		"two data lines":     {"data: a\ndata: b\n\n", "=a\nb"},
		"byte order mark":    {"\ufeffdata: a\n\n", "=a"},
		"no data":            {"event: x\n\ndata: a\n\n", "=a"},
		"empty data":         {"data\n\ndata: a\n\n", "=|=a"},
		"cut at the end":     {"data: a\n\ndata: b\n", "=a"},
		"a line of 2 MiB":    {"data: " + long + "\n\n", "=" + long},
		"only comments":      {":\n:\n\n", ""},
		"field without name": {": x\n:\ndata: a\n\n", "=a"},
	} {
		for _, r := range []io.Reader{strings.NewReader(tc.stream), iotest.OneByteReader(strings.NewReader(tc.stream))} {
			if got, err := read(t, r); err != nil || got != tc.want {
				t.Errorf("%s: got %.80q, %v, want %.80q", name, got, err, tc.want)
			}
		}
	}
	broken := errors.New("reset")
	if got, err := read(t, io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken))); got != "=a" || !errors.Is(err, broken) {
		t.Errorf("a broken stream: %q, %v", got, err)
	}
	if _, err := read(t, strings.NewReader("data: "+strings.Repeat("x", maxEvent))); !errors.Is(err, ErrTooLarge) {
		t.Errorf("an endless line: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("data: a\r\n\r\nevent: x\ndata:b\n\n")
	f.Add("\ufeff:\rdata\r\r")
	f.Fuzz(func(t *testing.T, stream string) {
		whole, err := read(t, strings.NewReader(stream))
		bytewise, err2 := read(t, iotest.OneByteReader(strings.NewReader(stream)))
		if whole != bytewise || (err == nil) != (err2 == nil) {
			t.Errorf("%q: %q and %q", stream, whole, bytewise)
		}
	})
}
