package jsonrpc

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// repeat reads as n copies of a line.
type repeat struct {
	line []byte
	n    int
	rest []byte
}

func (r *repeat) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.n == 0 {
			return 0, io.EOF
		}
		lines := min(r.n, max(1, blockSize/len(r.line)))
		r.n -= lines
		r.rest = bytes.Repeat(r.line, lines)
		if lines == 1 {
			r.rest = r.line
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// benchmarkRead measures reading, scanning and dispatch of b.N notifications.
func benchmarkRead(b *testing.B, params string) {
	b.Helper()
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":` + params + "}\n")
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	handled := 0
	r := &lineReader{in: &repeat{line: line, n: b.N}, max: 64 << 20}
	c := NewConn(readOnly{r}, &Options{Handler: funcs{notify: func(context.Context, *Notification) { handled++ }}})
	<-c.Done()
	_ = c.Close()
	if handled != b.N {
		b.Errorf("%d of %d handled", handled, b.N)
	}
}

// readOnly is a transport of lines.
type readOnly struct {
	*lineReader
}

func (r readOnly) ReadFrame() ([]byte, error)             { return r.nextLine() }
func (readOnly) WriteFrame(context.Context, []byte) error { return nil }
func (readOnly) Close() error                             { return nil }

func BenchmarkNotify80B(b *testing.B) { benchmarkRead(b, `{"a":"`+strings.Repeat("x", 18)+`"}`) }

func BenchmarkFrame32MiB(b *testing.B) { benchmarkRead(b, `{"a":"`+strings.Repeat("x", 32<<20)+`"}`) }

func BenchmarkScan80B(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"a":"` + strings.Repeat("x", 18) + `"}}`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := scanFrame(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	x, y := Pipe()
	open(b, x, &Options{Handler: echo})
	c := open(b, y, nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Call(context.Background(), "m", nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}
