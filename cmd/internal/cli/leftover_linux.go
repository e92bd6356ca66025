package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// startedAny says whether a process was started and waited for: looking through
// all processes of a machine is dear for a run that had none.
func startedAny() bool {
	var usage syscall.Rusage
	return syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage) != nil || usage.Maxrss > 0
}

// killMarked kills every process that has the entry in its environment. It looks
// again until there is none, a few times: a process may fork while it looks.
func killMarked(entry string) {
	for range 5 {
		found := false
		dirs, _ := os.ReadDir("/proc")
		for _, d := range dirs {
			pid, err := strconv.Atoi(d.Name())
			if err != nil || pid == os.Getpid() || !hasEntry(pid, entry) {
				continue
			}
			found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
		}
		if !found {
			return
		}
	}
}

// hasEntry says whether a process was started with the entry. Those of other users
// cannot be read, and what has ended has none.
func hasEntry(pid int, entry string) bool {
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return false
	}
	for line := range bytes.SplitSeq(environ, []byte{0}) {
		if string(line) == entry {
			return true
		}
	}
	return false
}
