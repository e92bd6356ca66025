package jsonrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// discard is an output that takes everything.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

func readAll(t *testing.T, r io.Reader, opts *StreamOptions) (frames []string, err error) {
	t.Helper()
	s := NewStream(io.NopCloser(r), discard{}, opts)
	t.Cleanup(func() { _ = s.Close() })
	for {
		frame, err := s.ReadFrame()
		if large := (*FrameTooLargeError)(nil); errors.As(err, &large) {
			frames = append(frames, large.Error())
		} else if err != nil {
			return frames, err
		} else {
			frames = append(frames, string(frame))
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 20_000)
	tests := []struct {
		name, in string
		max      int
		want     []string
	}{
		{name: "empty"},
		{name: "lines", in: "a\nb\n", want: []string{"a", "b"}},
		{name: "last line without end", in: "a\nb", want: []string{"a", "b"}},
		{name: "CR LF and blank lines", in: "\r\n\na\r\n \t\nb \r\n\r\n\n", want: []string{"a", "b "}},
		{name: "byte order mark", in: "\ufeff{}\n\ufeff{}", want: []string{"{}", "\ufeff{}"}},
		{name: "long lines", in: long + "\n" + "a\n" + long + long, want: []string{long, "a", long + long}},
		{name: "at the limit", in: "1234\n12345\n123456\n1\n", max: 5, want: []string{"1234", "12345", "frame of 6 bytes is over the limit of 5", "1"}},
		{name: "far over the limit", in: long + "\nb\n" + long, max: 5, want: []string{"frame of 200000 bytes is over the limit of 5", "b", "frame of 200000 bytes is over the limit of 5"}},
		{name: "limit of several blocks", in: long + "\n" + long + "x\n", max: 200_000, want: []string{long, "frame of 200001 bytes is over the limit of 200000"}},
		{name: "a block and its end", in: strings.Repeat("x", blockSize) + "\n" + strings.Repeat("y", blockSize-1) + "\n", want: []string{strings.Repeat("x", blockSize), strings.Repeat("y", blockSize-1)}},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r },
		"bytes": iotest.OneByteReader,
		"halves and end with data": func(r io.Reader) io.Reader {
			return iotest.DataErrReader(iotest.HalfReader(r))
		},
	}
	for _, tt := range tests {
		for how, wrap := range readers {
			t.Run(tt.name+", "+how, func(t *testing.T) {
				t.Parallel()
				got, err := readAll(t, wrap(strings.NewReader(tt.in)), &StreamOptions{MaxFrame: tt.max})
				if !errors.Is(err, io.EOF) {
					t.Errorf("err = %v", err)
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("got %.300q\nwant %.300q", got, tt.want)
				}
			})
		}
	}
}

func TestReadErrorComesBehindTheFrames(t *testing.T) {
	t.Parallel()
	got, err := readAll(t, io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(os.ErrPermission)), nil)
	if !errors.Is(err, os.ErrPermission) || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

// The caller owns what ReadFrame returned.
func TestFramesAreCopies(t *testing.T) {
	t.Parallel()
	s := NewStream(io.NopCloser(strings.NewReader("aaa\nbbb\n")), discard{}, nil)
	defer s.Close()
	first, _ := s.ReadFrame()
	_ = append(first, "xxxx"...)
	second, err := s.ReadFrame()
	if string(first) != "aaa" || string(second) != "bbb" || err != nil {
		t.Errorf("got %q, %q, %v", first, second, err)
	}
}

func TestF11_LargeFramesPass(t *testing.T) {
	t.Parallel()
	a, b := osPipe(t, nil)
	open(t, a, &Options{Handler: echo})
	c := open(t, b, nil)
	for _, size := range []int{65_536, 1_048_577, 8_388_609, 32 << 20} {
		text := mustJSON(t, strings.Repeat("x", size))
		got, err := c.Call(t.Context(), "m", text, nil)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes: %d came back, %v", size, len(got), err)
		}
	}
}

// CT-13, and the bound on memory: a line of 256 MiB is counted, not kept.
func TestCT13_TooLargeFrameIsSkippedInBoundedMemory(t *testing.T) {
	const size = 256 << 20
	head := `{"jsonrpc":"2.0","method":"n","params":"`
	in := io.MultiReader(strings.NewReader(head), io.LimitReader(endless{}, size), strings.NewReader("\n"+notification(1)+"\n"))
	reported, handled := make(chan Junk, 1), make(chan struct{})
	before := allocated()
	c := open(t, NewStream(io.NopCloser(in), discard{}, &StreamOptions{MaxFrame: 1 << 20}), &Options{
		OnJunk:  func(j Junk) { reported <- j },
		Handler: funcs{notify: func(context.Context, *Notification) { close(handled) }},
	})
	j := <-reported
	<-handled
	if j.Reason != JunkTooLarge || j.Limit != 1<<20 || j.Size != size+len(head) || len(j.Line) != 200 || !strings.HasPrefix(string(j.Line), head) {
		t.Errorf("reported %+v", j)
	}
	if grown := allocated() - before; grown > 8<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
	_ = c.Close()
}

// endless reads as one long word.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// allocated returns the bytes allocated so far, freed or not.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// A large frame costs its size twice on the way in, and leaves no large buffer.
func TestLargeFrameMemory(t *testing.T) {
	const size = 32 << 20
	s := NewStream(io.NopCloser(io.MultiReader(io.LimitReader(endless{}, size), strings.NewReader("\nb\n"))), discard{}, nil).(*stream)
	defer s.Close()
	before := allocated()
	frame, err := s.ReadFrame()
	if err != nil || len(frame) != size {
		t.Fatalf("read %d bytes, %v", len(frame), err)
	}
	if grown := allocated() - before; grown > 2*size+1<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
	if cap(s.buf) > blockSize || s.blocks != nil {
		t.Errorf("a buffer of %d bytes and %d blocks stay", cap(s.buf), len(s.blocks))
	}
}

// Close ends blocked calls whatever the streams are.
func TestCloseEndsBlockedCalls(t *testing.T) {
	t.Parallel()
	osRead, osWrite := pipeFiles(t)
	osRead2, osWrite2 := pipeFiles(t)
	defer osRead2.Close()
	defer osWrite.Close()
	ioRead, ioWrite := io.Pipe()
	stuck := newStubborn(t)
	streams := map[string]Transport{
		"os pipes": NewStream(osRead, osWrite2, nil),
		"io pipe":  NewStream(ioRead, ioWrite, nil),
		"stubborn": NewStream(stuck, stuck, nil),
	}
	for name, s := range streams {
		t.Run(name, func(t *testing.T) {
			ended := make(chan error, 2)
			go func() {
				_, err := s.ReadFrame()
				ended <- err
			}()
			go func() {
				var err error
				for err == nil {
					err = s.WriteFrame(context.Background(), make([]byte, 100))
				}
				ended <- err
			}()
			switch name {
			case "io pipe":
				ioWrite.Close() // both calls meet each other otherwise
			case "stubborn":
				<-stuck.entered
				<-stuck.entered
			}
			_ = s.Close()
			for range 2 {
				if err := <-ended; !errors.Is(err, ErrClosed) && !errors.Is(err, io.EOF) {
					t.Errorf("err = %v", err)
				}
			}
			if err := s.WriteFrame(t.Context(), nil); !errors.Is(err, ErrClosed) {
				t.Errorf("WriteFrame after Close = %v", err)
			}
		})
	}
}

// stubborn blocks until the test ends, also when it is closed.
type stubborn struct{ entered, left chan struct{} }

func newStubborn(t *testing.T) stubborn {
	t.Helper()
	s := stubborn{make(chan struct{}, 2), make(chan struct{})}
	t.Cleanup(func() { close(s.left) })
	return s
}

func (s stubborn) Read([]byte) (int, error) {
	s.entered <- struct{}{}
	<-s.left
	return 0, io.EOF
}

func (s stubborn) Write(p []byte) (int, error) { return s.Read(p) }
func (stubborn) Close() error                  { return nil }

func TestWriteEndsWithItsContext(t *testing.T) {
	t.Parallel()
	stuck := newStubborn(t)
	in, out := pipeFiles(t)
	defer in.Close()
	streams := map[string]Transport{
		"with deadlines": NewStream(io.NopCloser(strings.NewReader("")), out, nil),
		"stubborn":       NewStream(io.NopCloser(strings.NewReader("")), stuck, nil),
	}
	for name, s := range streams {
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error)
		go func() { ended <- s.WriteFrame(ctx, make([]byte, 1<<20)) }()
		if name == "stubborn" {
			<-stuck.entered
		}
		cancel(errGaveUp)
		if err := <-ended; !errors.Is(err, errGaveUp) {
			t.Errorf("%s: %v", name, err)
		}
		_ = s.Close()
	}
}

// A frame that was written in part makes everything behind it unreadable.
func TestPartialWriteBreaksTheDirection(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		limit int
		again bool // a second frame may be tried
	}{
		{"nothing", 0, true}, {"part of a small frame", 3, false}, {"blocks of a large one", blockSize, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := &limited{left: tt.limit}
			s := NewStream(io.NopCloser(strings.NewReader("")), w, nil)
			defer s.Close()
			if err := s.WriteFrame(t.Context(), make([]byte, 2*blockSize)); err == nil || isGone(err) == tt.again {
				t.Errorf("first frame: %v", err)
			}
			w.left = 1 << 20
			if err := s.WriteFrame(t.Context(), []byte("x")); (err == nil) != tt.again {
				t.Errorf("second frame: %v", err)
			}
		})
	}
}

// limited is a writer that fails after some bytes.
type limited struct{ left int }

func (w *limited) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.left -= n
	if n < len(p) {
		return n, os.ErrPermission
	}
	return n, nil
}

func (*limited) Close() error { return nil }

func TestStreamOverFiles(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "frames")
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	s := NewStream(in, out, nil)
	send(t, s, "a", "b")
	wantFrames(t, s, "a", "b")
	if _, err := s.ReadFrame(); !errors.Is(err, io.EOF) {
		t.Errorf("end = %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s + "\n" + s))
	}
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\r\n" + cancel7 + "\n" + request("7")))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := NewStream(io.NopCloser(bytes.NewReader(text)), discard{}, &StreamOptions{MaxFrame: 100})
		c := NewConn(s, &Options{
			Handler: echo, ReplyParseError: true, QueueFrames: 2, QueueBytes: 50, MaxInflight: 2,
			OnJunk:   func(Junk) {},
			OrderKey: func(method string, _ json.RawMessage) string { return method },
			OnPanic:  func(v any, stack []byte) { t.Errorf("panic: %v\n%s", v, stack) },
		})
		_, _ = c.Call(t.Context(), "m", nil, nil)
		<-c.Done()
		_ = c.Close()
	})
}
