package controller

import "sync"

// RequestState is how far the answer to a request of the agent is.
type RequestState string

// The states of a request. Pending to sent is the usual way; failed is a write
// that may be tried again, cancel_requested one that the agent took back, stale
// one whose connection ended or whose id is in use again.
const (
	RequestPending   RequestState = "pending"
	RequestPrepared  RequestState = "prepared" // the answer is chosen
	RequestSending   RequestState = "sending"
	RequestSent      RequestState = "sent"
	RequestFailed    RequestState = "failed"
	RequestCancelled RequestState = "cancel_requested"
	RequestStale     RequestState = "stale"
)

// RequestStatus is what [Options.Observe] sees of one request of the agent.
type RequestStatus struct {
	RequestID string // as in events
	Method    string
	State     RequestState
}

// observed passes the states of one request on, off the path of its answer: one
// after another, and only the newest where the observer is slow.
type observed struct {
	mu      sync.Mutex // guards what follows
	newest  RequestState
	running bool
}

// tell notes a state of the request for the observer, if there is one.
func (o *owner) tell(state RequestState) {
	if o.c.opts.Observe == nil {
		return
	}
	o.seen.mu.Lock()
	defer o.seen.mu.Unlock()
	o.seen.newest = state
	if !o.seen.running {
		o.seen.running = true
		go o.observe()
	}
}

// observe calls the observer until it has seen the newest state.
func (o *owner) observe() {
	var shown RequestState
	for {
		o.seen.mu.Lock()
		state := o.seen.newest
		if state == shown {
			o.seen.running = false
			o.seen.mu.Unlock()
			return
		}
		o.seen.mu.Unlock()
		shown = state
		o.c.guarded("Observe", func() {
			o.c.opts.Observe(RequestStatus{RequestID: idText(o.r.ID), Method: o.r.Method, State: state})
		})
	}
}

// state is the name of an owner's state for observers.
func (s ownerState) observed() RequestState {
	switch s {
	case stateSending:
		return RequestSending
	case stateSent:
		return RequestSent
	case stateFailed:
		return RequestFailed
	case stateWithdrawn:
		return RequestCancelled
	case stateStale:
		return RequestStale
	default:
		return RequestPending
	}
}
