package controller

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// Command starts an agent from its argv, without a shell and in a process group
// of its own, and speaks on its stdio.
type Command struct {
	// Argv is the program and its arguments. A program without a slash is looked
	// up on Path; a relative one is relative to Dir. Required.
	Argv []string
	// Env is the whole environment of the process.
	Env []string
	// Dir is its working directory; empty is that of this process.
	Dir string
	// Path is the list of folders for the look-up, named when it fails.
	Path string
	// Stderr receives a copy of what the agent says there; nil drops it. The end
	// of it is kept either way. It should not block.
	Stderr io.Writer
	// Ladder replaces the waits of the shutdown. Optional.
	Ladder *Ladder
}

// Ladder are the waits between the rungs of a shutdown: stdin is closed, then
// SIGTERM, then SIGKILL, both to the whole group. Zero values mean the defaults.
type Ladder struct {
	Close time.Duration // 5 s: agents need up to 4.2 s to exit by themselves
	Term  time.Duration // 3 s
}

func (l *Ladder) filled() Ladder {
	var in Ladder
	if l != nil {
		in = *l
	}
	return Ladder{Close: cmp.Or(in.Close, 5*time.Second), Term: cmp.Or(in.Term, 3*time.Second)}
}

// Open starts the process. A command that cannot be started is named with where
// it was looked for, and nothing is left of it.
func (c *Command) Open(context.Context) (Link, error) {
	if len(c.Argv) == 0 {
		return nil, failf(event.ClassStart, "no_command", "the agent's command is empty")
	}
	program, f := c.lookup()
	if f != nil {
		return nil, f
	}
	p, err := startProcess(c, program)
	if err != nil {
		return nil, &event.Failure{
			Class: event.ClassStart, Reason: "agent_not_started", Err: err,
			Message: fmt.Sprintf("starting agent %q: %v", c.Argv[0], err),
		}
	}
	return p, nil
}

// command puts the process together.
func (c *Command) command(program string) *exec.Cmd {
	cmd := &exec.Cmd{Path: program, Args: c.Argv, Env: c.Env, Dir: c.Dir}
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would mean our own
	}
	ownGroup(cmd)
	return cmd
}

// pipes are both ends of a child's stdio.
type pipes struct {
	childIn, childOut, childErr *os.File
	stdin, stdout, stderr       *os.File
}

func newPipes() (*pipes, error) {
	p := &pipes{}
	for _, pair := range []struct{ r, w **os.File }{
		{&p.childIn, &p.stdin}, {&p.stdout, &p.childOut}, {&p.stderr, &p.childErr},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			p.closeAll()
			return nil, err
		}
		*pair.r, *pair.w = r, w
	}
	return p, nil
}

func (p *pipes) closeChild() { closeFiles(p.childIn, p.childOut, p.childErr) }

func (p *pipes) closeAll() {
	p.closeChild()
	closeFiles(p.stdin, p.stdout, p.stderr)
}

func closeFiles(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
