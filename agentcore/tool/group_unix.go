//go:build unix

package tool

import (
	"os/exec"
	"syscall"
)

// Group is a process and all that it starts: a process group with the leader's
// process id.
type Group struct{ leader *exec.Cmd }

func (g *Group) start() error {
	if g.leader.SysProcAttr == nil {
		g.leader.SysProcAttr = &syscall.SysProcAttr{}
	}
	// A session rather than a group alone: a program that asks for a password on
	// the terminal then fails instead of being stopped for ever.
	g.leader.SysProcAttr.Setsid = true
	return g.leader.Start()
}

func (g *Group) terminate() { g.signal(syscall.SIGTERM) }

func (g *Group) kill() { g.signal(syscall.SIGKILL) }

// signal reaches nobody when the group is empty already, which is no error.
func (g *Group) signal(s syscall.Signal) { _ = syscall.Kill(-g.leader.Process.Pid, s) }
