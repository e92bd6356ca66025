package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// The time that a proper cancel gets after a signal or a vanished reader, and
// the time to write the result after a second signal.
const (
	signalGrace = 2 * time.Second
	secondGrace = 200 * time.Millisecond
)

// watchSignals cancels the run at the first SIGINT or SIGTERM, with the failure
// as the cause, and calls force at the second. stop ends the watch; signals have no
// effect behind it.
func (a *app) watchSignals(cancel context.CancelCauseFunc, force func(*event.Failure)) (stop func()) {
	c := make(chan os.Signal, 2)
	a.env.Signals(c)
	stopPipe := catchPipe()
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var first *event.Failure
		for {
			select {
			case <-done:
				return
			case s := <-c:
				if first == nil {
					first = signalFailure(s)
					cancel(first)
					continue
				}
				force(first)
				return
			}
		}
	}()
	return func() { stopPipe(); close(done); <-ended }
}

// catchPipe lets a write to a stdout that nobody reads fail instead of ending the
// process, so that the agent can be cancelled. The signal is caught and not
// ignored, since children would inherit that.
func catchPipe() (stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGPIPE)
	return func() { signal.Stop(c) }
}

func signalFailure(s os.Signal) *event.Failure {
	if s == syscall.SIGTERM {
		return &event.Failure{Class: event.ClassSignal, Reason: event.ReasonTerminated, Message: "terminated by SIGTERM"}
	}
	return &event.Failure{Class: event.ClassSignal, Reason: event.ReasonInterrupted, Message: "interrupted by SIGINT"}
}

// readerGone is the failure of a run whose stdout nobody reads any more.
func readerGone(err error) *event.Failure {
	return &event.Failure{Class: event.ClassSignal, Reason: event.ReasonReaderGone, Message: "the reader of stdout is gone", Err: err}
}

// grace is how long a turn may take to confirm a cancel: 2 s when somebody waits
// for the process to go, else limit (10 s by default).
func grace(limit time.Duration) func(error) time.Duration {
	return func(cause error) time.Duration {
		if f := event.AsFailure(cause); f != nil && f.Class == event.ClassSignal {
			return signalGrace
		}
		if limit > 0 {
			return limit
		}
		return 10 * time.Second
	}
}
