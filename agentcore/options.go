package agentcore

import (
	"errors"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/store"
)

// Options configure a [Core].
type Options struct {
	// Name, Title and Version are what the agent says of itself. Name and Title have
	// defaults.
	Name, Title, Version string
	// Models is what is offered. Nil and empty are legal: then session/new is refused
	// with reason no_model.
	Models *model.Catalog
	// DefaultModel is the provider/model that new sessions start with. One that Models
	// does not list is added if its provider is there. Empty: session/new is refused
	// with reason no_model, since a guess would spend somebody's money.
	DefaultModel string
	// Store keeps the sessions. Nil: memory.
	Store store.Store
	// Clock tells the time. Required.
	Clock func() time.Time
	// NewID returns prefix and a part that never repeats, in characters that are safe
	// in file names. Required.
	NewID func(prefix string) string
	// Jitter returns a random number from 0 to 1, which spreads the pauses before a
	// request is made again. Nil: 1, the full pause.
	Jitter func() float64
	// Environ is the environment, lines of NAME=VALUE, of which tools and MCP servers
	// get a clean selection.
	Environ []string
	// Stream sends the model's text as it arrives. Otherwise a message is sent when it
	// is complete, and an attempt that failed leaves no trace.
	Stream bool
	// StandardOnly leaves out everything that the ACP schema does not have, and what
	// serves presentation alone: plans, diffs and titles.
	StandardOnly bool
	// AskUserTimeout bounds the wait for the answer to a question. 0: none.
	AskUserTimeout time.Duration
	// PermissionTimeout bounds the wait for a permission; when it is over the call is
	// rejected. Default 10 min.
	PermissionTimeout time.Duration
	// MaxSteps bounds the model requests of one turn. Default 50.
	MaxSteps int
	// Logf is told what goes wrong beside the protocol. Nil: silent.
	Logf func(format string, args ...any)
}

func (o *Options) withDefaults() (Options, error) {
	if o == nil || o.Clock == nil || o.NewID == nil {
		return Options{}, errors.New("agentcore: Options.Clock and Options.NewID are required")
	}
	c := *o
	c.Name = or(c.Name, "acpctl")
	c.Title = or(c.Title, "acpctl agent core")
	if c.Store == nil {
		c.Store = store.NewMemory()
	}
	if c.PermissionTimeout <= 0 {
		c.PermissionTimeout = 10 * time.Minute
	}
	if c.MaxSteps <= 0 {
		c.MaxSteps = 50
	}
	if c.Jitter == nil {
		c.Jitter = func() float64 { return 1 }
	}
	if c.Logf == nil {
		c.Logf = func(string, ...any) {}
	}
	return c, nil
}

// or is s, or the default for an empty one.
func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
