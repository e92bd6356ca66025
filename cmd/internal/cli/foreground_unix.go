//go:build unix

package cli

import (
	"os"
	"os/exec"
	"syscall"
)

// inForeground gives a program a process group of its own that has the terminal,
// and ends the group as a whole.
func inForeground(cmd *exec.Cmd, tty *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: int(tty.Fd())}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
