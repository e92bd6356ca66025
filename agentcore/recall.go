package agentcore

import (
	"encoding/json"
	"slices"

	"github.com/acpctl/acpctl/agentcore/tool"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// recall rebuilds from the log what the session had in memory. A turn that was
// interrupted is closed first, in the log as well.
func (s *session) recall(log []record) error {
	repairs := repair(log)
	base := 0
	for _, r := range slices.Concat(log, repairs) {
		switch r.Type {
		case recordUser:
			base = len(s.history)
			s.turns++
		case recordTodos:
			s.todos = r.Todos
			s.ws.Todos.Replace(r.Todos)
		case recordEnd:
			if r.Stop == stopRefusal {
				s.history = s.history[:base]
			}
		}
		if m := r.message(); m != nil {
			s.history = append(s.history, *m)
		}
	}
	if len(repairs) == 0 {
		return nil
	}
	return s.chain.commit(repairs)
}

// repair returns the records that close a turn whose process died: every call gets
// a result, and the turn an end.
func repair(log []record) []record {
	var open []recordCall
	ended, answered := true, true
	for _, r := range log {
		switch r.Type {
		case recordUser:
			ended, answered = false, false
		case recordAssistant:
			open, answered = r.Calls, len(r.Calls) == 0
		case recordTool:
			open = slices.DeleteFunc(slices.Clone(open), func(c recordCall) bool { return c.ID == r.ID })
		case recordEnd:
			ended, open = true, nil
		}
	}
	if ended {
		return nil
	}
	var repairs []record
	for _, c := range open {
		repairs = append(repairs, record{
			Type: recordTool, ID: c.ID, Text: "interrupted: the agent ended before this call did",
			Tool: &recordedTool{Name: c.Name, Kind: tool.KindOther, RawInput: asJSON(c.Args), IsError: true},
		})
	}
	end := record{Type: recordEnd, Stop: "interrupted"}
	if !answered {
		end.Text = "(the turn was interrupted)"
	}
	return append(repairs, end)
}

// replay sends the visible conversation, with the ids that it had.
func (s *session) replay(log []record) {
	for i := range log {
		s.chain.send(s.replayed(&log[i])...)
	}
}

func (s *session) replayed(r *record) []update {
	switch r.Type {
	case recordUser:
		return r.userUpdates()
	case recordAssistant:
		return r.updates()
	case recordTool:
		t := r.Tool
		plan := tool.Plan{Title: t.Name, Kind: t.Kind, RawInput: t.RawInput, Locations: t.Locations}
		res := tool.Result{Text: r.Text, Diffs: t.Diffs, Locations: t.Locations, IsError: t.IsError, RawOutput: t.RawOutput}
		return []update{s.pending(r.ID, &plan), s.finished(r.ID, &res)}
	}
	return nil
}

func (r *record) userUpdates() []update {
	var list []update
	if r.Text != "" {
		list = append(list, chunk("user_message_chunk", r.ID, r.Text))
	}
	for _, img := range r.Images {
		u := chunk("user_message_chunk", r.ID, "")
		u["content"] = map[string]any{"type": "image", "mimeType": img.MIMEType, "data": img.Data}
		list = append(list, u)
	}
	return list
}

// reload answers session/load for a session that is active here already: what was
// said is told again, and nothing changes.
func (c *conn) reload(r *jsonrpc.Request, s *session, replay bool) {
	if err := s.reloadable(r, replay); err != nil {
		c.refuse(r, err)
		return
	}
	log, err := s.readLog(r.Context())
	if err != nil {
		c.refuse(r, err)
		return
	}
	s.replay(log)
	c.lost(s.chain.open(func() error { return r.Reply(s.opened("")) }, s.planUpdates))
}

func (s *session) reloadable(r *jsonrpc.Request, replay bool) error {
	var p struct {
		Dirs    json.RawMessage   `json:"additionalDirectories"`
		Servers []json.RawMessage `json:"mcpServers"`
	}
	if err := decode(r, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing:
		return noSession("session_closing", s.id)
	case !replay || len(p.Dirs) > 0 || len(p.Servers) > 0:
		return invalid("session_active", "the session is active already", "sessionId", s.id)
	case s.turn != nil && !s.turn.answering:
		return fail(jsonrpc.CodeInvalidRequest, "prompt_in_progress", "the session's last prompt is not answered yet")
	}
	return nil
}
