package model

import (
	"context"
	"encoding/json"
	"iter"
)

// Role says who a message comes from.
type Role string

// The roles of a message.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of the history that a request carries.
type Message struct {
	Role    Role
	Text    string
	Images  []Image // user messages only, behind the text
	Thought string  // assistant messages only; may be empty
	Calls   []Call  // assistant messages only; each has a tool message behind it
	CallID  string  // tool messages only: the call that this is the result of
	IsError bool    // tool messages only
}

// Image is a picture of a prompt, already checked and decoded.
type Image struct {
	MIMEType string // image/png, image/jpeg, image/gif or image/webp
	Data     []byte
}

// Call is one tool call that the model asks for.
type Call struct {
	ID   string // unique within the request's history as the model sees it
	Name string
	Args json.RawMessage // as the model wrote it; not necessarily valid JSON
}

// ToolSpec describes a tool to the model.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object
}

// Request is one call to the model within a turn.
type Request struct {
	Model     string // id without the provider
	Effort    string // empty: the provider's default, nothing is sent
	Messages  []Message
	Tools     []ToolSpec
	MaxTokens int    // bound of the answer in tokens; 0: the provider's
	Session   string // session id, constant over the session's life
	Turn      int    // from 1 within the session
	Step      int    // from 1 within the turn; a retry keeps the number
}

// Chunk is one piece of an answer. Each field that is set counts; the last chunk
// of a complete answer has End.
type Chunk struct {
	Text    string
	Thought string
	Call    *Call // a complete call, never a part of one
	Usage   *Usage
	End     End
}

// End says why an answer ended. Values other than the constants are passed on as
// the provider gave them.
type End string

// The endings that the core knows.
const (
	EndStop      End = "stop"
	EndToolCalls End = "tool_calls"
	EndMaxTokens End = "max_tokens"
	EndRefusal   End = "refusal"
)

// Usage is what an answer cost, as far as the provider said so; a number that it
// did not give is 0.
type Usage struct {
	InputTokens, OutputTokens, ThoughtTokens, CachedReadTokens int
	// ContextUsed and ContextSize are tokens; both must be set for a usage update.
	ContextUsed, ContextSize int
	CostAmount               float64
	CostCurrency             string // ISO 4217; empty: the cost is not known
}

// Model answers requests.
//
// Stream yields the chunks of one answer in order. An error ends the sequence; an
// [*Error] says whether a retry makes sense. When ctx ends the sequence ends with
// its error. The caller may stop early, which releases everything the call holds.
type Model interface {
	Stream(ctx context.Context, req *Request) iter.Seq2[Chunk, error]
}
