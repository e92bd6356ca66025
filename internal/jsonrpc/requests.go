package jsonrpc

import "encoding/json"

// admit takes a request in, as soon as there are few enough of them.
func (c *Conn) admit(r *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.countLocked()
	c.requests[r] = struct{}{}
	c.byID[r.ID] = r
}

// countLocked needs the mutex.
func (c *Conn) countLocked() {
	c.waitFor(func() bool { return c.inflight < c.opts.MaxInflight })
	c.inflight++
}

// release ends the life of a request that is answered.
func (c *Conn) release(r *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.requests, r)
	if c.byID[r.ID] == r {
		delete(c.byID, r.ID)
	}
	c.inflight--
	c.wakeReader()
}

// refuse answers for the reader: it waits for room, never for a write. A nil id is
// null.
func (c *Conn) refuse(rawID []byte, e *Error) {
	value, err := encode(e)
	if err != nil {
		return
	}
	if rawID == nil {
		rawID = []byte("null")
	}
	c.mu.Lock()
	c.countLocked()
	c.mu.Unlock()
	s := newSending(answerParts(rawID, "error", value))
	s.settled = func(*SendError) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.inflight--
		c.wakeReader()
	}
	c.out.post(s)
}

// cancelledByPeer acts on the peer's `$/cancel_request`. An unknown id is ignored:
// the answer may be under way.
func (c *Conn) cancelledByPeer(params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil || len(p.RequestID) == 0 {
		return
	}
	id, ok := parseID(p.RequestID)
	if !ok {
		return
	}
	c.mu.Lock()
	r := c.byID[id]
	c.mu.Unlock()
	if r != nil {
		r.withdraw()
	}
}
