package controller

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
	"unicode/utf8"
)

// terminals are those of one session. The zero value has none.
type terminals struct {
	mu    sync.Mutex // guards what follows
	byID  map[string]*terminal
	count int
	over  bool // no more are started
}

// terminal is a command that the agent had started.
type terminal struct {
	id     string
	cmd    *exec.Cmd
	output *lastBytes
	exited chan struct{} // closed when it ended and its output is read
	exit   exitStatus    // constant once exited is closed
}

// start runs a command with its output kept.
func (ts *terminals) start(cmd *exec.Cmd, limit *int) (*terminal, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	switch {
	case ts.over:
		return nil, errors.New("the session is over")
	case len(ts.byID) >= mostTerminals:
		return nil, fmt.Errorf("%d terminals are open; release some", mostTerminals)
	}
	ownGroup(cmd)
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, r.Close(), w.Close())
	}
	adopt(cmd)
	_ = w.Close()
	ts.count++
	t := &terminal{id: terminalName(ts.count), cmd: cmd, output: &lastBytes{limit: limitOf(limit)}, exited: make(chan struct{})}
	if ts.byID == nil {
		ts.byID = map[string]*terminal{}
	}
	ts.byID[t.id] = t
	go t.wait(r)
	return t, nil
}

// leftOver is how long output is still read when the command has ended: a child
// of it may hold the pipe for ever.
const leftOver = 200 * time.Millisecond

// wait reads the output, collects the process, and ends what is left of its
// group.
func (t *terminal) wait(r *os.File) {
	defer close(t.exited)
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = t.output.ReadFrom(r)
	}()
	_ = t.cmd.Wait() // how it ended is in the state
	killGroup(t.cmd.Process.Pid)
	timer := time.NewTimer(leftOver)
	select {
	case <-read:
	case <-timer.C:
	}
	timer.Stop()
	_ = r.Close()
	<-read
	code, signal := exitOf(t.cmd.ProcessState)
	t.exit.ExitCode = code
	if signal != "" {
		t.exit.Signal = &signal
	}
}

// kill ends the command and what it started.
func (t *terminal) kill() {
	select {
	case <-t.exited:
	default:
		killGroup(t.cmd.Process.Pid)
	}
}

// status is nil while the command runs.
func (t *terminal) status() *exitStatus {
	select {
	case <-t.exited:
		return &t.exit
	default:
		return nil
	}
}

func (ts *terminals) get(id string) *terminal {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.byID[id]
}

func (ts *terminals) forget(id string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.byID, id)
}

// kill ends all of them at once. It never blocks.
func (ts *terminals) kill() {
	if !ts.mu.TryLock() {
		return
	}
	defer ts.mu.Unlock()
	ts.over = true
	for _, t := range ts.byID {
		t.kill()
	}
}

// end kills all of them and waits for their ends.
func (ts *terminals) end() {
	ts.mu.Lock()
	ts.over = true
	list := ts.byID
	ts.byID = nil
	ts.mu.Unlock()
	for _, t := range list {
		t.kill()
	}
	for _, t := range list {
		<-t.exited
	}
}

// lastBytes keeps the end of what is written to it.
type lastBytes struct {
	limit int

	mu  sync.Mutex // guards what follows
	buf []byte
	cut bool
}

// ReadFrom reads until the end.
func (b *lastBytes) ReadFrom(r *os.File) (int64, error) {
	chunk := make([]byte, 32<<10)
	var total int64
	for {
		n, err := r.Read(chunk)
		total += int64(n)
		b.add(chunk[:n])
		if err != nil {
			return total, err
		}
	}
}

func (b *lastBytes) add(p []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf = append(b.buf, p...)
	if len(b.buf) > 2*b.limit {
		b.buf = append(b.buf[:0], b.buf[len(b.buf)-b.limit:]...)
		b.cut = true
	}
}

// text is the end of the output, cut between characters; what is no UTF-8 is
// replaced.
func (b *lastBytes) text() (text string, cut bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.buf
	if cut = b.cut || len(kept) > b.limit; len(kept) > b.limit {
		kept = kept[len(kept)-b.limit:]
	}
	for cut && len(kept) > 0 && !utf8.RuneStart(kept[0]) {
		kept = kept[1:]
	}
	return validText(kept), cut
}

// validText is bytes as text: what is no UTF-8 becomes U+FFFD, and so does a
// character of which the end is not there yet.
func validText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	out := make([]rune, 0, len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		out = append(out, r)
		b = b[n:]
	}
	return string(out)
}
