package tool

import (
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Group is a process and all that it starts: a job object, which ends its
// processes when it is closed.
type Group struct {
	leader  *exec.Cmd
	job     windows.Handle
	closing sync.Once
}

func (g *Group) start() error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	g.job = job
	if g.leader.SysProcAttr == nil {
		g.leader.SysProcAttr = &syscall.SysProcAttr{}
	}
	g.leader.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP
	if err = limitJob(job); err == nil {
		err = g.leader.Start()
	}
	if err != nil {
		g.kill()
		return err
	}
	if err = g.join(); err != nil {
		_ = g.leader.Process.Kill()
		_ = g.leader.Wait()
		g.kill()
	}
	return err
}

func limitJob(job windows.Handle) error {
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

// join puts the leader into the job. What it starts before that stays outside,
// a window of microseconds that only a suspended start would close.
func (g *Group) join() error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(g.leader.Process.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(g.job, h)
}

// terminate does nothing: there is no signal that a program without a console
// would get.
func (g *Group) terminate() {}

func (g *Group) kill() {
	g.closing.Do(func() {
		_ = windows.TerminateJobObject(g.job, 1)
		_ = windows.CloseHandle(g.job)
	})
}
