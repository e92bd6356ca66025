package controller

import (
	"context"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// Agent opens the transport to an agent: [Command] or [InProcess]. Errors of
// Open are *event.Failure of class start.
type Agent interface {
	// Open starts the agent. It may be called again for another connection.
	Open(ctx context.Context) (Link, error)
}

// Link is an opened agent: the transport to it and its lifetime.
type Link interface {
	// Transport moves the frames. It is the connection's to close.
	Transport() jsonrpc.Transport
	// Command is the argv of a spawned agent, nil for one in process.
	Command() []string
	// Exited is closed when the agent ended and its last words are known.
	Exited() <-chan struct{}
	// Exit tells how it ended; before that it is the zero value.
	Exit() Exit
	// Shutdown ends the agent the polite way and returns when nothing of it is
	// left. It is bounded, may be called more than once, and hurries when ctx
	// ends.
	Shutdown(ctx context.Context)
	// Kill ends the agent at once, without waiting.
	Kill()
}

// Exit is how an agent ended.
type Exit struct {
	Code   *int   // exit status of a process that ended by itself
	Signal string // name of the signal that ended it, such as "killed"
	Stderr string // the end of its stderr, at most 4 KiB
	Err    error  // of an agent in process: what Serve returned
}

// failed says whether the agent ended in another way than by itself with 0.
func (e Exit) failed() bool {
	return e.Signal != "" || e.Err != nil || e.Code != nil && *e.Code != 0
}
