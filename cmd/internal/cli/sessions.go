package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/controller"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/output"
	"github.com/acpctl/acpctl/recipes"
)

// sessionsOptions are the flags of the commands of sessions.
type sessionsOptions struct {
	agent, auth, cwd string
	store            string
	all, asJSON      bool
	limit            int
}

const sessionsLong = `Look at the sessions that an agent keeps, and close or delete them.

The agent is started for it and ended again; nothing is prompted. Agents differ
in what they offer: what this one did not announce is refused before anything is
sent. Go on with a session by acpctl prompt --resume ID, or -c for the newest one
of the folder.`

func newSessions(a *app) *cobra.Command {
	o := &sessionsOptions{}
	cmd := &cobra.Command{
		Use: "sessions", Short: "List, close and delete the sessions of an agent", Long: sessionsLong,
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := cmd.PersistentFlags()
	f.StringVar(&o.agent, "agent", "core", "agent: core, or a command line of an ACP agent")
	f.StringVar(&o.auth, "auth", "", "authentication method to use once when the agent asks for a login")
	f.StringVar(&o.store, "store", "", "folder of the bundled agent's sessions")
	f.StringVar(&o.cwd, "cwd", "", "folder of the sessions (default: the current one)")
	list := &cobra.Command{
		Use: "list [-- COMMAND ARGS...]", Short: "List the sessions of a folder, or all of them",
		Example: "  acpctl sessions list --all --json -- opencode acp | jq -r .sessionId",
		Args:    cobra.ArbitraryArgs,
		RunE: a.onSessions(o, 0, func(ctx context.Context, conn *controller.Conn, cwd string, _ []string) error {
			return a.listSessions(conn.Sessions(ctx, cwd), o)
		}),
	}
	list.Flags().BoolVar(&o.all, "all", false, "of every folder")
	list.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object per session, as the agent has it")
	list.Flags().IntVar(&o.limit, "limit", 0, "at most so many; 0 is all")
	closing := &cobra.Command{
		Use: "close ID... [-- COMMAND ARGS...]", Short: "Tell the agent that sessions are no longer needed", Args: cobra.ArbitraryArgs,
		RunE: a.onSessions(o, 1, func(ctx context.Context, conn *controller.Conn, _ string, ids []string) error {
			return each(ids, func(id string) error { return conn.CloseSessionID(ctx, id) })
		}),
	}
	deleting := &cobra.Command{
		Use: "delete ID... [-- COMMAND ARGS...]", Short: "Make the agent forget sessions", Args: cobra.ArbitraryArgs,
		RunE: a.onSessions(o, 1, func(ctx context.Context, conn *controller.Conn, _ string, ids []string) error {
			return each(ids, func(id string) error { return conn.DeleteSession(ctx, id) })
		}),
	}
	cmd.AddCommand(list, closing, deleting)
	return cmd
}

// each stops at the first error: what comes behind it was not touched.
func each(ids []string, do func(id string) error) error {
	for i, id := range ids {
		if err := do(id); err != nil {
			f := event.AsFailure(err)
			if rest := len(ids) - i - 1; rest > 0 {
				f.Hints = append(f.Hints, fmt.Sprintf("%d more were not tried", rest))
			}
			return f
		}
	}
	return nil
}

// onSessions connects to the agent for the time of one command.
func (a *app) onSessions(o *sessionsOptions, least int, do func(ctx context.Context, conn *controller.Conn, cwd string, ids []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := a.bindEnviron(cmd); err != nil {
			return err
		}
		var argv []string
		if dash := cmd.ArgsLenAtDash(); dash >= 0 {
			args, argv = args[:dash], args[dash:]
		}
		switch {
		case len(args) < least:
			return usageError(cmd.CommandPath()+" needs the id of a session", "acpctl sessions list shows them")
		case least == 0 && len(args) > 0:
			return usageErrorf("%s takes no arguments, got %q; the command of an agent stands behind --", cmd.CommandPath(), args[0])
		}
		cwd, err := a.folder("cwd", o.cwd)
		if err != nil {
			return err
		}
		return a.connected(cmd.Context(), o, cwd, argv, func(ctx context.Context, conn *controller.Conn) error {
			if o.all {
				cwd = ""
			}
			return do(ctx, conn, cwd, args)
		})
	}
}

// connected opens an agent that is no run's, and ends it again.
func (a *app) connected(ctx context.Context, o *sessionsOptions, cwd string, argv []string, do func(context.Context, *controller.Conn) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := a.watchSignals(cancel, func(f *event.Failure) { a.env.Exit(f.ExitCode()) })
	defer stop()
	spec := &recipes.AgentSpec{Argv: argv}
	if len(argv) == 0 {
		over := &recipes.Override{Agent: &recipes.AgentSpec{Core: true}}
		if err := a.overrideAgent(&runOptions{agent: o.agent}, over); err != nil {
			return err
		}
		spec = over.Agent
	}
	agent, err := a.openAgent(agentSpec{AgentSpec: *spec, dir: cwd, anyModel: true, store: a.sessionStore(o.store)})
	if err != nil {
		return err
	}
	conn, err := controller.Connect(ctx, agent, &controller.Options{
		ClientName: "acpctl", ClientVersion: version(), Emit: func(event.Event) {}, Clock: a.env.Now,
		Grace: grace(0), Deadlines: a.env.Deadlines, AuthMethod: o.auth,
	})
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return do(ctx, conn)
}

// listSessions prints as the pages come. A reader that goes away ends it without
// a word.
func (a *app) listSessions(list iter.Seq2[controller.SessionInfo, error], o *sessionsOptions) error {
	n := 0
	for s, err := range list {
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s  %s  %s", output.EscapeControl(s.ID), output.EscapeControl(cmp.Or(s.UpdatedAt, "-")), output.EscapeControl(cmp.Or(s.Title, s.Cwd)))
		if o.asJSON {
			raw, err := json.Marshal(s.Raw)
			if err != nil {
				return err
			}
			line = string(raw)
		}
		if _, err := fmt.Fprintln(a.env.Stdout, line); err != nil {
			if output.IsReaderGone(err) {
				return nil
			}
			return err
		}
		if n++; n == o.limit {
			return nil
		}
	}
	if n == 0 && !o.asJSON {
		fmt.Fprintln(a.env.Stderr, "no sessions")
	}
	return nil
}
