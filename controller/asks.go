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

// consult gets an answer from a source that may take its time, and may panic.
// decided is false when the request was withdrawn, by either side, before there
// was one; what then still comes is dropped.
func consult[T any](t *turn, o *owner, source func() T, failed func(reason any) T) (answer T, decided bool) {
	if t.cause() != nil {
		return answer, false
	}
	answers := make(chan T, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				answers <- failed(r)
			}
		}()
		answers <- source()
	}()
	select {
	case answer = <-answers:
		return answer, true
	case <-o.gone():
	case <-t.halted:
	case <-t.settled:
	}
	return answer, false
}

// isMoot says whether the agent has answered the prompt already.
func (t *turn) isMoot() bool {
	t.s.c.mu.Lock()
	defer t.s.c.mu.Unlock()
	return t.moot
}
