package controller

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/controller/transcript"
)

// Offline shows what a recording says, by the same projection as a live
// connection: nothing is connected, run, opened or answered.
type Offline struct {
	emit     func(event.Event)
	deltas   bool
	calls    map[string]recordedCall // requests without a response, by direction and id
	sessions map[string]*offlineSession
	order    []string
	started  bool
	last     string         // text of the last turn
	failure  *event.Failure // of the last turn, or of a session that was not opened
}

// recordedCall is a request of the recording.
type recordedCall struct {
	method string
	params json.RawMessage
	call   event.ToolCall // of a permission request
}

// offlineSession is a session of the recording.
type offlineSession struct {
	id     string
	proj   *event.Projector
	turn   int
	prompt string // id of the turn's request
	open   bool   // in a turn
	bare   bool   // of updates alone
	known  bool   // session.start is emitted
	cwd    string
	origin string
}

// NewOffline returns an empty one. Emit gets the events, without seq and time.
func NewOffline(emit func(event.Event), deltas bool) *Offline {
	return &Offline{emit: emit, deltas: deltas, calls: map[string]recordedCall{}, sessions: map[string]*offlineSession{}}
}

// ReadAll takes every frame of a recording and closes what is left open.
func (o *Offline) ReadAll(r *transcript.Reader) error {
	for {
		f, err := r.Next()
		if errors.Is(err, io.EOF) {
			o.Close()
			return nil
		}
		if err != nil {
			return err
		}
		o.Frame(string(f.Dir), f.Raw)
	}
}

// Frame takes one frame. What is no frame, or belongs nowhere, is passed over, as
// the live reader warns of it and goes on.
func (o *Offline) Frame(dir string, raw []byte) {
	m := members(raw)
	method, id := jsonString(m["method"]), string(m["id"])
	switch {
	case method != "" && id != "":
		o.request(dir, id, method, m["params"])
	case method == "session/update" && dir == "in":
		if session, update := splitUpdate(m["params"]); update != nil {
			o.Update(string(session), update)
		}
	case method == attemptDiscardedMethod && dir == "in":
		p := members(m["params"])
		o.session(jsonString(p["sessionId"])).proj.Discard(stringList(p["messageIds"]))
	case method == "" && id != "":
		o.response(dir, id, m)
	}
}

// Begin opens a turn of a session of which there are updates alone.
func (o *Offline) Begin(session string) {
	s := o.session(session)
	s.turn, s.open, s.bare = 1, true, true
	s.proj.BeginTurn()
	o.show(s, event.TurnStart{})
}

// Update takes one update of a session.
func (o *Offline) Update(session string, update json.RawMessage) {
	s := o.session(session)
	o.show(s, s.proj.Update(update)...)
}

func (o *Offline) session(id string) *offlineSession { return o.sessionIn(id, "") }

// sessionIn is session for one whose folder is known.
func (o *Offline) sessionIn(id, cwd string) *offlineSession {
	s := o.sessions[id]
	if s == nil {
		s = &offlineSession{id: id, origin: originNew, cwd: cwd}
		s.proj = event.NewProjector(&event.ProjectorOptions{
			Deltas: o.deltas, Cwd: cwd,
			Facts: func(tc *event.ToolCallState) (string, []string) {
				return facts(tc, &policy.Env{Cwd: s.cwd, Roots: []string{s.cwd}})
			},
		})
		o.sessions[id] = s
		o.order = append(o.order, id)
	}
	return s
}

func (o *Offline) show(s *offlineSession, bodies ...event.Body) {
	for _, b := range bodies {
		turn := 0
		if s.open {
			turn = s.turn
		}
		o.emit(event.Event{SessionID: s.id, Turn: turn, Body: b})
	}
}

// request notes a request, and shows what begins with it.
func (o *Offline) request(dir, id, method string, params json.RawMessage) {
	call := recordedCall{method: method, params: params}
	p := members(params)
	switch {
	case dir == "out" && method == "session/prompt":
		s := o.session(jsonString(p["sessionId"]))
		o.breakOff(s, "prompted_again", "another prompt was sent within the turn")
		s.turn++
		s.prompt = id
		s.proj.BeginTurn()
		s.open = true
		var blocks []json.RawMessage
		_ = json.Unmarshal(p["prompt"], &blocks)
		o.show(s, event.TurnStart{Prompt: summarize(blocks)})
	case dir == "out" && method == "session/load":
		s := o.sessionIn(jsonString(p["sessionId"]), jsonString(p["cwd"]))
		s.origin = originLoad
		s.proj.SetReplay(true)
	case dir == "in" && method == "session/request_permission":
		s := o.session(jsonString(p["sessionId"]))
		bodies, merged := s.proj.Permission(p["toolCall"])
		o.show(s, bodies...)
		call.call = merged.ToolCall
	}
	o.calls[dir+id] = call
}

// response shows what ends with a response.
func (o *Offline) response(dir, id string, m map[string]json.RawMessage) {
	from := map[string]string{"in": "out", "out": "in"}[dir]
	call, ok := o.calls[from+id]
	if !ok {
		return
	}
	delete(o.calls, from+id)
	p, result := members(call.params), members(m["result"])
	switch call.method {
	case "initialize":
		agent := members(result["agentInfo"])
		o.started = true
		o.emit(event.Event{Body: event.AgentStart{
			Name: jsonString(agent["name"]), Version: jsonString(agent["version"]), ProtocolVersion: protocolVersion,
			Capabilities: result["agentCapabilities"], AuthMethods: result["authMethods"],
		}})
	case "session/new", "session/load", "session/resume", "session/fork":
		if o.failure = agentError(call.method, m["error"]); o.failure == nil {
			o.opened(call.method, p, result)
		}
	case "session/prompt":
		if s := o.session(jsonString(p["sessionId"])); s.open && s.prompt == id {
			o.ended(s, result, m["error"])
		}
	case "session/set_config_option":
		if options, ok := result["configOptions"]; ok {
			s := o.session(jsonString(p["sessionId"]))
			o.show(s, s.proj.Config(options, "response")...)
		}
	case "session/request_permission":
		o.answered(jsonString(p["sessionId"]), id, &call, result)
	}
}

func (o *Offline) opened(method string, p, result map[string]json.RawMessage) {
	id := jsonString(result["sessionId"])
	if id == "" {
		id = jsonString(p["sessionId"])
	}
	if id == "" {
		return
	}
	s := o.sessionIn(id, jsonString(p["cwd"]))
	s.cwd, s.known = jsonString(p["cwd"]), true
	s.origin = method[len("session/"):]
	if options, given := result["configOptions"]; given {
		s.proj.Config(options, "response")
	}
	raw, _ := s.proj.Options()
	o.show(s, event.SessionStart{Origin: s.origin, Cwd: s.cwd, Options: raw})
	o.show(s, s.proj.SetReplay(false)...)
}

func (o *Offline) ended(s *offlineSession, result map[string]json.RawMessage, failed json.RawMessage) {
	stop := jsonString(result["stopReason"])
	o.show(s, s.proj.EndTurn(stop == "cancelled")...)
	o.last = s.proj.TurnText()
	end := event.TurnEnd{StopReason: stop, Text: o.last, Usage: readUsage(result["usage"])}
	end.Error = agentError("session/prompt", failed)
	if o.failure = end.Error; o.failure == nil {
		o.failure = stopFailure(stop)
	}
	o.show(s, end)
	s.open = false
}

// agentError is a recorded error response, nil without one.
func agentError(method string, raw json.RawMessage) *event.Failure {
	if raw == nil {
		return nil
	}
	e := members(raw)
	return failf(event.ClassAgent, "agent_error", "%s: %s (code %s)", method, jsonString(e["message"]), e["code"])
}

// answered shows a recorded decision: what the chosen option means.
func (o *Offline) answered(session, id string, call *recordedCall, result map[string]json.RawMessage) {
	option := jsonString(members(result["outcome"])["optionId"])
	var options []permissionOption
	_ = json.Unmarshal(members(call.params)["options"], &options)
	decision := "withdrawn"
	for _, op := range options {
		if op.OptionID == option && option != "" {
			decision = map[string]string{"allow_once": "allow", "allow_always": "allow", "reject_once": "deny", "reject_always": "deny"}[op.Kind]
		}
	}
	o.show(o.session(session), event.Permission{
		RequestID: jsonString(json.RawMessage(id)) + numberText(id), ToolCallID: call.call.ToolCallID, Kind: call.call.Kind,
		Command: call.call.Command, Paths: call.call.Paths, Decision: decision, OptionID: option, Covered: decision != "withdrawn", Delivery: "sent",
	})
}

// numberText is an id that is a number, empty for a text.
func numberText(id string) string {
	if id == "" || id[0] == '"' {
		return ""
	}
	return id
}

// Close ends what the recording leaves open.
func (o *Offline) Close() {
	for _, id := range o.order {
		s := o.sessions[id]
		o.breakOff(s, "recording_ends", "the recording ends within the turn")
		o.show(s, s.proj.SetReplay(false)...)
		if s.known {
			o.show(s, event.SessionEnd{Reason: "closed"})
		}
	}
	if o.started {
		o.emit(event.Event{Body: event.AgentEnd{}})
	}
}

// breakOff ends a turn that got no answer; bare updates have no answer.
func (o *Offline) breakOff(s *offlineSession, reason, message string) {
	if !s.open {
		return
	}
	o.show(s, s.proj.EndTurn(false)...)
	o.last = s.proj.TurnText()
	end := event.TurnEnd{Text: o.last}
	if !s.bare {
		end.Error = failf(event.ClassProtocol, reason, "%s", message)
		o.failure = end.Error
	}
	o.show(s, end)
	s.open = false
}

// Text is the text of the last turn.
func (o *Offline) Text() string { return o.last }

// Failure says that the last turn failed by what the agent answered, or that no
// session was opened; nil otherwise. What our side decided is not in a recording.
func (o *Offline) Failure() *event.Failure { return o.failure }

// Snapshots are the states of the sessions, by id.
func (o *Offline) Snapshots() map[string]event.Snapshot {
	out := make(map[string]event.Snapshot, len(o.sessions))
	for id, s := range o.sessions {
		out[id] = s.proj.Snapshot()
	}
	return out
}
