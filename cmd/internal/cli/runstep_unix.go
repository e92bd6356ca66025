//go:build unix

package cli

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// groupPoll is how often a group is looked at that outlives its first process.
const groupPoll = 10 * time.Millisecond

// ownGroup makes a session rather than a group alone: a program that asks for a
// password on the terminal then fails instead of being stopped for ever.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func terminateGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// awaitGroup gives the rest of a group whose first process is gone the time that
// is left of grace until kill, the timer that ends it.
func awaitGroup(p *os.Process, grace time.Duration, kill <-chan *time.Timer) {
	var timer *time.Timer
	select {
	case timer = <-kill:
	default:
		return // the command ended before the context
	}
	tick := time.NewTicker(groupPoll)
	defer tick.Stop()
	for n := grace / groupPoll; n > 0 && syscall.Kill(-p.Pid, 0) == nil; n-- {
		<-tick.C
	}
	timer.Stop()
}

// exitCodeOf is the exit code as a shell gives it.
func exitCodeOf(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.ExitCode()
}
