// Package openai speaks chat completions, which many providers serve.
package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"iter"
	"strconv"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/model/wire"
)

// Model is one endpoint.
//
// API: POST {base}/chat/completions, streamed.
type Model struct{ Endpoint *wire.Endpoint }

// Stream implements [model.Model].
func (m *Model) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		a := &answer{endpoint: m.Endpoint}
		for event, err := range m.Endpoint.Post(ctx, body(req)) {
			if err != nil {
				yield(model.Chunk{}, err)
				return
			}
			if string(event.Data) == "[DONE]" {
				break
			}
			chunks, err := a.take(event.Data)
			if err != nil {
				yield(model.Chunk{}, err)
				return
			}
			for _, c := range chunks {
				if !yield(c, nil) {
					return
				}
			}
		}
		for _, c := range a.rest() {
			if !yield(c, nil) {
				return
			}
		}
	}
}

type request struct {
	Model           string         `json:"model"`
	Messages        []message      `json:"messages"`
	Tools           []tool         `json:"tools,omitempty"`
	Stream          bool           `json:"stream"`
	StreamOptions   map[string]any `json:"stream_options,omitempty"`
	ReasoningEffort string         `json:"reasoning_effort,omitempty"`
	MaxTokens       int            `json:"max_tokens,omitempty"`
}

type message struct {
	Role       string `json:"role"`
	Content    any    `json:"content"` // text, or parts
	ToolCalls  []call `json:"tool_calls,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Arguments   *string         `json:"arguments,omitempty"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

func body(req *model.Request) *request {
	r := &request{
		Model: req.Model, Stream: true, StreamOptions: map[string]any{"include_usage": true},
		ReasoningEffort: req.Effort, MaxTokens: req.MaxTokens,
	}
	for i := range req.Messages {
		r.Messages = append(r.Messages, messageOf(&req.Messages[i]))
	}
	for _, t := range req.Tools {
		r.Tools = append(r.Tools, tool{Type: "function", Function: function{Name: t.Name, Description: t.Description, Parameters: t.Schema}})
	}
	return r
}

func messageOf(m *model.Message) message {
	out := message{Role: string(m.Role), Content: m.Text, ToolCallID: m.CallID}
	if len(m.Images) > 0 {
		parts := []map[string]any{{"type": "text", "text": m.Text}}
		for _, i := range m.Images {
			url := "data:" + i.MIMEType + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
			parts = append(parts, map[string]any{"type": "image_url", "image_url": map[string]string{"url": url}})
		}
		out.Content = parts
	}
	for _, c := range m.Calls {
		args := string(c.Args)
		if !json.Valid(c.Args) {
			args = "{}" // endpoints refuse a history that is no JSON
		}
		out.ToolCalls = append(out.ToolCalls, call{ID: c.ID, Type: "function", Function: function{Name: c.Name, Arguments: &args}})
	}
	if m.Role == model.RoleAssistant && m.Text == "" && len(m.Calls) > 0 {
		out.Content = nil
	}
	return out
}

// answer is an answer on its way.
type answer struct {
	endpoint *wire.Endpoint
	calls    wire.Calls
	usage    *model.Usage
	end      model.End
}

// event is one chunk of the stream.
type event struct {
	Choices []struct {
		Delta struct {
			Content          *string    `json:"content"`
			ReasoningContent *string    `json:"reasoning_content"` // DeepSeek and others
			Reasoning        *string    `json:"reasoning"`         // OpenRouter
			Refusal          *string    `json:"refusal"`
			ToolCalls        []fragment `json:"tool_calls"`
		} `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		PromptDetails    struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
}

type fragment struct {
	Index    *int    `json:"index"`
	ID       *string `json:"id"`
	Function struct {
		Name      *string `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
}

// take reads one event. Data that is no JSON is an error: what is lost may be a
// part of a call.
func (a *answer) take(data []byte) ([]model.Chunk, error) {
	if err := a.endpoint.Failure(data); err != nil {
		return nil, err
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, &model.Error{Reason: model.ReasonProvider, Message: "an event of the provider is not readable: " + err.Error(), Retryable: true}
	}
	var out []model.Chunk
	for i := range e.Choices {
		d := &e.Choices[i].Delta
		for _, thought := range []string{text(d.ReasoningContent), text(d.Reasoning)} {
			if thought != "" {
				out = append(out, model.Chunk{Thought: thought})
				break
			}
		}
		if said := text(d.Content) + text(d.Refusal); said != "" {
			out = append(out, model.Chunk{Text: said})
		}
		for j := range d.ToolCalls {
			f := &d.ToolCalls[j]
			key := ""
			if f.Index != nil {
				key = strconv.Itoa(*f.Index)
			}
			a.calls.Add(key, text(f.ID), text(f.Function.Name), text(f.Function.Arguments))
		}
		if text(d.Refusal) != "" {
			a.end = model.EndRefusal
		}
		if reason := text(e.Choices[i].FinishReason); reason != "" && a.end == "" {
			a.end = ending(reason)
		}
	}
	if u := e.Usage; u != nil {
		a.usage = &model.Usage{
			InputTokens: u.PromptTokens, OutputTokens: u.CompletionTokens,
			ThoughtTokens: u.CompletionDetails.Reasoning, CachedReadTokens: u.PromptDetails.Cached,
		}
	}
	return out, nil
}

// ending is what a finish reason means; one that is not known is passed on.
func ending(reason string) model.End {
	switch reason {
	case "stop":
		return model.EndStop
	case "tool_calls", "function_call":
		return model.EndToolCalls
	case "length":
		return model.EndMaxTokens
	case "content_filter":
		return model.EndRefusal
	default:
		return model.End(reason)
	}
}

// rest is what comes with the end: the calls, once they are whole, the usage, the
// ending. A stream that ends without one broke off, and then its calls are not
// whole.
func (a *answer) rest() []model.Chunk {
	if a.end == "" {
		return nil
	}
	var out []model.Chunk
	if a.end == model.EndStop && a.calls.Any() {
		a.end = model.EndToolCalls // some endpoints say stop all the same
	}
	if a.end == model.EndToolCalls {
		out = a.calls.Chunks()
	}
	return append(out, model.Chunk{Usage: a.usage, End: a.end})
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
