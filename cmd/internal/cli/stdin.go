package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// stdinRequest says what a command wants of stdin.
type stdinRequest struct {
	skip       bool          // --no-stdin
	must       bool          // "-": wait as long as it takes
	wait       time.Duration // for the first byte of a pipe
	havePrompt bool          // there is a prompt without stdin
}

// The ways in which stdin was used, as run.start shows them.
const (
	stdinNone    = "none"
	stdinPipe    = "pipe"
	stdinFile    = "file"
	stdinIgnored = "ignored"
)

// stdinNotice is when a person is told that a command waits for stdin.
const stdinNotice = time.Second

// readStdin reads stdin where there is something to read, and says how it was
// used. A terminal and /dev/null are never read. A pipe is ignored, with a line
// on stderr, when its first byte or its end does not come in time: CI systems
// leave pipes open that nobody writes to.
func (a *app) readStdin(r stdinRequest) (data, how string, err error) {
	f := a.env.Stdin
	if r.skip || f == nil {
		return "", stdinNone, nil
	}
	info, err := f.Stat()
	switch {
	case err != nil, info.Mode()&os.ModeCharDevice != 0:
		return "", stdinNone, nil //nolint:nilerr // a closed stdin has nothing to say
	case info.Mode().IsRegular():
		all, err := io.ReadAll(f)
		return string(all), stdinFile, stdinError(err)
	}
	first := make(chan chunk, 1)
	go func() {
		buf := make([]byte, 4096)
		n, err := f.Read(buf)
		first <- chunk{buf[:n], err}
	}()
	c, ok := a.awaitStdin(first, r)
	switch {
	case !ok:
		return "", stdinIgnored, a.stdinIgnored(r)
	case errors.Is(c.err, io.EOF):
		return string(c.data), stdinPipe, nil
	case c.err != nil:
		return "", "", stdinError(c.err)
	}
	rest, err := io.ReadAll(f)
	return string(c.data) + string(rest), stdinPipe, stdinError(err)
}

// chunk is what one read gave.
type chunk struct {
	data []byte
	err  error
}

// awaitStdin waits for the first read; ok is false when it did not end in time.
func (a *app) awaitStdin(first <-chan chunk, r stdinRequest) (c chunk, ok bool) {
	limit := r.wait
	if r.must {
		limit = stdinNotice
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case c = <-first:
		return c, true
	case <-timer.C:
	}
	if !r.must {
		return chunk{}, false
	}
	fmt.Fprintln(a.env.Stderr, "acpctl: waiting for stdin")
	return <-first, true
}

// stdinIgnored says on stderr that stdin is ignored; without a prompt there is
// nothing to go on with.
func (a *app) stdinIgnored(r stdinRequest) error {
	message := fmt.Sprintf("nobody wrote to the pipe on stdin within %v", r.wait)
	if !r.havePrompt {
		return usageError("no prompt: "+message, "- as the last argument waits as long as it takes", "--stdin-wait sets the time")
	}
	fmt.Fprintf(a.env.Stderr, "acpctl: %s; it is ignored (--stdin-wait waits longer, - for ever, --no-stdin not at all)\n", message)
	return nil
}

func stdinError(err error) error {
	if err == nil {
		return nil
	}
	return &event.Failure{Class: event.ClassUsage, Reason: "stdin", Message: "reading stdin: " + err.Error(), Err: err}
}
