//go:build unix

package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// stdinApp is an app with a stdin; stderr is a file that said reads.
func stdinApp(t *testing.T, stdin *os.File) (a *app, said func() string) {
	t.Helper()
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stderr.Close() })
	return &app{env: &Env{Stdin: stdin, Stderr: stderr}}, func() string {
		data, err := os.ReadFile(stderr.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
}

// stdinPipes makes a pipe that is closed when the test ends.
func stdinPipes(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close(); _ = r.Close() })
	return r, w
}

func TestRO56_StdinWithoutAWriter(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		request    stdinRequest
		data, how  string
	}{
		{"null device", os.DevNull, stdinRequest{must: true}, "", "none"},
		{"file", file, stdinRequest{}, "from a file", "file"},
		{"file, asked for", file, stdinRequest{must: true, havePrompt: true}, "from a file", "file"},
		{"skipped file", file, stdinRequest{skip: true}, "", "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, err := os.Open(c.path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			a, said := stdinApp(t, f)
			data, how, err := a.readStdin(c.request)
			if err != nil || data != c.data || how != c.how || said() != "" {
				t.Errorf("%q, %q, %v, stderr %q", data, how, err, said())
			}
		})
	}
}

func TestRO56_StdinThatCannotBeRead(t *testing.T) {
	t.Parallel()
	closed, _ := stdinPipes(t)
	_ = closed.Close()
	for name, f := range map[string]*os.File{"none": nil, "closed": closed} {
		a, _ := stdinApp(t, f)
		if data, how, err := a.readStdin(stdinRequest{must: true}); data != "" || how != "none" || err != nil {
			t.Errorf("%s: %q, %q, %v", name, data, how, err)
		}
	}
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	a, _ := stdinApp(t, dir)
	_, _, err = a.readStdin(stdinRequest{must: true})
	if f := new(event.Failure); !errors.As(err, &f) || f.Class != event.ClassUsage || f.Reason != "stdin" {
		t.Errorf("folder: %v", err)
	}
}

func TestRO56_PipeThatIsWritten(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 100_000)
	for _, c := range []struct{ name, text string }{{"nothing", ""}, {"text", "hello\n"}, {"more than a pipe holds", big}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, w := stdinPipes(t)
			go func() { _, _ = io.WriteString(w, c.text); _ = w.Close() }()
			a, said := stdinApp(t, r)
			data, how, err := a.readStdin(stdinRequest{wait: time.Minute})
			if err != nil || data != c.text || how != "pipe" || said() != "" {
				t.Errorf("%d bytes, %q, %v, stderr %q", len(data), how, err, said())
			}
		})
	}
}

// TestRO56_SlowPipe: the limit is for the first byte alone.
func TestRO56_SlowPipe(t *testing.T) {
	t.Parallel()
	const wait = 500 * time.Millisecond
	r, w := stdinPipes(t)
	_, _ = io.WriteString(w, "first ")
	time.AfterFunc(2*wait, func() { _, _ = io.WriteString(w, "second"); _ = w.Close() })
	a, _ := stdinApp(t, r)
	data, how, err := a.readStdin(stdinRequest{wait: wait})
	if err != nil || data != "first second" || how != "pipe" {
		t.Errorf("%q, %q, %v", data, how, err)
	}
}

func TestRO56_PipeThatNobodyWritesTo(t *testing.T) {
	t.Parallel()
	r, _ := stdinPipes(t)
	a, said := stdinApp(t, r)
	data, how, err := a.readStdin(stdinRequest{wait: 10 * time.Millisecond, havePrompt: true})
	if err != nil || data != "" || how != "ignored" {
		t.Errorf("%q, %q, %v", data, how, err)
	}
	if s := said(); !strings.Contains(s, "within 10ms") || strings.Count(s, "\n") != 1 {
		t.Errorf("stderr %q", s)
	}
}

func TestRO56_PipeThatNobodyWritesToWithoutPrompt(t *testing.T) {
	t.Parallel()
	r, _ := stdinPipes(t)
	a, said := stdinApp(t, r)
	_, how, err := a.readStdin(stdinRequest{wait: 10 * time.Millisecond})
	f := new(event.Failure)
	if !errors.As(err, &f) || f.Class != event.ClassUsage || len(f.Hints) == 0 || how != "ignored" || said() != "" {
		t.Errorf("%q, %v, stderr %q", how, err, said())
	}
}

func TestRO56_DashWaits(t *testing.T) {
	t.Parallel()
	r, w := stdinPipes(t)
	a, said := stdinApp(t, r)
	told := make(chan bool, 1)
	go func() { // writes once the notice is there
		for said() == "" && t.Context().Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		told <- said() == "acpctl: waiting for stdin\n"
		_, _ = io.WriteString(w, "late")
		_ = w.Close()
	}()
	data, how, err := a.readStdin(stdinRequest{must: true, wait: time.Millisecond})
	if err != nil || data != "late" || how != "pipe" || !<-told {
		t.Errorf("%q, %q, %v, stderr %q", data, how, err, said())
	}
}
