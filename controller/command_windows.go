package controller

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
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

// jobs holds the job object of each child: what the child starts is in it too, and
// the system ends all of it with the job.
var jobs sync.Map // pid: windows.Handle

// adopt puts a child that was just started into a job of its own. What it started
// before that is missed; without a job the child alone is ended.
func adopt(cmd *exec.Cmd) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = assign(job, cmd.Process.Pid)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return
	}
	jobs.Store(cmd.Process.Pid, job)
}

func assign(job windows.Handle, pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(process) }()
	return windows.AssignProcessToJobObject(job, process)
}

// terminateGroup does nothing: there is no signal that asks a process to end.
func terminateGroup(int) {}

// killGroup ends the child and what it started.
func killGroup(pid int) {
	if job, ok := jobs.LoadAndDelete(pid); ok {
		_ = windows.TerminateJobObject(job.(windows.Handle), 1)
		_ = windows.CloseHandle(job.(windows.Handle))
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
		_ = p.Release()
	}
}

// groupAlive says whether there may be something left of a group: as long as its
// job is there, which killGroup ends.
func groupAlive(pid int) bool {
	_, ok := jobs.Load(pid)
	return ok
}

// exitOf reads how a process ended.
func exitOf(state *os.ProcessState) (code *int, signal string) {
	if state == nil {
		return nil, ""
	}
	n := state.ExitCode()
	return &n, ""
}
