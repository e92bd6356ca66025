package acptest

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
)

// errInProcess is the error of instructions that only a process can follow.
var errInProcess = errors.New("only an agent that is a process of its own can do this")

// process is what an agent that is a process can do beside frames.
type process struct{ stdout, stderr io.Writer }

// ignoreTerm makes the agent survive SIGTERM.
func (p *process) ignoreTerm() error {
	if p == nil {
		return errInProcess
	}
	signal.Ignore(syscall.SIGTERM)
	return nil
}

// spawn starts a child that has the agent's output, as wrappers give it to the
// program they wrap, and does not wait for it.
func (p *process) spawn(pidFile string, argv []string) error {
	if p == nil {
		return errInProcess
	}
	cmd := exec.CommandContext(context.Background(), argv[0], argv[1:]...) // it outlives everything
	cmd.Stdout, cmd.Stderr = p.stdout, p.stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	return os.WriteFile(pidFile, []byte(strconv.Itoa(cmd.Process.Pid)+"\n"), 0o644)
}
