package controller

import (
	"context"
	"os/exec"
	"syscall"
)

// shellCommand runs a line by the system's shell, which gets it unchanged.
func shellCommand(line string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), "cmd.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + line + `"`}
	return cmd
}
