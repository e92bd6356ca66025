package controller

import (
	"context"
	"io"
	"os/exec"
	"time"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// stderrShown is how much of the end of stderr events and failures carry.
const stderrShown = 4 << 10

// process is a started [Command].
type process struct {
	argv      []string
	cmd       *exec.Cmd
	ladder    Ladder
	transport jsonrpc.Transport
	stdin     io.Closer
	tail      *tail
	exit      Exit          // constant once exited is closed
	exited    chan struct{} // the process ended and its stderr is read
}

// startProcess starts the program and the goroutines that go with it. They end
// with the process, whatever its own children still hold open.
func startProcess(c *Command, program string) (*process, error) {
	fds, err := newPipes()
	if err != nil {
		return nil, err
	}
	cmd := c.command(program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = fds.childIn, fds.childOut, fds.childErr
	if err := cmd.Start(); err != nil {
		fds.closeAll()
		return nil, err
	}
	adopt(cmd)
	fds.closeChild()
	stdout, stderr := newDrain(fds.stdout), newDrain(fds.stderr)
	p := &process{
		argv: append([]string(nil), c.Argv...), cmd: cmd, ladder: c.Ladder.filled(),
		transport: jsonrpc.NewStream(stdout, fds.stdin, nil), stdin: fds.stdin,
		tail: newTail(c.Stderr), exited: make(chan struct{}),
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		defer func() { _ = stderr.Close() }()
		_, _ = io.Copy(p.tail, stderr)
	}()
	go p.wait(drained, stdout, stderr)
	return p, nil
}

// wait collects the process, and ends the reading of pipes that its children
// still hold.
func (p *process) wait(drained <-chan struct{}, outputs ...*drain) {
	defer close(p.exited)
	_ = p.cmd.Wait() // how it ended is in the state
	for _, d := range outputs {
		d.writerGone()
	}
	<-drained
	code, signal := exitOf(p.cmd.ProcessState)
	p.exit = Exit{Code: code, Signal: signal, Stderr: p.tail.end(stderrShown)}
}

// Transport implements [Link].
func (p *process) Transport() jsonrpc.Transport { return p.transport }

// Command implements [Link].
func (p *process) Command() []string { return append([]string(nil), p.argv...) }

// Exited implements [Link].
func (p *process) Exited() <-chan struct{} { return p.exited }

// Exit implements [Link].
func (p *process) Exit() Exit {
	select {
	case <-p.exited:
		return p.exit
	default:
		return Exit{}
	}
}

// Shutdown climbs the ladder: stdin is closed, the group is asked to end, the
// group is killed. What the process leaves behind in its group goes the same
// way. The end of ctx skips the waits.
func (p *process) Shutdown(ctx context.Context) {
	_ = p.stdin.Close()
	pid := p.cmd.Process.Pid
	exited := waitFor(ctx, p.exited, p.ladder.Close)
	if exited && !groupAlive(pid) {
		return
	}
	terminateGroup(pid)
	if p.groupGone(ctx, pid) {
		return
	}
	killGroup(pid)
	p.groupGone(context.Background(), pid)
}

// groupStep is how often a group without its leader is looked at: there is no
// way to be told of its end.
const groupStep = 20 * time.Millisecond

// groupGone waits for the process and the rest of its group to end, one rung of
// the ladder long.
func (p *process) groupGone(ctx context.Context, pid int) bool {
	ctx, cancel := context.WithTimeout(ctx, p.ladder.Term)
	defer cancel()
	if !waitDone(ctx, p.exited) {
		return false
	}
	tick := time.NewTicker(groupStep)
	defer tick.Stop()
	for groupAlive(pid) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Kill implements [Link].
func (p *process) Kill() { killGroup(p.cmd.Process.Pid) }
