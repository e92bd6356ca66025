package event

import "encoding/json"

// Permission is one decided permission request.
//
// ACP: session/request_permission.
type Permission struct {
	RequestID  string   `json:"requestId"`
	ToolCallID string   `json:"toolCallId,omitempty"`
	Kind       string   `json:"kind,omitempty"`
	Command    string   `json:"command,omitempty"`
	Paths      []string `json:"paths,omitempty"`
	Decision   string   `json:"decision"`           // allow, ask, deny, uncovered, or withdrawn
	By         string   `json:"by,omitempty"`       // rule, default, terminal
	Rule       string   `json:"rule,omitempty"`     // text of the deciding rule
	At         string   `json:"at,omitempty"`       // file:line of the rule
	Layer      string   `json:"layer,omitempty"`    // builtin, user, project, recipe, policy, flag
	Message    string   `json:"message,omitempty"`  // of a deny rule, or why nothing covered it
	OptionID   string   `json:"optionId,omitempty"` // absent: outcome cancelled
	Covered    bool     `json:"covered"`
	Suggest    []string `json:"suggest,omitempty"` // rules that would cover exactly this call
	Hint       string   `json:"hint,omitempty"`
	Delivery   string   `json:"delivery"` // sent, failed, stale, withdrawn
}

// Field is one thing that a question asks for: a property of the requested
// schema, or one question of a batch.
type Field struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"` // the question's text
	Type        string          `json:"type,omitempty"`        // string, number, integer, boolean, array
	Required    bool            `json:"required,omitempty"`
	Multi       bool            `json:"multi,omitempty"` // several options may be chosen
	Options     []Option        `json:"options,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	// Companion names the field that this one comments on (own words, a note);
	// it never needs an answer of its own.
	Companion string `json:"companion,omitempty"`
}

// Option is one choice of a field. Value is what is sent, Label what people see.
type Option struct {
	Value       string `json:"value"`
	Label       string `json:"label,omitempty"`
	Description string `json:"description,omitempty"`
}

// Question is one decided question of the agent.
//
// ACP: elicitation/create; extension _chrys/request_input.
type Question struct {
	RequestID  string          `json:"requestId"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	Message    string          `json:"message,omitempty"`
	Mode       string          `json:"mode,omitempty"` // url; empty for a form
	URL        string          `json:"url,omitempty"`
	Host       string          `json:"host,omitempty"`
	Warnings   []string        `json:"warnings,omitempty"` // what is odd about the address
	Fields     []Field         `json:"fields,omitempty"`
	Action     string          `json:"action,omitempty"`  // accept, decline, cancel; stop means the turn was cancelled
	Content    json.RawMessage `json:"content,omitempty"` // what was accepted
	By         string          `json:"by,omitempty"`      // rule, default, terminal
	Rule       string          `json:"rule,omitempty"`    // the match or when of the deciding answer
	At         string          `json:"at,omitempty"`      // file:line of it
	Error      string          `json:"error,omitempty"`   // why an answer was not sent
}

// QuestionComplete says that an address which was consented to has been dealt
// with.
//
// ACP: elicitation/complete.
type QuestionComplete struct {
	RequestID     string `json:"requestId"`
	ElicitationID string `json:"elicitationId"`
}

// Unasked is a call that the agent ran without asking, or changed after it was
// allowed, and that the rules do not allow.
type Unasked struct {
	ToolCallID string   `json:"toolCallId"`
	Kind       string   `json:"kind,omitempty"`
	Command    string   `json:"command,omitempty"`
	Paths      []string `json:"paths,omitempty"`
	Decision   string   `json:"decision"` // deny, ask or uncovered
	Rule       string   `json:"rule,omitempty"`
	At         string   `json:"at,omitempty"`
	Message    string   `json:"message,omitempty"`
	Suggest    []string `json:"suggest,omitempty"`
	Hint       string   `json:"hint,omitempty"`
}

// Client is a service that the agent used on this side; the decision about it is
// the permission event of the same request before it.
//
// ACP: fs/*, terminal/*.
type Client struct {
	RequestID  string `json:"requestId"`
	Method     string `json:"method"`
	Path       string `json:"path,omitempty"`
	Command    string `json:"command,omitempty"` // as a line of shell
	TerminalID string `json:"terminalId,omitempty"`
	Bytes      int    `json:"bytes,omitempty"`    // of the text that was read, written or shown
	ExitCode   *int   `json:"exitCode,omitempty"` // of terminal/wait_for_exit
	Signal     string `json:"signal,omitempty"`
	Error      string `json:"error,omitempty"` // why it was not done
	DurationMs int64  `json:"durationMs"`
}

// Retry says that something is tried again.
type Retry struct {
	Reason  string `json:"reason"`
	Attempt int    `json:"attempt"` // the attempt that begins, from 2
	DelayMs int64  `json:"delayMs"`
	Message string `json:"message,omitempty"` // what failed
}

// Assert is one checked assertion.
type Assert struct {
	That    string          `json:"that"`
	OK      bool            `json:"ok"`
	Message string          `json:"message,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"` // what the expression was held against, when it failed
}

// Limit says that a limit was reached. Value and Max are in the limit's own
// unit: milliseconds for time and idle, else a count.
type Limit struct {
	Name  string  `json:"name"` // time, idle, toolCalls, ...
	Value float64 `json:"value"`
	Max   float64 `json:"max"`
}

// Warning is something that a reader should know and that does not end the run.
type Warning struct {
	Code    string `json:"code"` // snake_case
	Message string `json:"message"`
}

// Result is the last line of every run, exactly one.
type Result struct {
	Status         string                 `json:"status"`           // ok, failed, cancelled
	Reason         string                 `json:"reason,omitempty"` // snake_case; absent when ok
	ExitCode       int                    `json:"exitCode"`
	Text           string                 `json:"text"`
	Output         json.RawMessage        `json:"output,omitempty"`
	OutputAttempts int                    `json:"outputAttempts,omitempty"`
	Candidates     []string               `json:"candidates,omitempty"` // texts that did not match the schema
	Outputs        map[string]any         `json:"outputs,omitempty"`
	SessionID      string                 `json:"sessionId,omitempty"`
	StopReason     string                 `json:"stopReason,omitempty"`
	Usage          *Usage                 `json:"usage,omitempty"`
	Cost           *Cost                  `json:"cost,omitempty"`
	Denials        []Denial               `json:"denials"`
	Uncovered      []UncoveredCall        `json:"uncovered"`
	Question       *Question              `json:"question,omitempty"`
	Error          *Failure               `json:"error,omitempty"`
	Steps          map[string]*StepResult `json:"steps,omitempty"`
	DurationMs     int64                  `json:"durationMs"`
	Partial        bool                   `json:"partial,omitempty"` // events before it may be missing
}

// StepResult is the outcome of one step in the result.
type StepResult struct {
	Status     string `json:"status"`
	Reason     string `json:"reason,omitempty"`
	ExitCode   *int   `json:"exitCode,omitempty"`
	DurationMs int64  `json:"durationMs"`
}

// Denial is a call that a rule denied.
type Denial struct {
	ToolCallID string   `json:"toolCallId,omitempty"`
	Kind       string   `json:"kind,omitempty"`
	Command    string   `json:"command,omitempty"`
	Paths      []string `json:"paths,omitempty"`
	Rule       string   `json:"rule,omitempty"`
	At         string   `json:"at,omitempty"`
	Message    string   `json:"message,omitempty"`
}

// UncoveredCall is a call that no rule covered. Adding the rules of Suggest to
// allow covers exactly it; an empty list comes with a hint.
type UncoveredCall struct {
	ToolCallID string   `json:"toolCallId,omitempty"`
	Kind       string   `json:"kind,omitempty"`
	Command    string   `json:"command,omitempty"`
	Paths      []string `json:"paths,omitempty"`
	Why        string   `json:"why,omitempty"`
	Suggest    []string `json:"suggest"`
	Hint       string   `json:"hint,omitempty"`
}
