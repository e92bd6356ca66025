package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/agentcore/store"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// agentOptions are the flags of acpctl agent.
type agentOptions struct {
	store          string
	ephemeral      bool
	model          string
	script         string
	standardOnly   bool
	askUserTimeout int // seconds
}

const agentLong = `Serve the bundled agent core to any ACP client, on stdin and stdout.

It is a plain ACP agent: initialize, sessions, prompts, permission requests,
config options for model, effort and mode, MCP servers of the session. Logs go to
stderr. The process ends when stdin does.`

func newAgent(a *app) *cobra.Command {
	o := &agentOptions{}
	cmd := &cobra.Command{
		Use:     "agent",
		Short:   "Serve the bundled agent core to any ACP client, on stdio",
		Long:    agentLong,
		Example: "  acpctl agent --model offline/echo\n  acpctl run recipe.yaml --agent 'acpctl agent --model offline/echo'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.bindEnviron(cmd); err != nil {
				return err
			}
			return a.serveAgent(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.model, "model", "", "default model of new sessions, as provider/model")
	f.StringVar(&o.store, "store", "", "folder of the sessions (default: acpctl/sessions in the user's state folder)")
	f.BoolVar(&o.ephemeral, "ephemeral", false, "keep no session")
	f.StringVar(&o.script, "script", "", "YAML script of the model offline/scripted")
	f.BoolVar(&o.standardOnly, "standard-only", false, "no extension and no _meta: ACP's own words alone")
	f.IntVar(&o.askUserTimeout, "ask-user-timeout", 0, "seconds after which an unanswered question ends; 0 is never")
	return cmd
}

func (a *app) serveAgent(ctx context.Context, o *agentOptions) error {
	var sessions store.Store
	if !o.ephemeral {
		sessions = a.sessionStore(o.store)
	}
	core, err := a.newCore(coreOptions{
		store: sessions,
		model: o.model, script: o.script, standardOnly: o.standardOnly,
		askUserTimeout: time.Duration(o.askUserTimeout) * time.Second,
		logf:           func(format string, args ...any) { fmt.Fprintf(a.env.Stderr, "acpctl: "+format+"\n", args...) },
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := a.watchSignals(cancel, func(*event.Failure) { a.env.Exit(1) })
	defer stop()
	err = core.Serve(ctx, jsonrpc.NewStream(a.env.Stdin, a.env.Stdout, nil))
	if closeErr := core.Close(); err == nil {
		err = closeErr
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
