package controller

import (
	"sync/atomic"
	"time"
)

// idleTimer measures the silence of the agent in one turn. The zero limit never
// fires.
type idleTimer struct {
	limit time.Duration
	timer *time.Timer
	holds atomic.Int32 // requests of the agent that wait for us
}

func (i *idleTimer) init(limit time.Duration) {
	if limit > 0 {
		i.limit, i.timer = limit, time.NewTimer(limit)
	}
}

// touch starts the silence anew.
func (i *idleTimer) touch() {
	if i.timer != nil {
		i.timer.Reset(i.limit)
	}
}

// hold says that it is our move; each hold needs a release.
func (i *idleTimer) hold() { i.holds.Add(1) }

func (i *idleTimer) release() {
	i.holds.Add(-1)
	i.touch()
}

// over says whether the silence lasts: nothing has happened since the timer fired,
// and it is not our move. Otherwise it starts the silence anew.
func (i *idleTimer) over() bool {
	anew := i.timer.Stop() || i.holds.Load() > 0
	if anew {
		i.touch()
	}
	return !anew
}

// fired is ready once the limit is reached, never without one.
func (i *idleTimer) fired() <-chan time.Time {
	if i.timer == nil {
		return nil
	}
	return i.timer.C
}

func (i *idleTimer) end() {
	if i.timer != nil {
		i.timer.Stop()
	}
}
