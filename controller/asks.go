package controller

// settle makes the requests that are still open moot and waits for their
// answers to be written.
func (t *turn) settle() {
	c := t.s.c
	c.mu.Lock()
	if !t.moot {
		t.moot = true
		close(t.settled)
	}
	c.mu.Unlock()
	<-t.asks.idle()
}

// ask takes on a request of the agent, which f has to deliver an answer to; false
// when the turn is over.
func (t *turn) ask(f func()) bool {
	c := t.s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.moot {
		return false
	}
	t.idle.hold()
	t.asks.add()
	t.unanswered.add()
	go func() {
		defer t.asks.done()
		defer t.idle.release()
		f()
	}()
	return true
}

// deliver writes an answer to a request of the agent and shows it. Both happen
// with the stage held, so that the event comes before everything that the agent
// does with the answer. Where the request is not wanted any more the answer does
// not wait for the stage: somebody may be blocked in Emit.
func (t *turn) deliver(o *owner, choose func() any, show func(state ownerState)) ownerState {
	stage := t.s.c.stage
	select {
	case stage <- struct{}{}:
		defer stage.leave()
		state := o.answer(choose)
		t.unanswered.done()
		show(state)
		return state
	case <-t.halted:
	case <-t.settled:
	case <-o.gone():
	}
	state := o.answer(choose)
	t.unanswered.done()
	stage.enter()
	defer stage.leave()
	show(state)
	return state
}

// isMoot says whether the agent has answered the prompt already.
func (t *turn) isMoot() bool {
	t.s.c.mu.Lock()
	defer t.s.c.mu.Unlock()
	return t.moot
}
