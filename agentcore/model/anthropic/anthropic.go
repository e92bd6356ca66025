// Package anthropic speaks the messages API.
package anthropic

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"iter"
	"strconv"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/model/wire"
)

// Version is the value of the header anthropic-version.
const Version = "2023-06-01"

// usualTokens bounds an answer where nothing else does: the API wants a bound.
const usualTokens = 8192

// Model is one endpoint.
//
// API: POST {base}/v1/messages, streamed.
type Model struct{ Endpoint *wire.Endpoint }

// Efforts are those that a thinking budget is known for.
func Efforts() []string { return []string{"low", "medium", "high"} }

// budget is how many tokens an effort may think, 0 for none.
func budget(effort string) int {
	switch effort {
	case "low":
		return 2048
	case "medium":
		return 8192
	case "high":
		return 24576
	default:
		return 0
	}
}

// Stream implements [model.Model].
func (m *Model) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		a := &answer{endpoint: m.Endpoint}
		for event, err := range m.Endpoint.Post(ctx, body(req)) {
			if err != nil {
				yield(model.Chunk{}, err)
				return
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
			if a.over {
				return
			}
		}
	}
}

type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	System    []block   `json:"system,omitempty"`
	Messages  []message `json:"messages"`
	Tools     []tool    `json:"tools,omitempty"`
	Stream    bool      `json:"stream"`
	Thinking  any       `json:"thinking,omitempty"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type block struct {
	Type         string          `json:"type"`
	Text         string          `json:"text,omitempty"`
	Source       any             `json:"source,omitempty"`
	ID           string          `json:"id,omitempty"`
	Name         string          `json:"name,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Content      string          `json:"content,omitempty"`
	IsError      bool            `json:"is_error,omitempty"`
	CacheControl any             `json:"cache_control,omitempty"`
}

// cached marks the end of what stays the same from one request to the next.
var cached = map[string]string{"type": "ephemeral"}

func body(req *model.Request) *request {
	r := &request{Model: req.Model, MaxTokens: req.MaxTokens, Stream: true}
	if r.MaxTokens == 0 {
		r.MaxTokens = usualTokens
	}
	if n := budget(req.Effort); n > 0 && !inTools(req) {
		r.Thinking = map[string]any{"type": "enabled", "budget_tokens": n}
		r.MaxTokens = max(r.MaxTokens, n+usualTokens)
	}
	for i := range req.Messages {
		r.add(&req.Messages[i])
	}
	for _, t := range req.Tools {
		r.Tools = append(r.Tools, tool{t.Name, t.Description, t.Schema})
	}
	if n := len(r.System); n > 0 {
		r.System[n-1].CacheControl = cached
	}
	if n := len(r.Messages); n > 0 {
		last := r.Messages[n-1].Content
		last[len(last)-1].CacheControl = cached
	}
	return r
}

// inTools says whether the request goes on behind tool calls. The API then wants
// the thoughts before them back, signed, which the history has not: such a
// request does not think.
func inTools(req *model.Request) bool {
	n := len(req.Messages)
	return n > 0 && req.Messages[n-1].Role == model.RoleTool
}

// add appends a message; those of one role in a row are one, as the API wants it.
func (r *request) add(m *model.Message) {
	role, blocks := "user", []block(nil)
	if m.Text != "" && m.Role != model.RoleTool {
		blocks = append(blocks, block{Type: "text", Text: m.Text})
	}
	switch m.Role {
	case model.RoleSystem:
		r.System = append(r.System, blocks...)
		return
	case model.RoleAssistant:
		role = "assistant"
		for _, c := range m.Calls {
			input := c.Args
			if len(input) == 0 || input[0] != '{' || !json.Valid(input) {
				input = json.RawMessage("{}")
			}
			blocks = append(blocks, block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: input})
		}
	case model.RoleTool:
		blocks = append(blocks, block{Type: "tool_result", ToolUseID: m.CallID, Content: m.Text, IsError: m.IsError})
	}
	for _, i := range m.Images {
		blocks = append(blocks, block{Type: "image", Source: map[string]string{
			"type": "base64", "media_type": i.MIMEType, "data": base64.StdEncoding.EncodeToString(i.Data),
		}})
	}
	if len(blocks) == 0 {
		return
	}
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == role {
		r.Messages[n-1].Content = append(r.Messages[n-1].Content, blocks...)
		return
	}
	r.Messages = append(r.Messages, message{role, blocks})
}

// answer is an answer on its way.
type answer struct {
	endpoint *wire.Endpoint
	calls    wire.Calls
	usage    model.Usage
	end      model.End
	over     bool
}

// event is one event of the stream, of whatever type.
type event struct {
	Type         string `json:"type"`
	Index        int    `json:"index"`
	ContentBlock struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		Name string `json:"name"`
		Text string `json:"text"`
	} `json:"content_block"`
	Delta struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Message struct{ Usage usage } `json:"message"`
	Usage   *usage                `json:"usage"`
}

type usage struct {
	Input     int `json:"input_tokens"`
	Output    int `json:"output_tokens"`
	CacheRead int `json:"cache_read_input_tokens"`
	CacheMade int `json:"cache_creation_input_tokens"`
}

func (a *answer) take(data []byte) ([]model.Chunk, error) {
	if err := a.endpoint.Failure(data); err != nil {
		return nil, err
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, &model.Error{Reason: model.ReasonProvider, Message: "an event of the provider is not readable: " + err.Error(), Retryable: true}
	}
	switch e.Type {
	case "message_start":
		a.count(&e.Message.Usage)
	case "content_block_start":
		switch e.ContentBlock.Type {
		case "tool_use":
			a.calls.Add(strconv.Itoa(e.Index), e.ContentBlock.ID, e.ContentBlock.Name, "")
		case "text":
			return said(e.ContentBlock.Text), nil
		}
	case "content_block_delta":
		switch e.Delta.Type {
		case "text_delta":
			return said(e.Delta.Text), nil
		case "thinking_delta":
			return []model.Chunk{{Thought: e.Delta.Thinking}}, nil
		case "input_json_delta":
			a.calls.Add(strconv.Itoa(e.Index), "", "", e.Delta.PartialJSON)
		}
	case "message_delta":
		if e.Delta.StopReason != "" {
			a.end = ending(e.Delta.StopReason)
		}
		if e.Usage != nil {
			a.count(e.Usage)
		}
	case "message_stop":
		return a.rest(), nil
	}
	return nil, nil
}

func said(text string) []model.Chunk {
	if text == "" {
		return nil
	}
	return []model.Chunk{{Text: text}}
}

// count takes the numbers that are there: the start has the input, the end the
// output.
func (a *answer) count(u *usage) {
	if in := u.Input + u.CacheRead + u.CacheMade; in > 0 {
		a.usage.InputTokens, a.usage.CachedReadTokens = in, u.CacheRead
	}
	if u.Output > 0 {
		a.usage.OutputTokens = u.Output
	}
}

// ending is what a stop reason means; one that is not known is passed on.
func ending(reason string) model.End {
	switch reason {
	case "end_turn", "stop_sequence":
		return model.EndStop
	case "tool_use":
		return model.EndToolCalls
	case "max_tokens", "model_context_window_exceeded":
		return model.EndMaxTokens
	case "refusal":
		return model.EndRefusal
	default:
		return model.End(reason)
	}
}

// rest is what comes with the end. Without a stop reason it broke off.
func (a *answer) rest() []model.Chunk {
	a.over = true
	if a.end == "" {
		return nil
	}
	var out []model.Chunk
	if a.end == model.EndToolCalls || a.end == model.EndStop && a.calls.Any() {
		a.end = model.EndToolCalls
		out = a.calls.Chunks()
	}
	u := a.usage
	return append(out, model.Chunk{Usage: &u, End: a.end})
}
