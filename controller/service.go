package controller

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// ClientServices are what an agent may have done on this side. Each call passes
// the rules first; none works outside of a turn or outside of the session's
// roots.
//
// ACP: clientCapabilities.fs, clientCapabilities.terminal.
type ClientServices struct {
	FS       bool // fs/read_text_file, fs/write_text_file
	Terminal bool // terminal/*
	// Environ is the environment of commands in terminals, to which the agent may
	// add. It should hold no secrets.
	Environ []string
}

// service is one call of a client service.
type service struct {
	t    *turn
	o    *owner
	id   string
	body event.Client
	call *policy.Call // what the rules are asked for; nil: nothing that needs asking
	// do carries it out and returns the result, or an *jsonrpc.Error.
	do func(s *service) (any, error)
}

// serviceCall is what the calls have in common.
type serviceCall struct {
	SessionID  string      `json:"sessionId"`
	Path       string      `json:"path"`
	Line       *int        `json:"line"`
	Limit      *int        `json:"limit"`
	Content    *string     `json:"content"`
	Command    string      `json:"command"`
	Args       []string    `json:"args"`
	Env        []NameValue `json:"env"`
	Cwd        *string     `json:"cwd"`
	ByteLimit  *int        `json:"outputByteLimit"`
	TerminalID string      `json:"terminalId"`
}

// service takes a call in; false for methods that are not offered.
func (c *Conn) service(r *jsonrpc.Request) bool {
	prepare := c.serviceOf(r.Method)
	if prepare == nil {
		return false
	}
	var p serviceCall
	if err := json.Unmarshal(r.Params, &p); err != nil {
		refuse(r, jsonrpc.CodeInvalidParams, r.Method+": "+err.Error())
		return true
	}
	s, _ := c.lookup(p.SessionID)
	if s == nil {
		refuse(r, jsonrpc.CodeInvalidParams, fmt.Sprintf("%s: unknown session %q", r.Method, p.SessionID))
		return true
	}
	v := &service{id: idText(r.ID), body: event.Client{RequestID: idText(r.ID), Method: r.Method}}
	if err := prepare(s, v, &p); err != nil {
		refuse(r, jsonrpc.CodeInvalidParams, r.Method+": "+err.Error())
		return true
	}
	v.o = c.own(r)
	s.received(func() { v.t = s.running() })
	if v.t == nil || !v.t.ask(v.run) {
		late := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: r.Method + " outside of a turn"}
		go v.o.answer(func() any { return late })
	}
	return true
}

// serviceOf is what prepares the calls of a method; nil when it is not offered.
func (c *Conn) serviceOf(method string) func(*Session, *service, *serviceCall) error {
	switch {
	case c.opts.Client.FS && method == "fs/read_text_file":
		return (*Session).readFile
	case c.opts.Client.FS && method == "fs/write_text_file":
		return (*Session).writeFile
	case !c.opts.Client.Terminal:
		return nil
	}
	switch method {
	case "terminal/create":
		return (*Session).createTerminal
	case "terminal/output":
		return (*Session).terminalOutput
	case "terminal/wait_for_exit":
		return (*Session).waitForTerminal
	case "terminal/kill":
		return (*Session).killTerminal
	case "terminal/release":
		return (*Session).releaseTerminal
	default:
		return nil
	}
}

// run asks the rules, carries the call out, answers and records it.
func (v *service) run() {
	clock := v.t.s.c.opts.Clock
	began := clock()
	result, err := v.result()
	v.t.deliver(v.o, func() any {
		if err != nil {
			return v.failure(err)
		}
		return result
	}, func(state ownerState) {
		if state != stateSent {
			v.body.Error = cmp.Or(v.body.Error, "the answer was not delivered: "+state.delivery())
		}
		v.body.DurationMs = clock().Sub(began).Milliseconds()
		if !v.t.finished {
			v.t.s.show(v.body)
		}
	})
}

// result decides and does.
func (v *service) result() (any, error) {
	if v.t.cause() != nil {
		return nil, jsonrpc.ErrPeerCancelled
	}
	if v.call != nil {
		if err := v.permitted(); err != nil {
			return nil, err
		}
	}
	return v.do(v)
}

// permitted asks the rules for the call, as for one that the agent asks for by
// itself, and records the decision.
func (v *service) permitted() error {
	a := &permissionAsk{t: v.t, o: v.o, id: v.id, call: v.call}
	a.state.Kind, a.state.Command, a.state.Paths = v.call.Kind, v.call.Command, v.call.Paths
	out, decided := a.decide()
	if !decided {
		return jsonrpc.ErrPeerCancelled
	}
	a.react(&out)
	v.t.s.stageDo(func() { a.record(&out, true, "", stateSent) })
	if out.Decision == policy.Allow {
		return nil
	}
	return &jsonrpc.Error{
		Code: jsonrpc.CodeInternal, Message: "permission denied: " + cmp.Or(out.Message, out.Why, "by the rules of this run"),
		Data: json.RawMessage(`{"reason":"permission_denied"}`),
	}
}

// failure is the error answer for err, and what the event says of it.
func (v *service) failure(err error) *jsonrpc.Error {
	v.body.Error = err.Error()
	var e *jsonrpc.Error
	switch {
	case errors.As(err, &e):
		v.body.Error = e.Message
		return e
	case errors.Is(err, jsonrpc.ErrPeerCancelled):
		return &jsonrpc.Error{Code: jsonrpc.CodeCancelled, Message: "the turn was cancelled"}
	default:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: err.Error()}
	}
}
