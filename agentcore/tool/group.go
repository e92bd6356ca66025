package tool

import "os/exec"

// StartGroup starts cmd as the leader of a new group. The caller waits for cmd,
// and calls [Group.Kill] when the group is to be gone, also after cmd has ended.
// When cmd has a context, its end asks the whole group to end.
func StartGroup(cmd *exec.Cmd) (*Group, error) {
	g := &Group{leader: cmd}
	if cmd.Cancel != nil {
		cmd.Cancel = func() error {
			g.terminate()
			return nil
		}
	}
	if err := g.start(); err != nil {
		return nil, err
	}
	return g, nil
}

// Terminate asks all processes of the group to end, where the system has a way to
// ask; elsewhere it does nothing.
func (g *Group) Terminate() { g.terminate() }

// Kill ends all processes of the group. Calling it again is harmless.
func (g *Group) Kill() { g.kill() }
