package mcp

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFramesPassOverWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat("x", 200_000) + `"}`
	input := "Server started\n{\"a\":1}\r\n\n  {\"b\":2}\n[1]\n" + strings.Repeat("=", 100_000) + "{}\n" + long + "\n{\"last\":true}"
	want := "{\"a\":1}\r\n  {\"b\":2}\n[1]\n" + long + "\n{\"last\":true}"
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(input), "bytes": iotest.OneByteReader(strings.NewReader(input)), "with the end": iotest.DataErrReader(strings.NewReader(input)),
	} {
		var junk strings.Builder
		got, err := io.ReadAll(newFrames(r, &junk))
		if err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, want %d, error %v", name, len(got), len(want), err)
		}
		if wantJunk := "Server started\n\n" + strings.Repeat("=", 100_000) + "{}\n"; junk.String() != wantJunk {
			t.Errorf("%s: %d bytes left out, want %d", name, junk.Len(), len(wantJunk))
		}
	}
}

func TestTailIsTheLastWholeLines(t *testing.T) {
	t.Parallel()
	var short, long, unbroken tail
	_, _ = short.Write([]byte("one\r\ntwo\xff\n\n"))
	if got, want := short.text(), "one | two\ufffd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for range 1000 {
		_, _ = long.Write([]byte("a line of the log\n"))
	}
	if got := long.text(); !strings.HasPrefix(got, "a line") || !strings.HasSuffix(got, "of the log") || len(got) > maxTail+maxTail/4 {
		t.Errorf("got %d bytes, %q...", len(got), got[:20])
	}
	_, _ = unbroken.Write([]byte(strings.Repeat("x", 3*maxTail)))
	if got := unbroken.text(); len(got) != maxTail {
		t.Errorf("got %d bytes", len(got))
	}
}

func TestLookPath(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the mode does not say what is executable there")
	}
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"program": 0o755, "text": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=/nowhere", "PATH=relative:" + dir}
	program := filepath.Join(dir, "program")
	for command, want := range map[string]string{
		"program": program, program: program, "text": "", "folder": "", "absent": "",
		filepath.Join(dir, "text"): "", filepath.Join(dir, "absent"): "",
	} {
		if got, err := lookPath(command, env); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", command, got, err, want)
		}
	}
}
