package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Of the output of a run step, this much is kept; the rest is read and dropped.
const (
	maxStepStdout = 16 << 20
	maxStepStderr = 1 << 20
)

// stepGrace is the time between SIGTERM and SIGKILL when a run step is to end,
// and the time that a process which a command left behind may hold its output
// open.
const stepGrace = 2 * time.Second

// errStepsKilled is the error of a run step that Kill kept from starting.
var errStepsKilled = errors.New("run steps were ended")

// commander runs the commands of run steps, each in a process group of its own.
// The zero value is ready; it is safe for concurrent use.
type commander struct {
	grace time.Duration // zero: stepGrace

	mu      sync.Mutex // guards what follows
	running map[*os.Process]bool
	killed  bool
}

// Run runs sh -c script with stdin at its end and returns its exit code, which is
// 128 and the signal's number for a command that a signal ended. Truncated says
// that output was dropped.
//
// When ctx ends, the group gets SIGTERM and two seconds later SIGKILL, and err is
// the context's cause; what was printed so far is returned all the same. Any
// other err means that the command did not run. What a command leaves in its
// group ends with it.
func (c *commander) Run(ctx context.Context, script, dir string, env []string) (exitCode int, stdout, stderr []byte, truncated bool, err error) {
	out, errs := &capped{limit: maxStepStdout}, &capped{limit: maxStepStderr}
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, errs
	cmd.Env = append([]string{}, env...) // nil would be the environment of this process
	ownGroup(cmd)
	// Behind the SIGKILL to the group, for a process that left it.
	grace := cmp.Or(c.grace, stepGrace)
	cmd.WaitDelay = grace + grace/4
	kill := make(chan *time.Timer, 1)
	cmd.Cancel = func() error {
		kill <- time.AfterFunc(grace, func() { killGroup(cmd.Process) })
		return terminateGroup(cmd.Process)
	}
	if err = c.start(ctx, cmd); err != nil {
		return 0, nil, nil, false, err
	}
	waitErr := cmd.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
		awaitGroup(cmd.Process, grace, kill)
	}
	killGroup(cmd.Process)
	c.mu.Lock()
	delete(c.running, cmd.Process)
	c.mu.Unlock()
	if exit := new(exec.ExitError); err == nil && waitErr != nil && !errors.As(waitErr, &exit) && !errors.Is(waitErr, exec.ErrWaitDelay) {
		err = waitErr
	}
	return exitCodeOf(cmd.ProcessState), out.buf.Bytes(), errs.buf.Bytes(), out.cut || errs.cut, err
}

// start starts a command unless Kill was called; one that runs can be killed.
func (c *commander) start(ctx context.Context, cmd *exec.Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.killed {
		return errStepsKilled
	}
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("starting sh: %w", err)
	}
	if c.running == nil {
		c.running = make(map[*os.Process]bool)
	}
	c.running[cmd.Process] = true
	return nil
}

// Kill ends all running commands and their groups at once, and keeps others from
// starting.
func (c *commander) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killed = true
	for p := range c.running {
		killGroup(p)
	}
}

// capped keeps the first limit bytes that are written to it.
type capped struct {
	buf   bytes.Buffer
	limit int
	cut   bool
}

func (w *capped) Write(p []byte) (int, error) {
	room := min(w.limit-w.buf.Len(), len(p))
	w.buf.Write(p[:room])
	w.cut = w.cut || room < len(p)
	return len(p), nil
}
