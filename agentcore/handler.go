package agentcore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// handler receives what the client sends. It waits until the connection that it
// belongs to is set up.
type handler struct {
	conn    *conn
	started chan struct{}
}

// HandleRequest implements [jsonrpc.Handler].
func (h *handler) HandleRequest(_ context.Context, r *jsonrpc.Request) {
	<-h.started
	c := h.conn
	serve := c.methods()[r.Method]
	switch {
	case serve == nil:
		c.refuse(r, fail(jsonrpc.CodeMethodNotFound, "method_not_found", "there is no method "+r.Method))
	case !c.initialized.Load() && r.Method != "initialize":
		c.refuse(r, fail(jsonrpc.CodeInvalidRequest, "not_initialized", "initialize has to come first"))
	default:
		serve(r)
	}
}

// HandleNotification implements [jsonrpc.Handler]. What is not known is ignored.
func (h *handler) HandleNotification(_ context.Context, n *jsonrpc.Notification) {
	<-h.started
	if n.Method == "session/cancel" && h.conn.initialized.Load() {
		h.conn.cancelTurn(sessionIDOf(n.Params))
	}
}

// methods are the requests that are answered; everything in it is announced or part
// of the protocol's core.
func (c *conn) methods() map[string]func(*jsonrpc.Request) {
	return map[string]func(*jsonrpc.Request){
		"initialize":                c.initialize,
		"authenticate":              c.authenticate,
		"session/new":               c.newSession,
		"session/load":              c.loadSession,
		"session/resume":            c.resumeSession,
		"session/list":              c.listSessions,
		"session/delete":            c.deleteSession,
		"session/prompt":            c.prompt,
		"session/close":             c.closeSession,
		"session/set_mode":          c.setMode,
		"session/set_config_option": c.setOption,
		"session/set_model":         c.setModel,
	}
}

// orderKey puts what belongs to one session in one line. Until the connection is
// initialized there is one line for everything.
func (c *conn) orderKey(_ string, params json.RawMessage) string {
	if !c.initialized.Load() {
		return ""
	}
	return sessionIDOf(params)
}

// sessionIDOf is the sessionId of params, empty when there is none. It reads no
// further than it has to: params may hold megabytes of images.
func sessionIDOf(params json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(params))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return ""
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return ""
		}
		if name == "sessionId" {
			var id string
			_ = json.Unmarshal(value, &id) // anything else is no id
			return id
		}
	}
	return ""
}

// reply answers a request.
func (c *conn) reply(r *jsonrpc.Request, result any) { c.lost(r.Reply(result)) }

// refuse answers a request with an error. One that was cancelled meanwhile, and for
// which that is final, is answered as such.
func (c *conn) refuse(r *jsonrpc.Request, err error) {
	sent := r.ReplyError(responseError(err))
	if errors.Is(sent, jsonrpc.ErrPeerCancelled) {
		sent = r.ReplyError(cancelledError())
	}
	c.lost(sent)
}

// answer replies with the result of a request, or with its error.
func (c *conn) answer(r *jsonrpc.Request, result any, err error) {
	if err != nil {
		c.refuse(r, err)
		return
	}
	c.reply(r, result)
}

// decode reads params. Unknown fields are ignored, as everywhere in ACP.
func decode(r *jsonrpc.Request, into any) error {
	if len(r.Params) == 0 {
		return invalid("invalid_params", r.Method+" needs params")
	}
	if err := json.Unmarshal(r.Params, into); err != nil {
		return invalid("invalid_params", "params of "+r.Method+": "+err.Error())
	}
	return nil
}
