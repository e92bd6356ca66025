package controller

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

const hasExtensions = true

// isExecutable goes by the extension: there is no mode for it.
func isExecutable(path string, _ fs.FileInfo) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".com", ".exe", ".bat", ".cmd":
		return true
	}
	return false
}

// ownGroup keeps a Ctrl-C in the console away from the child.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// terminateGroup does nothing: there is no signal that asks a process to end.
func terminateGroup(int) {}

// killGroup ends the process itself; its children are not reached.
func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
		_ = p.Release()
	}
}

// groupAlive knows nothing of the process's children.
func groupAlive(int) bool { return false }

// exitOf reads how a process ended.
func exitOf(state *os.ProcessState) (code *int, signal string) {
	if state == nil {
		return nil, ""
	}
	n := state.ExitCode()
	return &n, ""
}
