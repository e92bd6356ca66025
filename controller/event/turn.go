package event

import "encoding/json"

// TurnStart opens a turn. Prompt holds the content blocks; big ones are
// summarised.
//
// ACP: session/prompt.
type TurnStart struct {
	Prompt []json.RawMessage `json:"prompt"`
}

// TurnEnd closes a turn. StopReason is ACP's spelling, empty when the agent gave
// none or the turn failed; Error then says why.
type TurnEnd struct {
	StopReason string   `json:"stopReason,omitempty"`
	Text       string   `json:"text,omitempty"`
	Usage      *Usage   `json:"usage,omitempty"`
	Error      *Failure `json:"error,omitempty"`
	DurationMs int64    `json:"durationMs"`
}

// Message is one whole message block of the user or the agent, emitted when the
// block ends. A block that is not plain text carries Content instead of Text.
//
// ACP: agent_message_chunk, user_message_chunk.
type Message struct {
	Role      string          `json:"role"` // agent or user
	MessageID string          `json:"messageId,omitempty"`
	Text      string          `json:"text,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"`
	Replay    bool            `json:"replay,omitempty"` // history that a load sent again
}

// Thought is one whole block of the agent's reasoning.
//
// ACP: agent_thought_chunk.
type Thought struct {
	MessageID string          `json:"messageId,omitempty"`
	Text      string          `json:"text,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"`
	Replay    bool            `json:"replay,omitempty"`
}

// MessageDelta is one chunk of a message as it arrived, with --deltas only.
type MessageDelta struct {
	Role      string          `json:"role"`
	MessageID string          `json:"messageId,omitempty"`
	Text      string          `json:"text,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"`
}

// ThoughtDelta is one chunk of a thought as it arrived, with --deltas only.
type ThoughtDelta struct {
	MessageID string          `json:"messageId,omitempty"`
	Text      string          `json:"text,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"`
}

// ToolCall is the merged state of one tool call, never a patch. Output is its
// text content joined, or the text of its raw output when it has none, cut at
// 16 KiB.
//
// ACP: tool_call, tool_call_update, the toolCall of session/request_permission.
type ToolCall struct {
	ToolCallID string          `json:"toolCallId"`
	Title      string          `json:"title,omitempty"`
	Kind       string          `json:"kind,omitempty"` // ACP tool kind
	Name       string          `json:"name,omitempty"` // programmatic name where the agent sends one
	Status     string          `json:"status,omitempty"`
	Command    string          `json:"command,omitempty"` // of an execute call
	Paths      []string        `json:"paths,omitempty"`
	RawInput   json.RawMessage `json:"rawInput,omitempty"`
	Content    json.RawMessage `json:"content,omitempty"` // without diff texts, see Diffs
	Diffs      []Change        `json:"diffs,omitempty"`
	Output     string          `json:"output,omitempty"`
	OutputCut  bool            `json:"outputCut,omitempty"`
	DurationMs int64           `json:"durationMs,omitempty"` // tool.end only
	Replay     bool            `json:"replay,omitempty"`
}

// ToolStart opens a tool call, once facts, a permission request or a final
// status are known, or its turn ends.
type ToolStart struct{ ToolCall }

// ToolUpdate is a change of an open tool call, with --deltas only.
type ToolUpdate struct{ ToolCall }

// ToolEnd closes a tool call with completed, failed, cancelled or unknown.
type ToolEnd struct{ ToolCall }

// Plan is the agent's whole plan after a change.
//
// ACP: plan.
type Plan struct {
	Entries json.RawMessage `json:"entries"`
}

// ContextUsage is the measured use of the context window.
//
// ACP: usage_update.
type ContextUsage struct {
	Used int64 `json:"used"`
	Size int64 `json:"size"`
	Cost *Cost `json:"cost,omitempty"`
}

// Config is the whole list of session config options after a change.
//
// ACP: config_option_update and the responses that carry configOptions.
type Config struct {
	Origin  string          `json:"origin"` // response or notification
	Options json.RawMessage `json:"options"`
}

// Mode is the session's mode after a change.
//
// ACP: current_mode_update.
type Mode struct {
	ModeID string `json:"modeId"`
	Origin string `json:"origin,omitempty"` // response or notification
}

// Info is what is known about the session, such as its title.
//
// ACP: session_info_update.
type Info struct {
	Title     string `json:"title,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
}

// Commands is the whole list of the agent's slash commands.
//
// ACP: available_commands_update.
type Commands struct {
	Commands json.RawMessage `json:"commands"`
}

// Update holds an update of a kind that has no event of its own, or one that
// came when its place was gone, byte for byte.
type Update struct {
	Kind   string          `json:"kind,omitempty"` // sessionUpdate; empty when unreadable
	Update json.RawMessage `json:"update"`
	Late   bool            `json:"late,omitempty"` // after its turn or tool call ended
}

// Ext is an extension message of the agent.
type Ext struct {
	Method    string          `json:"method"`
	Direction string          `json:"direction"` // in or out
	Params    json.RawMessage `json:"params,omitempty"`
}
