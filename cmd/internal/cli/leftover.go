package cli

import "slices"

// markName is the variable that marks every process which a run starts, and what
// they start: by it those are found that left their process group. A process that
// is meant to outlive the run is started without it.
const markName = "ACPCTL_PROCESS"

// marked is the environment of a process that must not outlive this one.
func (e *Env) marked(environ []string) []string {
	if e.Mark == "" {
		return environ
	}
	return append(slices.Clip(environ), markName+"="+e.Mark)
}

// sweep kills what is left of the processes that were started. The process groups
// are gone by now: this is for what made a group or a session of its own.
func (e *Env) sweep() {
	if e.Mark != "" {
		killMarked(markName + "=" + e.Mark)
	}
}
