package cli

import (
	"os"
	"os/exec"
	"time"
)

// There are no process groups and no SIGTERM: a command is ended at once, and
// what it started is not.

func ownGroup(*exec.Cmd) {}

func terminateGroup(p *os.Process) error { return p.Kill() }

func killGroup(p *os.Process) { _ = p.Kill() }

func awaitGroup(_ *os.Process, _ time.Duration, kill <-chan *time.Timer) {
	select {
	case timer := <-kill:
		timer.Stop()
	default:
	}
}

func exitCodeOf(s *os.ProcessState) int { return s.ExitCode() }
