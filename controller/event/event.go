package event

import (
	"encoding/json"
	"time"
)

// Version is the value of v in every line. It changes only when the meaning of
// an existing field or type changes.
const Version = 1

// Event is one line of the stream.
//
// Seq counts from 1 without gaps; zero means not yet stamped. Time is printed in
// UTC with milliseconds. Run, Step and SessionID are left out when empty, Turn
// when zero; Item is the index in a batch and Index the one in a foreach list,
// both from 0 and nil where they do not apply.
type Event struct {
	Seq       int64
	Time      time.Time
	Run       string
	Step      string
	Item      *int
	Index     *int
	SessionID string
	Turn      int
	Body      Body
}

// Type returns the body's type, such as "turn.end".
func (e *Event) Type() string { return e.Body.Type() }

// Body is what one kind of event says beside the envelope. The implementations
// in this package are the closed set of event types.
type Body interface {
	// Type is the event's type as it stands on the line.
	Type() string
}

// RunStart opens the stream of a run whose recipe and flags were accepted.
type RunStart struct {
	Acpctl string         `json:"acpctl"`           // version of the program
	Recipe string         `json:"recipe,omitempty"` // name of the recipe, else its file; empty for prompt
	Inputs map[string]any `json:"inputs,omitempty"` // resolved inputs, secrets masked
	Cwd    string         `json:"cwd"`              // absolute
	Stdin  string         `json:"stdin"`            // none, pipe, file or ignored
}

// AgentStart says that an agent answered initialize.
//
// ACP: the result of initialize.
type AgentStart struct {
	Name            string          `json:"name,omitempty"`
	Version         string          `json:"version,omitempty"`
	Command         []string        `json:"command,omitempty"` // argv of a spawned agent
	URL             string          `json:"url,omitempty"`     // address of a remote agent, without its password
	ProtocolVersion int             `json:"protocolVersion"`
	Capabilities    json.RawMessage `json:"capabilities,omitempty"` // agentCapabilities, unchanged
	AuthMethods     json.RawMessage `json:"authMethods,omitempty"`  // unchanged
}

// AgentEnd says that the connection to an agent is gone and its process ended.
type AgentEnd struct {
	ExitCode *int   `json:"exitCode,omitempty"` // of a spawned agent that exited by itself
	Signal   string `json:"signal,omitempty"`   // name of the signal that ended it, such as "killed"
	Stderr   string `json:"stderr,omitempty"`   // its last 4 KiB of stderr, when it failed

	CloseCode   int    `json:"closeCode,omitempty"` // of a WebSocket that a remote agent closed, when it is not a normal one
	CloseReason string `json:"closeReason,omitempty"`
}

// SessionStart says that a session is open and its selections are made.
//
// ACP: session/new, session/load, session/resume.
type SessionStart struct {
	Origin  string          `json:"origin"` // new, load or resume
	Cwd     string          `json:"cwd"`
	Model   string          `json:"model,omitempty"`
	Effort  string          `json:"effort,omitempty"`
	Mode    string          `json:"mode,omitempty"`
	Options json.RawMessage `json:"options,omitempty"` // configOptions, unchanged
	MCP     []MCPServer     `json:"mcp,omitempty"`
}

// MCPServer is the state of one mounted server as far as it is known.
type MCPServer struct {
	Name   string   `json:"name"`
	Status string   `json:"status"`          // mounted or failed
	Tools  []string `json:"tools,omitempty"` // where the agent tells
	Error  string   `json:"error,omitempty"`
}

// SessionEnd says that a session is no longer used by this run.
type SessionEnd struct {
	Reason string `json:"reason"` // closed, disconnected, lost
}

// StepStart opens a step of a recipe.
type StepStart struct {
	Kind string `json:"kind"` // prompt, run, set, uses
}

// StepEnd closes a step. Text is the final message of a prompt step or the
// output of a run step.
type StepEnd struct {
	Kind       string          `json:"kind"`
	Status     string          `json:"status"`             // ok, failed, skipped, cancelled
	Reason     string          `json:"reason,omitempty"`   // failure class, or why it was skipped
	ExitCode   *int            `json:"exitCode,omitempty"` // of the command of a run step
	Text       string          `json:"text,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"` // structured output that matched its schema
	Changes    []Change        `json:"changes,omitempty"`
	Usage      *Usage          `json:"usage,omitempty"`
	Error      *Failure        `json:"error,omitempty"`
	DurationMs int64           `json:"durationMs"`
}

// Change is one file that an agent's edits touched. Edits made by shell commands
// are not among them.
type Change struct {
	Path    string `json:"path"` // relative to the session's cwd when inside it
	Kind    string `json:"kind"` // add, edit, delete, move
	Added   int    `json:"added,omitempty"`
	Removed int    `json:"removed,omitempty"`
}

// Usage is what a turn, a step or a run consumed, in tokens. Zero is unknown.
//
// ACP: usage of the prompt response.
type Usage struct {
	InputTokens       int64 `json:"inputTokens,omitempty"`
	OutputTokens      int64 `json:"outputTokens,omitempty"`
	ThoughtTokens     int64 `json:"thoughtTokens,omitempty"`
	CachedReadTokens  int64 `json:"cachedReadTokens,omitempty"`
	CachedWriteTokens int64 `json:"cachedWriteTokens,omitempty"`
	TotalTokens       int64 `json:"totalTokens,omitempty"`
}

// Add returns the sum of both.
func (u Usage) Add(v Usage) Usage {
	u.InputTokens += v.InputTokens
	u.OutputTokens += v.OutputTokens
	u.ThoughtTokens += v.ThoughtTokens
	u.CachedReadTokens += v.CachedReadTokens
	u.CachedWriteTokens += v.CachedWriteTokens
	u.TotalTokens += v.TotalTokens
	return u
}

// Cost is money as the agent reported it.
//
// ACP: cost of usage_update.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"` // ISO 4217
}
