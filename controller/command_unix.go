//go:build unix

package controller

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

const hasExtensions = false

func isExecutable(_ string, info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }

// ownGroup gives the child a process group of its own, so that a Ctrl-C in the
// terminal does not reach it before it could be cancelled, and so that its own
// children can be ended with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// adopt has nothing to do: the group is there from the start.
func adopt(*exec.Cmd) {}

// terminateGroup asks the whole group to end.
func terminateGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }

// killGroup ends the whole group.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// groupAlive says whether anything of the group still runs. A dead process that
// nobody has collected does not count: its parent was the agent, and in a
// container whatever has taken its place may never look.
func groupAlive(pid int) bool {
	if err := syscall.Kill(-pid, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return true // a system without it
	}
	for _, d := range dirs {
		if d.Name()[0] < '1' || d.Name()[0] > '9' {
			continue
		}
		stat, err := os.ReadFile("/proc/" + d.Name() + "/stat")
		if err == nil && runsInGroup(string(stat), pid) {
			return true
		}
	}
	return false
}

// runsInGroup reads one line of /proc/PID/stat: the name in parentheses, the
// state, the parent, the group.
func runsInGroup(stat string, group int) bool {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	return len(fields) > 2 && fields[0] != "Z" && fields[0] != "X" && fields[2] == strconv.Itoa(group)
}

// exitOf reads how a process ended.
func exitOf(state *os.ProcessState) (code *int, signal string) {
	if state == nil {
		return nil, ""
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return nil, ws.Signal().String()
	}
	n := state.ExitCode()
	return &n, ""
}
