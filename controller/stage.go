package controller

// stage admits one goroutine at a time to the projectors and to Emit; it may be
// held for as long as Emit blocks. It is a channel, not a mutex, so that one can
// see whether it is taken and so that waiting for it counts as idle in tests.
type stage chan struct{}

func newStage() stage { return make(stage, 1) }

func (s stage) enter() { s <- struct{}{} }
func (s stage) leave() { <-s }

// tryEnter enters unless somebody is inside.
func (s stage) tryEnter() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}
