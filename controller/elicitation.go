package controller

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// elicitation takes a question in: a form, or where that was announced an address
// to open. A question that belongs to no session has nobody who could answer it.
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
		ElicitationID   string          `json:"elicitationId"`
		URL             string          `json:"url"`
	}
	if err := json.Unmarshal(r.Params, &p); err != nil {
		refuse(r, jsonrpc.CodeInvalidParams, "elicitation/create: "+err.Error())
		return
	}
	body := event.Question{Message: p.Message}
	var f form
	var ask *urlAsk
	switch {
	case p.Mode == "form":
		read, err := readForm(p.RequestedSchema)
		if err != nil {
			refuse(r, jsonrpc.CodeInvalidParams, "requestedSchema: "+err.Error())
			return
		}
		f, body.Fields = read, read.fields()
	case p.Mode == "url" && c.opts.URLs:
		host, warnings, err := readURL(p.URL)
		if err == nil && p.ElicitationID == "" {
			err = errors.New("elicitationId is missing")
		}
		if err != nil {
			refuse(r, jsonrpc.CodeInvalidParams, "elicitation/create: "+err.Error())
			return
		}
		f, ask = urlForm{}, &urlAsk{p.ElicitationID, p.URL}
		body.Mode, body.URL, body.Host, body.Warnings = "url", p.URL, host, warnings
	default:
		refuse(r, jsonrpc.CodeInvalidParams, fmt.Sprintf("elicitation mode %q is not supported", p.Mode))
		return
	}
	if p.SessionID == "" && len(p.RequestID) == 0 {
		refuse(r, jsonrpc.CodeInvalidParams, "elicitation/create needs sessionId or requestId")
		return
	}
	if p.ToolCallID != nil {
		body.ToolCallID = *p.ToolCallID
	}
	c.question(c.own(r), p.SessionID, body, f, ask)
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
