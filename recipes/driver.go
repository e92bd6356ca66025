package recipes

import (
	"context"
	"encoding/json"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

// Driver opens sessions; the runner knows no agent. Errors of a driver and its
// sessions are *event.Failure, see [event.AsFailure]. Calls do not overlap.
type Driver interface {
	// Open makes a session; the agent is started when the first one is opened.
	Open(ctx context.Context, spec SessionSpec) (Session, error)
	// Close ends all sessions and the agent. It is bounded.
	Close(ctx context.Context) error
}

// Session is a conversation with the agent.
type Session interface {
	ID() string
	// Select chooses model, effort, mode and other options.
	Select(ctx context.Context, sel Selection) error
	// Prompt runs one turn. The turn is filled as far as it is known, also beside
	// an error. When ctx ends, the turn is cancelled and the error is its cause.
	Prompt(ctx context.Context, p Prompt) (Turn, error)
	Close(ctx context.Context) error
}

// SessionSpec is what a session is opened with.
type SessionSpec struct {
	Cwd        string
	AddDirs    []string
	From       SessionFrom `json:",omitzero"`
	MCPServers []MCPServer
}

// Prompt is one turn's start.
type Prompt struct {
	Blocks              []json.RawMessage // ACP content blocks
	Idle                time.Duration     // 0: none
	ToolCalls           int               // 0: no limit
	Policy              *policy.Policy
	OnUncovered, OnDeny string
	Questions           *Questions
}

// Turn is what came of a prompt.
type Turn struct {
	StopReason, Text string
	Usage            *event.Usage
	Cost             *event.Cost
	ToolCalls        []event.ToolCall
	Changes          []event.Change
	Denials          []event.Denial
	Uncovered        []event.UncoveredCall
	Unasked          []event.Unasked
	Question         *event.Question
	Duration         time.Duration
}

// Commander runs the commands of run steps.
type Commander interface {
	// Run runs a shell script. An exit code other than 0 is no error. When ctx
	// ends, the command is ended and the error is the cause of ctx.
	Run(ctx context.Context, cmd Command) (CommandResult, error)
}

// Command is a script for sh -c.
type Command struct {
	Script, Dir string
	Env         []string // NAME=VALUE, beside what every command gets
}

// CommandResult is what a command did.
type CommandResult struct {
	ExitCode       int
	Stdout, Stderr []byte
	Truncated      bool
}
