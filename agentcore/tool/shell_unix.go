//go:build unix

package tool

import (
	"context"
	"os/exec"
)

// shellCommand is the command line as a script of the system's shell.
func shellCommand(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", "-c", line)
}
