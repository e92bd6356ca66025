package jsonrpc

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// cancelMethod is the one method this package knows.
const cancelMethod = "$/cancel_request"

// readLoop reads until the transport ends.
func (c *Conn) readLoop() {
	for {
		frame, err := c.t.ReadFrame()
		var large *FrameTooLargeError
		switch {
		case err == nil:
			c.receive(frame)
		case errors.As(err, &large):
			c.tooLarge(large)
		default:
			c.readEnd(err)
			return
		}
	}
}

// receive sorts one frame.
func (c *Conn) receive(frame []byte) {
	e, err := scanFrame(frame)
	switch {
	case err != nil:
		c.unparsable(frame, err)
	case e.array:
		c.tap(In, frame)
		c.report(newJunk(JunkBatch, frame))
		c.refuse(nil, &Error{Code: CodeInvalidRequest, Message: "batches are not supported", Data: reason("batch_not_supported")})
	case !e.isFrame():
		c.report(newJunk(JunkNotFrame, frame))
	case e.method != nil:
		c.tap(In, frame)
		c.receiveMethod(frame, &e)
	default:
		c.tap(In, frame)
		c.receiveResponse(frame, &e)
	}
}

func (c *Conn) receiveMethod(frame []byte, e *envelope) {
	method, ok := c.methods.name(e.method)
	id, known := ID{}, e.id != nil
	if known {
		id, known = parseID(e.id)
	}
	switch {
	case e.id != nil && !known:
		c.report(newJunk(JunkNotFrame, frame))
		c.refuse(nil, &Error{Code: CodeInvalidRequest, Message: "the id is no string, number or null", Data: reason("invalid_id")})
	case !ok:
		c.report(newJunk(JunkNotFrame, frame))
		if known {
			c.refuse(e.id, &Error{Code: CodeInvalidRequest, Message: "the method is no string", Data: reason("invalid_method")})
		}
	case known:
		c.receiveRequest(newRequest(c, id, e, method, frame))
	case method == cancelMethod:
		c.cancelledByPeer(e.params)
	case c.opts.Handler != nil:
		n := &Notification{Method: method, Params: e.params, Raw: frame}
		c.enqueue(c.key(method, n.Params), task{size: len(frame), note: n})
	}
}

func (c *Conn) receiveRequest(r *Request) {
	if c.opts.Handler == nil {
		c.refuse(r.rawID, &Error{Code: CodeMethodNotFound, Message: fmt.Sprintf("method %q not found", r.Method)})
		return
	}
	key := c.key(r.Method, r.Params)
	c.admit(r)
	c.enqueue(key, task{size: len(r.Raw), req: r})
}

// receiveResponse puts a response in the line of its call. Its call is settled
// there, so a second response finds nobody.
func (c *Conn) receiveResponse(frame []byte, e *envelope) {
	result, err := e.outcome()
	p := c.takePending(e.id)
	if p == nil {
		j := newJunk(JunkUnknownResponse, frame)
		if failed, ok := errors.AsType[*Error](err); ok {
			j.Message = failed.Message
		}
		c.report(j)
		return
	}
	c.enqueue(p.key, task{size: len(frame), resp: &response{p, result, err}})
}

func (c *Conn) takePending(rawID []byte) *pending {
	if rawID == nil {
		return nil
	}
	id, ok := parseID(rawID)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.pending[id]
	delete(c.pending, id)
	return p
}

func (c *Conn) unparsable(line []byte, err error) {
	why := JunkNotJSON
	if t, ok := c.t.(cutter); ok && errors.Is(err, errCut) && t.lastCut() && beginsValue(line) {
		why = JunkTruncated
		c.mu.Lock()
		c.truncated = true
		c.mu.Unlock()
	}
	c.report(newJunk(why, line))
	if c.opts.ReplyParseError {
		c.refuse(nil, &Error{Code: CodeParse, Message: "the line is not JSON", Data: reason(why)})
	}
}

// beginsValue says whether a line that is not complete JSON looks like a frame.
func beginsValue(line []byte) bool {
	s := scanner(line)
	i := s.space(0)
	return i < len(s) && (s[i] == '{' || s[i] == '[')
}

func (c *Conn) tooLarge(e *FrameTooLargeError) {
	j := newJunk(JunkTooLarge, e.head)
	j.Size, j.Limit = e.Size, e.Limit
	c.report(j)
	if c.opts.ReplyParseError {
		data := fmt.Sprintf(`{"reason":"frame_too_large","limit":%d,"size":%d}`, e.Limit, e.Size)
		c.refuse(nil, &Error{Code: CodeInvalidRequest, Message: e.Error(), Data: json.RawMessage(data)})
	}
}

func (c *Conn) report(j *Junk) {
	if c.opts.OnJunk != nil {
		c.enqueue("", task{size: len(j.Line), junk: j})
	}
}

func reason(why string) json.RawMessage { return json.RawMessage(`{"reason":"` + why + `"}`) }

// readEnd settles what can no longer happen: open requests lose their context at
// once, calls get their error behind what was read before.
func (c *Conn) readEnd(err error) {
	c.mu.Lock()
	if c.cause == nil {
		c.cause = err
	}
	lost := c.connError()
	calls := slices.SortedFunc(maps.Values(c.pending), func(a, b *pending) int { return cmp.Compare(a.seq, b.seq) })
	c.pending = nil
	requests := slices.Collect(maps.Keys(c.requests))
	for _, p := range calls {
		c.pushLocked(p.key, task{resp: &response{p, nil, lost}})
	}
	c.ended = true
	c.roomChanged()
	c.mu.Unlock()
	for _, r := range requests {
		r.cancel(lost)
	}
}
