package controller

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// inbound handles what the agent sends, one frame at a time in wire order.
type inbound struct{ c *Conn }

// HandleNotification implements [jsonrpc.Handler].
func (in inbound) HandleNotification(_ context.Context, n *jsonrpc.Notification) {
	if in.stale(n.Method) {
		return
	}
	switch n.Method {
	case "session/update":
		in.c.update(n.Params)
	case "elicitation/complete":
		in.c.completed(n)
	case retryAttemptMethod:
		in.c.retried(n)
	case attemptDiscardedMethod:
		in.c.discard(n.Params)
		in.c.extension(n)
	default:
		in.c.extension(n)
	}
}

// HandleRequest implements [jsonrpc.Handler]. Methods of capabilities that were
// not announced do not exist here.
func (in inbound) HandleRequest(_ context.Context, r *jsonrpc.Request) {
	if in.stale(r.Method) {
		return
	}
	switch r.Method {
	case "session/request_permission":
		in.c.permission(r)
	case "elicitation/create":
		in.c.elicitation(r)
	case requestInputMethod, requestInputBare:
		in.c.requestInput(r)
	default:
		if in.c.service(r) {
			return
		}
		refuse(r, jsonrpc.CodeMethodNotFound, fmt.Sprintf("method %q is not supported", r.Method))
	}
}

// retried shows that the agent asks its model again.
func (c *Conn) retried(n *jsonrpc.Notification) {
	var p struct {
		SessionID string `json:"sessionId"`
		Attempt   int    `json:"attempt"`
		DelayMs   int64  `json:"delayMs"`
		Reason    string `json:"reason"`
		Message   string `json:"message"`
	}
	s, _ := c.lookup(jsonString(members(n.Params)["sessionId"]))
	if s == nil || json.Unmarshal(n.Params, &p) != nil {
		c.extension(n)
		return
	}
	s.received(func() {
		s.show(event.Retry{Reason: p.Reason, Attempt: p.Attempt + 1, DelayMs: p.DelayMs, Message: p.Message})
	})
}

// stale drops what was read on a connection that is closed: it must not change
// anything any more.
func (in inbound) stale(method string) bool {
	_, current := in.c.lookup("")
	if !current {
		in.c.opts.Logf("dropping a stale %s of a closed connection", method)
	}
	return !current
}

// refuse answers an error without holding up the frames behind the request.
func refuse(r *jsonrpc.Request, code int, message string) {
	r.Detach()
	go func() { _ = r.ReplyError(&jsonrpc.Error{Code: code, Message: message}) }()
}

// extension passes on a notification that has no meaning here.
func (c *Conn) extension(n *jsonrpc.Notification) {
	id := jsonString(members(n.Params)["sessionId"])
	body := event.Ext{Method: n.Method, Direction: "in", Params: n.Params}
	if s, _ := c.lookup(id); s != nil {
		s.received(func() { s.show(body) })
		return
	}
	c.emit(body)
}

// noiseLimit bounds the warnings about lines and updates that belong nowhere; an
// agent that logs to stdout would bury everything else.
const noiseLimit = 100

// junk reports a line that is no frame. One over the limit may be anything, also
// the answer that a turn waits for: running turns end.
func (c *Conn) junk(j jsonrpc.Junk) {
	if j.Reason == jsonrpc.JunkTooLarge {
		c.stopTurns(failf(event.ClassProtocol, "frame_too_large", "the agent sent a frame of %d bytes; the limit is %d", j.Size, j.Limit))
	}
	text := firstRunes(j.Line, 200)
	if j.Message != "" {
		text = j.Message + ": " + text
	}
	c.warnNoise("junk", fmt.Sprintf("the agent wrote a line that is no frame (%s): %s", j.Reason, text))
}

// panicked reports a panic of a callback, which the frame layer contained.
func (c *Conn) panicked(value any, stack []byte) {
	c.opts.Logf("panic: %v\n%s", value, stack)
	c.warnNoise("callback_panic", fmt.Sprintf("a callback failed: %v", value))
}

// warnNoise is warn with a bound.
func (c *Conn) warnNoise(code, message string) {
	c.mu.Lock()
	c.noise++
	n := c.noise
	c.mu.Unlock()
	switch {
	case n < noiseLimit:
		c.warn(code, message)
	case n == noiseLimit:
		c.warn(code, message+" (further ones are not reported)")
	}
}
