//go:build unix

package controller

import (
	"context"
	"os/exec"
)

// shellCommand runs a line by the system's shell.
func shellCommand(line string) *exec.Cmd {
	return exec.CommandContext(context.Background(), "/bin/sh", "-c", line)
}
