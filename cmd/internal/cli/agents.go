package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/output"
	"github.com/acpctl/acpctl/recipes"
)

// agentsOptions are the flags of agents probe.
type agentsOptions struct {
	agent, auth, prompt string
	asJSON              bool
	timeout             time.Duration
}

const probeLong = `Start an agent, see what it announces, and try what it honours.

It opens a session in an empty temporary folder, changes options and changes them
back, lists and resumes where that is offered, and ends the agent. Nothing is
prompted, so nothing is paid for, unless --prompt says what: that turn runs with
every permission denied, and a second one is cancelled at once. The probe ends
within --timeout, and leaves no process, no folder and, where the agent can
delete or close, no session.`

func newAgents(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "agents", Short: "Look at agents", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	o := &agentsOptions{}
	probe := &cobra.Command{
		Use: "probe [-- COMMAND ARGS...]", Short: "Start an agent and see what it announces and honours", Long: probeLong,
		Example: "  acpctl agents probe -- opencode acp\n  acpctl agents probe --json --prompt 'list the files' -- qwen --acp",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.probeAgent(cmd, o, args) },
	}
	f := probe.Flags()
	f.StringVar(&o.agent, "agent", "core", "agent: core, a command line of an ACP agent, or the address of a remote one")
	f.StringVar(&o.auth, "auth", "", "authentication method to use once when the agent asks for a login")
	f.StringVar(&o.prompt, "prompt", "", "also prompt this, with every permission denied")
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object")
	f.DurationVar(&o.timeout, "timeout", 2*time.Minute, "limit of the whole probe")
	cmd.AddCommand(probe)
	return cmd
}

func (a *app) probeAgent(cmd *cobra.Command, o *agentsOptions, args []string) error {
	if err := a.bindEnviron(cmd); err != nil {
		return err
	}
	var argv []string
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		args, argv = args[:dash], args[dash:]
	}
	switch {
	case len(args) > 0:
		return usageErrorf("agents probe takes no arguments, got %q; the command of an agent stands behind --", args[0])
	case o.timeout <= 0:
		return usageError("--timeout must be positive")
	}
	dir, err := os.MkdirTemp("", "acpctl-probe-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	stop := a.watchSignals(cancel, func(f *event.Failure) { a.env.Exit(f.ExitCode()) })
	defer stop()
	ctx, end := context.WithTimeoutCause(ctx, o.timeout, &event.Failure{Class: event.ClassTimeout, Reason: "time", Message: "the probe took longer than " + o.timeout.String()})
	defer end()
	spec := &recipes.AgentSpec{Argv: argv}
	if len(argv) == 0 {
		over := &recipes.Override{Agent: &recipes.AgentSpec{Core: true}}
		if err := a.overrideAgent(&runOptions{agent: o.agent}, over); err != nil {
			return err
		}
		spec = over.Agent
	}
	p := &prober{app: a, spec: agentSpec{AgentSpec: *spec, dir: a.env.Dir, anyModel: true}, dir: dir, o: o}
	p.spec.store = a.sessionStore(filepath.Join(dir, "sessions")) // gone with the folder
	report, err := p.run(ctx)
	if err != nil {
		return err
	}
	return a.printProbe(report, o.asJSON)
}

func (a *app) printProbe(r *probeReport, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(a.env.Stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, output.EscapeControl(fmt.Sprintf(format, args...)))
	}
	line("agent", "%s %s", r.Name, r.Version)
	line("start", "initialize %d ms, session %d ms", r.InitializeMs, r.SessionMs)
	for _, op := range r.Options {
		line(op.Label, "%s%s", strings.Join(op.Choices, ", "), op.note())
	}
	for _, m := range r.AuthMethods {
		line("login", "%s", m)
	}
	for _, c := range r.Checks {
		line(c.Name, "%s", c.text())
	}
	if r.Turn != nil {
		line("turn", "%s, %d tool calls, %d asked for", r.Turn.StopReason, r.Turn.ToolCalls, r.Turn.Asked)
	}
	_, err := a.env.Stdout.WriteString(b.String())
	return err
}
