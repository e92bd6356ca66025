package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/controller"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/output"
	"github.com/acpctl/acpctl/recipes"
)

// modelsOptions are the flags of models.
type modelsOptions struct {
	agent, script, cwd string
	asJSON             bool
}

func newModels(a *app) *cobra.Command {
	o := &modelsOptions{}
	cmd := &cobra.Command{
		Use:     "models [--agent AGENT]",
		Short:   "List models, efforts, modes and other options that an agent offers",
		Long:    "List models, efforts, modes and other options that an agent offers. A session is opened and closed for it; nothing is prompted.",
		Example: "  acpctl models\n  acpctl models --agent 'opencode acp' --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.bindEnviron(cmd); err != nil {
				return err
			}
			return a.listModels(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "core", "agent: core, or a command line of an ACP agent")
	f.StringVar(&o.script, "script", "", "YAML script that may declare further offline models (bundled agent only)")
	f.StringVar(&o.cwd, "cwd", "", "folder of the session (default: the current one)")
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object, the options unchanged")
	return cmd
}

func (a *app) listModels(ctx context.Context, o *modelsOptions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := a.watchSignals(cancel, func(f *event.Failure) { a.env.Exit(f.ExitCode()) })
	defer stop()
	cwd, err := a.folder("cwd", o.cwd)
	if err != nil {
		return err
	}
	over := &recipes.Override{Agent: &recipes.AgentSpec{Core: true}}
	if err := a.overrideAgent(&runOptions{agent: o.agent, script: o.script}, over); err != nil {
		return err
	}
	agent, err := a.openAgent(agentSpec{AgentSpec: *over.Agent, dir: cwd, anyModel: true, listed: a.listedFor(ctx, over.Agent)})
	if err != nil {
		return err
	}
	offered, err := probe(ctx, agent, cwd, a)
	if err != nil {
		return err
	}
	if o.asJSON {
		enc := json.NewEncoder(a.env.Stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(offered)
	}
	return printOffered(a.env.Stdout, offered)
}

// listedFor are the models of the providers that are set up, for the bundled
// agent.
func (a *app) listedFor(ctx context.Context, agent *recipes.AgentSpec) []model.Entry {
	if !agent.Core {
		return nil
	}
	return a.listedModels(ctx)
}

// probe opens one session to see what is offered, and closes everything again.
func probe(ctx context.Context, agent controller.Agent, cwd string, a *app) (offered controller.Offered, err error) {
	conn, err := controller.Connect(ctx, agent, &controller.Options{
		ClientName: "acpctl", ClientVersion: version(), Emit: func(event.Event) {}, Clock: a.env.Now, Grace: grace(0), Deadlines: a.env.Deadlines,
	})
	if err != nil {
		return offered, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	s, err := conn.NewSession(ctx, controller.SessionParams{Cwd: cwd})
	if err != nil {
		return offered, err
	}
	return s.Offered(), nil
}

func printOffered(w io.Writer, o controller.Offered) error {
	var b strings.Builder
	for _, group := range o.Groups() {
		fmt.Fprintf(&b, "%s", group.Label)
		if group.ID != "" && group.ID != group.Label {
			fmt.Fprintf(&b, " (%s)", group.ID)
		}
		b.WriteString("\n")
		for _, c := range group.Choices {
			mark := " "
			if c.Current {
				mark = "*"
			}
			fmt.Fprintf(&b, "  %s %s", mark, output.EscapeControl(c.Value))
			if c.Name != "" && c.Name != c.Value {
				fmt.Fprintf(&b, "  %s", output.EscapeControl(c.Name))
			}
			b.WriteString("\n")
		}
	}
	if b.Len() == 0 {
		b.WriteString("the agent offers no models, modes or other options\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
