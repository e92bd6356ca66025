package agentcore

import (
	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/tool"
)

// chunk is a piece of a message. ACP: ContentChunk.
func chunk(kind, id, text string) update {
	return update{"sessionUpdate": kind, "messageId": id, "content": textBlock(text)}
}

func textBlock(text string) map[string]any { return map[string]any{"type": "text", "text": text} }

// updates are what a record means to the client.
func (r *record) updates() []update {
	var list []update
	if r.Thought != "" {
		list = append(list, chunk("agent_thought_chunk", r.ThoughtID, r.Thought))
	}
	if r.Text != "" {
		list = append(list, chunk("agent_message_chunk", r.ID, r.Text))
	}
	return list
}

// pending announces a call. The canonical name of its tool is the title, and the
// name as well: a client's rules take no facts from a title. ACP: ToolCall; name is
// not in the stable schema yet.
func (s *session) pending(id string, p *tool.Plan) update {
	u := update{
		"sessionUpdate": "tool_call", "toolCallId": id, "title": p.Title, "kind": p.Kind,
		"status": "pending", "rawInput": p.RawInput,
	}
	if !s.conn.core.opts.StandardOnly {
		u["name"] = p.Title
	}
	s.addPlaces(u, p.Locations, nil)
	return u
}

func running(id string) update {
	return update{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "in_progress"}
}

// progress shows the output of a call that still runs.
func progress(id, text string) update {
	u := running(id)
	u["content"] = []any{map[string]any{"type": "content", "content": textBlock(text)}}
	return u
}

// finished is the end of a call.
func (s *session) finished(id string, res *tool.Result) update {
	u := update{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed"}
	if res.IsError {
		u["status"] = "failed"
	}
	if len(res.RawOutput) > 0 {
		u["rawOutput"] = res.RawOutput
	}
	content := []any{map[string]any{"type": "content", "content": textBlock(res.Text)}}
	s.addPlaces(u, res.Locations, res.Diffs)
	if diffs, ok := u["content"].([]any); ok {
		content = append(content, diffs...)
	}
	u["content"] = content
	return u
}

// addPlaces adds locations and diffs to an update or a permission request.
func (s *session) addPlaces(u update, locations []tool.Location, diffs []tool.Diff) {
	var places, content []any
	for _, l := range locations {
		place := map[string]any{"path": l.Path}
		if l.Line > 0 {
			place["line"] = l.Line
		}
		places = append(places, place)
	}
	for _, d := range diffs {
		diff := map[string]any{"type": "diff", "path": d.Path, "newText": d.NewText}
		if d.OldText != nil {
			diff["oldText"] = *d.OldText
		}
		content = append(content, diff)
	}
	if len(places) > 0 {
		u["locations"] = places
	}
	if len(content) > 0 && !s.conn.core.opts.StandardOnly {
		u["content"] = content
	}
}

// planUpdates are the to-do list as it is, nothing where plans are left out.
func (s *session) planUpdates() []update {
	if s.conn.core.opts.StandardOnly {
		return nil
	}
	return []update{{"sessionUpdate": "plan", "entries": s.ws.Todos.List()}}
}

// usageUpdates are the context's use, nothing where it was not measured.
func usageUpdates(u *model.Usage, entry *model.Entry) []update {
	if u == nil || u.ContextUsed <= 0 {
		return nil
	}
	size := u.ContextSize
	if size <= 0 {
		size = entry.ContextSize
	}
	if size <= 0 {
		return nil
	}
	out := update{"sessionUpdate": "usage_update", "used": u.ContextUsed, "size": size}
	if u.CostCurrency != "" {
		out["cost"] = map[string]any{"amount": u.CostAmount, "currency": u.CostCurrency}
	}
	return []update{out}
}
