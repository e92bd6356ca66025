package cli

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/recipes"
)

// promptOptions are the flags of prompt alone.
type promptOptions struct {
	run       runOptions
	file      string
	schema    string
	noStdin   bool
	stdinWait time.Duration
}

const promptLong = `Send one prompt and print the agent's final message.

The text comes from the arguments, from -f FILE, or from stdin; with text and
stdin, stdin is appended after a blank line. A pipe that nobody writes to is
waited for --stdin-wait at most; "-" waits for as long as it takes. What stands
behind "--" is the exact command of the agent.`

func newPrompt(a *app) *cobra.Command {
	o := &promptOptions{}
	cmd := &cobra.Command{
		Use:   "prompt [TEXT...] [-] [-- COMMAND ARGS...]",
		Short: "Send one prompt and print the final message",
		Long:  promptLong,
		Example: "  acpctl prompt --model offline/echo hello\n" +
			"  git diff | acpctl prompt 'review this' --allow 'read(**)' -- opencode acp",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runPrompt(cmd, o, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "f", "", "file with the prompt")
	f.StringVar(&o.schema, "schema", "", "JSON Schema file that the final message must match")
	f.BoolVar(&o.noStdin, "no-stdin", false, "never read stdin")
	f.DurationVar(&o.stdinWait, "stdin-wait", 5*time.Second, "how long to wait for the first byte of a pipe")
	addRunFlags(cmd, &o.run)
	return cmd
}

func (a *app) runPrompt(cmd *cobra.Command, o *promptOptions, args []string) error {
	if err := a.prepare(cmd, &o.run); err != nil {
		return err
	}
	var argv []string
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		args, argv = args[:dash], args[dash:]
		if len(argv) == 0 {
			return usageError("no command behind --")
		}
		if o.run.agent != "" {
			return usageError("--agent and a command behind -- exclude each other")
		}
	}
	text, stdin, err := a.promptText(o, args)
	if err != nil {
		return err
	}
	plan, err := a.promptPlan(o, text, argv)
	if err != nil {
		return err
	}
	if o.run.format == "" && o.run.jq == "" {
		o.run.format = formatText
	}
	return a.execute(cmd.Context(), plan, &o.run, stdin)
}

// promptText puts the prompt together; stdin says how stdin was used.
func (a *app) promptText(o *promptOptions, args []string) (text, stdin string, err error) {
	wantStdin := len(args) > 0 && args[len(args)-1] == "-"
	if wantStdin {
		args = args[:len(args)-1]
	}
	text = strings.Join(args, " ")
	if o.file != "" {
		if text != "" {
			return "", "", usageError("the prompt is given twice: as an argument and with -f")
		}
		src, err := os.ReadFile(a.abs(o.file))
		if err != nil {
			return "", "", usageErrorf("reading prompt: %v", err)
		}
		text = string(src)
	}
	if o.noStdin && wantStdin {
		return "", "", usageError("- and --no-stdin exclude each other")
	}
	data, how, err := a.readStdin(stdinRequest{skip: o.noStdin, must: wantStdin, wait: o.stdinWait, havePrompt: text != ""})
	if err != nil {
		return "", "", err
	}
	switch {
	case text == "":
		text = data
	case data != "":
		text += "\n\n" + data
	}
	if strings.TrimSpace(text) == "" {
		return "", "", usageError("no prompt", "give it as an argument, with -f FILE, or on stdin")
	}
	return text, how, nil
}

// promptPlan is the one-step recipe that the flags describe.
func (a *app) promptPlan(o *promptOptions, text string, argv []string) (*recipes.Plan, error) {
	override, err := a.overrides(&o.run)
	if err != nil {
		return nil, err
	}
	if len(argv) > 0 {
		override.Agent = &recipes.AgentSpec{Argv: argv}
	}
	one := recipes.OneShot{Text: text, Override: override}
	if o.schema != "" {
		if one.Schema, err = os.ReadFile(a.abs(o.schema)); err != nil {
			return nil, usageErrorf("reading schema: %v", err)
		}
		one.SchemaFile = o.schema
	}
	plan, err := recipes.OneStep(one, a.loadOptions("."))
	if err != nil {
		return nil, usageError(err.Error())
	}
	return plan, nil
}
