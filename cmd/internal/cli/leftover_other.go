//go:build !linux

package cli

func startedAny() bool { return false }

// killMarked does nothing: other systems do not show the environment of a process.
func killMarked(string) {}
