package mcp

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/acpctl/acpctl/agentcore/tool"
)

// How a server is ended: its input is closed, then its group is asked to end, then
// killed. Together they stay below the two seconds in which a failed mount must be
// gone.
const (
	inputGrace     = time.Second
	terminateGrace = 500 * time.Millisecond
	// drainGrace bounds the wait for the pipes of a server that is gone: a
	// process that left its group may hold them open for ever.
	drainGrace = 250 * time.Millisecond
)

// process is a stdio server.
type process struct {
	stdin  io.WriteCloser
	stdout *os.File
	group  *tool.Group
	errors *tail

	gone chan struct{} // closed when the group is gone and exit is set
	exit string        // how it ended
	once sync.Once
}

// startProcess starts the program of a stdio server in its own group. Ctx gives
// values alone; stop ends the process.
func startProcess(ctx context.Context, s *Server, o *Options) (*process, error) {
	env := tool.ServerEnviron(o.Environ)
	for _, v := range s.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	path, err := lookPath(s.Command, env)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), path, s.Args...)
	cmd.Dir, cmd.Env = o.Cwd, env
	return launch(cmd)
}

func launch(cmd *exec.Cmd) (*process, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, stdoutEnd, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stderr, stderrEnd, err := os.Pipe()
	if err != nil {
		closeAll(stdout, stdoutEnd)
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = stdoutEnd, stderrEnd
	p := &process{stdin: stdin, stdout: stdout, errors: &tail{}, gone: make(chan struct{})}
	p.group, err = tool.StartGroup(cmd)
	closeAll(stdoutEnd, stderrEnd)
	if err != nil {
		closeAll(stdin, stdout, stderr)
		return nil, err
	}
	go p.watch(cmd, stderr)
	return p, nil
}

// watch waits for the leader, ends what is left of its group, and gives the pipes
// a moment to run empty.
func (p *process) watch(cmd *exec.Cmd, stderr *os.File) {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(p.errors, stderr) // ends with the pipe, whatever the error
	}()
	p.exit = "exit status 0"
	if err := cmd.Wait(); err != nil {
		p.exit = err.Error()
	}
	p.group.Kill()
	timer := time.NewTimer(drainGrace)
	select {
	case <-drained:
	case <-timer.C:
	}
	timer.Stop()
	closeAll(stderr)
	<-drained
	close(p.gone)
}

// stop ends the process and its group and returns when they are gone. It may be
// called again, also at the same time.
func (p *process) stop() {
	p.once.Do(func() {
		closeAll(p.stdin)
		if p.waits(inputGrace) {
			return
		}
		p.group.Terminate()
		if !p.waits(terminateGrace) {
			p.group.Kill()
		}
	})
	<-p.gone
	closeAll(p.stdout)
}

// waits reports whether the process is gone within d.
func (p *process) waits(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.gone:
		return true
	case <-timer.C:
		return false
	}
}

// closeAll closes ends of pipes, where an error has nothing to tell: they may be
// closed already.
func closeAll(closers ...io.Closer) {
	for _, c := range closers {
		_ = c.Close()
	}
}
