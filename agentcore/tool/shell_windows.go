package tool

import (
	"context"
	"os/exec"
	"syscall"
)

// shellCommand gives the command line to cmd.exe as it is; the usual quoting of
// arguments is not what cmd.exe reads.
func shellCommand(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + line + `"`}
	return cmd
}
