package controller

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

// Options say how a connection behaves. They are copied by [Connect]; nil is
// legal and drops all events.
type Options struct {
	// ClientName and ClientVersion are sent as clientInfo. Recommended.
	ClientName, ClientVersion string
	// Emit receives the events in order, from one goroutine at a time; only
	// SessionID, Turn and Body are filled. It may block, and must not call back
	// into the connection. Recommended.
	Emit func(event.Event)
	// Decide judges a permission request. It runs on a goroutine of its own and
	// must be safe for concurrent use; an answer that comes after the request was
	// withdrawn is dropped. Nil leaves every call uncovered. Optional.
	Decide func(call *policy.Call) policy.Outcome
	// Remember lets an allow pick allow_always where exactly one is offered.
	Remember bool
	// Answer answers a question. Its ctx ends when the question is withdrawn. Nil
	// stops the turn. When an answer does not fit the question, Answer is called
	// once more with the reason in Question.Error; it should then fall back to its
	// default. Optional.
	Answer func(ctx context.Context, q *event.Question) Answer
	// OnUncovered and OnDeny say what an uncovered or a denied call does to the
	// turn. Empty: fail for uncovered, continue for denied. Optional.
	OnUncovered, OnDeny Reaction
	// Clock gives the time for durations; nil leaves them zero. Recommended.
	Clock func() time.Time
	// Deltas adds message.delta, thought.delta and tool.update events.
	Deltas bool
	// Tap sees every frame once, dir is "in" or "out". It must neither keep nor
	// change the slice. Optional.
	Tap func(dir string, frame []byte)
	// AskKinds are the tool kinds that have an ask or deny rule. An agent that
	// announces the chrys extension is told to ask for them whatever its mode.
	AskKinds []string
	// AllowBypass lets a mode that never asks be used together with AskKinds.
	AllowBypass bool
	// Grace is how long an agent may take to confirm a cancel with that cause
	// before the request itself is cancelled; half of it later the connection is
	// closed. Nil: 10 s.
	Grace func(cause error) time.Duration
	// Deadlines bound the single calls.
	Deadlines Deadlines
	// ProtocolVersion is offered in initialize; 0 means 1. Version 2 is a draft:
	// offering it takes Experimental as well, and an agent that accepts it is
	// refused, since only what it negotiates is implemented.
	ProtocolVersion int
	// Experimental lists the draft versions that are admitted; 2 is the only one.
	Experimental []int
	// AuthMethod is the login that an agent which asks for one gets, once: the id
	// of one of its authMethods. Empty: the run fails and lists them. Optional.
	AuthMethod string
	// Client are the services that the agent may use on this side. The zero value
	// is none. Optional.
	Client ClientServices
	// TerminalAuth says that a person can log in in a terminal: agents are told.
	TerminalAuth bool
	// URLs says that addresses which the agent wants opened may be consented to:
	// Answer then also gets questions of mode url.
	URLs bool
	// OpenURL opens an address that was consented to; its ctx ends when the agent
	// says that it is complete, or with the connection. Nil only shows it. It runs
	// beside everything else. Optional.
	OpenURL func(ctx context.Context, address string) error
	// Observe sees the states of the agent's requests, off the path of their
	// answers: one after another for each request, with gaps where it is slow. It
	// must be safe for concurrent use. Optional.
	Observe func(RequestStatus)
	// ExtensionNames is bare for agents that know extension methods without the
	// underscore. Optional.
	ExtensionNames string
	// Logf receives lines for debugging; nil is silent.
	Logf func(format string, args ...any)
}

// Deadlines bound the calls that are not turns. Zero values mean the defaults.
type Deadlines struct {
	Initialize time.Duration // 60 s: agents that start a runtime need up to 10 s
	NewSession time.Duration // 120 s: the agent starts its MCP servers meanwhile
	Call       time.Duration // 60 s: every other call
}

// Reaction is what a call that was not allowed does to its turn.
type Reaction string

// The reactions. Fail and continue both let the turn go on and list the call;
// which exit code follows is the caller's to decide.
const (
	ReactFail     Reaction = "fail"
	ReactContinue Reaction = "continue"
	ReactCancel   Reaction = "cancel" // the turn is cancelled and fails with class permission
)

// Answer is what a question gets.
type Answer struct {
	// Action is accept, decline, cancel or stop; stop cancels the turn and fails
	// it with class question. Empty counts as stop.
	Action string
	// Content holds the accepted values by field name: an option's value or label
	// or free text, lists of them where several may be chosen, else the JSON
	// value. Missing fields take their default.
	Content map[string]any
	// By, Rule and At say what decided, for the event.
	By, Rule, At string
}

// Actions of an [Answer].
const (
	ActionAccept  = "accept"
	ActionDecline = "decline"
	ActionCancel  = "cancel"
	ActionStop    = "stop"
)

// copied returns the options with every default filled in.
func (o *Options) copied() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Emit == nil {
		c.Emit = func(event.Event) {}
	}
	if c.Clock == nil {
		c.Clock = func() time.Time { return time.Time{} }
	}
	if c.Decide == nil {
		c.Decide = func(*policy.Call) policy.Outcome {
			return policy.Outcome{Decision: policy.Uncovered, By: "default", Why: "there is no policy"}
		}
	}
	if c.Answer == nil {
		c.Answer = func(context.Context, *event.Question) Answer { return Answer{Action: ActionStop, By: "default"} }
	}
	c.OnUncovered, c.OnDeny = cmp.Or(c.OnUncovered, ReactFail), cmp.Or(c.OnDeny, ReactContinue)
	if c.Grace == nil {
		c.Grace = func(error) time.Duration { return 10 * time.Second }
	}
	if c.Logf == nil {
		c.Logf = func(string, ...any) {}
	}
	c.Deadlines = c.Deadlines.filled()
	c.AskKinds = slices.Clone(c.AskKinds)
	c.Experimental = slices.Clone(c.Experimental)
	if c.ProtocolVersion == 0 {
		c.ProtocolVersion = protocolVersion
	}
	return c
}

// check refuses versions that may not be offered, before anything is started.
func (o *Options) check() *event.Failure {
	for _, v := range o.Experimental {
		if v != draftVersion {
			return failf(event.ClassUsage, "unknown_version", "there is no experimental protocol version %d", v)
		}
	}
	switch {
	case o.ProtocolVersion == protocolVersion:
		return nil
	case o.ProtocolVersion != draftVersion:
		return failf(event.ClassUsage, "unknown_version", "there is no protocol version %d", o.ProtocolVersion)
	case len(o.Experimental) == 0:
		return failf(event.ClassUsage, "experimental_version", "protocol version %d is a draft and has to be admitted as experimental", draftVersion)
	}
	return nil
}

func (d Deadlines) filled() Deadlines {
	return Deadlines{
		Initialize: cmp.Or(d.Initialize, 60*time.Second),
		NewSession: cmp.Or(d.NewSession, 120*time.Second),
		Call:       cmp.Or(d.Call, 60*time.Second),
	}
}
