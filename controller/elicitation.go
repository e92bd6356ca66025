package controller

import (
	"encoding/json"
	"fmt"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// elicitation takes a form question in. Another mode was not announced, and a
// question that belongs to no session has nobody who could answer it.
//
// ACP: elicitation/create.
func (c *Conn) elicitation(r *jsonrpc.Request) {
	var p struct {
		SessionID       string          `json:"sessionId"`
		RequestID       json.RawMessage `json:"requestId"`
		ToolCallID      *string         `json:"toolCallId"`
		Mode            string          `json:"mode"`
		Message         string          `json:"message"`
		RequestedSchema json.RawMessage `json:"requestedSchema"`
	}
	if err := json.Unmarshal(r.Params, &p); err != nil {
		refuse(r, jsonrpc.CodeInvalidParams, "elicitation/create: "+err.Error())
		return
	}
	if p.Mode != "form" {
		refuse(r, jsonrpc.CodeInvalidParams, fmt.Sprintf("elicitation mode %q is not supported", p.Mode))
		return
	}
	f, err := readForm(p.RequestedSchema)
	if err != nil {
		refuse(r, jsonrpc.CodeInvalidParams, "requestedSchema: "+err.Error())
		return
	}
	if p.SessionID == "" && len(p.RequestID) == 0 {
		refuse(r, jsonrpc.CodeInvalidParams, "elicitation/create needs sessionId or requestId")
		return
	}
	body := event.Question{Message: p.Message, Fields: f.fields()}
	if p.ToolCallID != nil {
		body.ToolCallID = *p.ToolCallID
	}
	c.question(c.own(r), p.SessionID, body, f)
}

// elicitationForm is the form of one elicitation.
type elicitationForm struct{ properties []property }

// fields is what the question event shows.
func (f *elicitationForm) fields() []event.Field {
	out := make([]event.Field, len(f.properties))
	for i := range f.properties {
		p := &f.properties[i]
		out[i] = event.Field{
			Name: p.name, Title: p.Title, Description: p.Description, Type: p.Type, Required: p.required,
			Multi: p.Type == "array", Options: p.options(), Default: p.Default, Companion: p.companion,
		}
	}
	return out
}

// fit implements [form].
func (f *elicitationForm) fit(answer map[string]any) (any, json.RawMessage, error) {
	content, err := f.content(answer)
	if err != nil {
		return nil, nil, err
	}
	raw, err := json.Marshal(content)
	if err != nil {
		return nil, nil, fmt.Errorf("encoding the answer: %w", err)
	}
	return accepted{Action: ActionAccept, Content: raw}, raw, nil
}

// refusal implements [form].
func (f *elicitationForm) refusal(action string) any { return accepted{Action: action} }

// accepted is the response to elicitation/create.
type accepted struct {
	Action  string          `json:"action"`
	Content json.RawMessage `json:"content,omitempty"`
}
