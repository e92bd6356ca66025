package tool

import (
	"context"
	"encoding/json"
)

// Kind is an ACP tool kind.
type Kind = string

// The kinds of the bundled tools. ACP: ToolKind.
const (
	KindRead    Kind = "read"
	KindEdit    Kind = "edit"
	KindDelete  Kind = "delete"
	KindMove    Kind = "move"
	KindSearch  Kind = "search"
	KindExecute Kind = "execute"
	KindThink   Kind = "think"
	KindOther   Kind = "other"
)

// Spec describes a tool to the model.
type Spec struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object
	Kind        Kind
}

// Tool is one thing the model can call.
//
// Plan checks args and resolves what the call touches. Its error is about the
// arguments, written for the model so that it can correct them. args may be
// anything a model writes, also invalid JSON.
type Tool interface {
	Spec() Spec
	Plan(ws *Workspace, args json.RawMessage) (*Plan, error)
}

// Workspace is what the tools of one session work in.
type Workspace struct {
	Cwd     string   // absolute; relative paths of calls are taken from here
	Roots   []string // absolute, Cwd among them; the boundary of Plan.Outside
	Environ []string // environment of shell commands, as [ShellEnviron] makes it
	Todos   *Todos   // nil: the to-do list is not kept
}

// Plan is one checked call before it runs: what the tool call and the permission
// request show.
type Plan struct {
	Title     string
	Kind      Kind
	RawInput  json.RawMessage // the arguments as the model sent them
	Locations []Location
	Diffs     []Diff // what an edit would do to the files as they are now
	Outside   bool   // touches something outside the roots, links resolved

	// Run does it, once. It returns when all of the work has ended, also after
	// ctx ended. Progress may be nil; it is called from one goroutine at a time,
	// never after Run returned.
	Run func(ctx context.Context, progress func(Progress)) Result
}

// Location is a file that a call touches.
type Location struct {
	Path string // absolute
	Line int    // from 1; 0: none
}

// Diff is a change of one file.
type Diff struct {
	Path    string  // absolute
	OldText *string // nil: the file is new
	NewText string
}

// Progress is the state of a call that still runs.
type Progress struct {
	Text string // the whole output so far, capped like the result
}

// Result is what a call gave.
type Result struct {
	Text      string // for the model, and the content of the tool call; valid UTF-8
	Diffs     []Diff // what was really changed
	Locations []Location
	IsError   bool
	RawOutput json.RawMessage // nil: none
}

// Errorf makes the result of a call that failed; see [fmt.Sprintf].
func Errorf(format string, args ...any) Result { return errorf(format, args...) }
