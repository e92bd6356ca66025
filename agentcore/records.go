package agentcore

import (
	"encoding/json"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/tool"
)

// Types of a record.
const (
	recordUser      = "user"
	recordAssistant = "assistant"
	recordTool      = "tool"
	recordTodos     = "todos"
	recordEnd       = "end"
)

// record is one fact of a session's log. Which fields are set depends on the type.
type record struct {
	Type string `json:"type"`
	ID   string `json:"id,omitempty"` // of the message or the tool call

	Text   string        `json:"text,omitempty"` // of a message, a result, or a closing
	Images []recordImage `json:"images,omitempty"`

	ThoughtID string       `json:"thoughtId,omitempty"`
	Thought   string       `json:"thought,omitempty"`
	Calls     []recordCall `json:"calls,omitempty"`

	Tool *recordedTool `json:"tool,omitempty"`
	// Todos is the whole list after a change.
	Todos []tool.Todo `json:"todos,omitempty"`
	// Stop says how the turn ended: a stop reason, or error.
	Stop string `json:"stop,omitempty"`
}

type recordImage struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

type recordCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"` // as the model wrote it, not necessarily JSON
}

// recordedTool is what the client saw of a finished call.
type recordedTool struct {
	Name      string          `json:"name"`
	Kind      string          `json:"kind"`
	RawInput  json.RawMessage `json:"rawInput,omitempty"`
	RawOutput json.RawMessage `json:"rawOutput,omitempty"`
	Locations []tool.Location `json:"locations,omitempty"`
	Diffs     []tool.Diff     `json:"diffs,omitempty"`
	IsError   bool            `json:"isError,omitempty"`
}

// message is what the model is told of a record, nil for none.
func (r *record) message() *model.Message {
	switch r.Type {
	case recordUser:
		m := &model.Message{Role: model.RoleUser, Text: r.Text}
		for _, i := range r.Images {
			m.Images = append(m.Images, model.Image(i))
		}
		return m
	case recordAssistant:
		m := &model.Message{Role: model.RoleAssistant, Text: r.Text, Thought: r.Thought}
		for _, c := range r.Calls {
			m.Calls = append(m.Calls, model.Call{ID: c.ID, Name: c.Name, Args: json.RawMessage(c.Args)})
		}
		return m
	case recordTool:
		return &model.Message{Role: model.RoleTool, CallID: r.ID, Text: r.Text, IsError: r.Tool.IsError}
	case recordEnd:
		if r.Text != "" {
			return &model.Message{Role: model.RoleAssistant, Text: r.Text}
		}
	}
	return nil
}
