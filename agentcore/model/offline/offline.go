package offline

import (
	"context"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
)

// Provider is the provider part of every value here.
const Provider = "offline"

// Options say what the scripted models play. Nil is legal: no script.
type Options struct {
	Script     []byte // YAML; empty: a prompt to a scripted model fails and says so
	ScriptName string // for error positions; default "script"
	// Match compiles a jq expression and returns its first value for an input of
	// JSON values. Required when the script has expressions.
	Match func(expr string) (func(input any) (any, error), error)
	// Sleep waits; nil: a timer. It returns the error of ctx when that ends first.
	Sleep func(ctx context.Context, d time.Duration) error
}

// New returns the entries offline/echo, offline/scripted and those that the
// script declares. The error lists everything wrong with the script, one line
// each with file, line and column.
func New(opts *Options) ([]model.Entry, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.ScriptName == "" {
		o.ScriptName = "script"
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	s, err := parse(&o)
	if err != nil {
		return nil, err
	}
	player := &player{script: s, sleep: o.Sleep, sessions: map[string]*play{}}
	entries := []model.Entry{
		{Provider: Provider, ID: "echo", Name: "Echo", Model: echo{}},
		{Provider: Provider, ID: "scripted", Name: "Scripted", Efforts: []string{"low", "medium", "high"}, Model: player},
	}
	for _, m := range s.models {
		m.Provider, m.Model = Provider, player
		entries = append(entries, m)
	}
	return entries, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
