package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/recipes"
)

// policyOptions are the flags of the policy commands.
type policyOptions struct {
	policyFiles      []string
	calls            string
	cwd              string
	allow, ask, deny []string
}

func newPolicy(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Decide tool calls by permission rules, without an agent",
		Long:  "Decide tool calls by permission rules, without an agent. See acpctl help rules.",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError("unknown command \"policy "+args[0]+"\"", "policy has check, explain, suggest and test")
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(newPolicyCheck(a), newPolicyExplain(a), newPolicyTest(a), newPolicySuggest(a))
	return cmd
}

const policyCallLong = `Each line of the input is one call as JSON: {kind, command?, rawInput?, paths?,
title?, cwd?, roots?, name?, server?, updates?}; updates are the earlier tool-call
updates, merged first.`

func newPolicyCheck(a *app) *cobra.Command {
	o := &policyOptions{}
	cmd := &cobra.Command{
		Use:     "check --policy FILE [--calls FILE|-]",
		Short:   "Print one decision a line for calls read as JSON lines",
		Long:    "Print one decision a line for calls read as JSON lines.\n\n" + policyCallLong,
		Example: "  echo '{\"kind\":\"execute\",\"command\":\"go test ./...\"}' | acpctl policy check --policy recipe.yaml",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.eachCall(o, func(d *decided) error { return d.printJSON(a.env.Stdout) })
		},
	}
	addPolicyInputFlags(cmd, o)
	return cmd
}

func newPolicyExplain(a *app) *cobra.Command {
	o := &policyOptions{}
	cmd := &cobra.Command{
		Use:     "explain --policy FILE [--calls FILE|-]",
		Short:   "Tell which rules were looked at for each call, and why",
		Long:    "Tell which rules were looked at for each call, and why.\n\n" + policyCallLong,
		Example: "  echo '{\"kind\":\"edit\",\"paths\":[\"main.go\"]}' | acpctl policy explain --policy recipe.yaml",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.eachCall(o, func(d *decided) error { return d.explain(a.env.Stdout) })
		},
	}
	addPolicyInputFlags(cmd, o)
	return cmd
}

func addPolicyInputFlags(cmd *cobra.Command, o *policyOptions) {
	f := cmd.Flags()
	f.StringArrayVar(&o.policyFiles, "policy", nil, "recipe or policy file; given several times, the rules add up")
	f.StringVar(&o.calls, "calls", "-", "file with one call as JSON per line; - is stdin")
	f.StringVar(&o.cwd, "cwd", "", "folder of the session (default: the current one)")
	f.StringArrayVar(&o.allow, "allow", nil, "further rule to allow")
	f.StringArrayVar(&o.ask, "ask", nil, "further rule to ask for")
	f.StringArrayVar(&o.deny, "deny", nil, "further rule to deny")
}

// decided is one call with its decision and what led to it.
type decided struct {
	policy  *policy.Policy
	call    *policy.Call
	env     *policy.Env
	outcome policy.Outcome
}

// eachCall decides every call of the input. A line that is no call is a usage
// error with its number; nothing after it is decided.
func (a *app) eachCall(o *policyOptions, each func(*decided) error) error {
	p, err := a.compilePolicy(o)
	if err != nil {
		return err
	}
	in, name, closeIn, err := a.openCalls(o.calls)
	if err != nil {
		return err
	}
	defer closeIn()
	lines := bufio.NewReader(in)
	for number := 1; ; number++ {
		line, readErr := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			d, err := a.decide(p, o, line)
			if err != nil {
				return usageErrorf("%s:%d: %v", name, number, err)
			}
			if err := each(d); err != nil {
				return err
			}
		}
		if errors.Is(readErr, io.EOF) {
			return nil
		}
		if readErr != nil {
			return fmt.Errorf("reading %s: %w", name, readErr)
		}
	}
}

func (a *app) openCalls(path string) (io.Reader, string, func(), error) {
	if path == "-" {
		if terminal(a.env.Stdin) {
			return nil, "", nil, usageError("no calls: stdin is a terminal", "pipe one JSON call per line, or use --calls FILE")
		}
		return a.env.Stdin, "stdin", func() {}, nil
	}
	f, err := os.Open(a.abs(path))
	if err != nil {
		return nil, "", nil, usageErrorf("reading calls: %v", err)
	}
	return f, path, func() { _ = f.Close() }, nil
}

// compilePolicy adds up the files and flags.
func (a *app) compilePolicy(o *policyOptions) (*policy.Policy, error) {
	if len(o.policyFiles) == 0 && len(o.allow)+len(o.ask)+len(o.deny) == 0 {
		return nil, usageError("no rules to decide by", "name a recipe or a policy file with --policy FILE")
	}
	specs := make([]*policy.Spec, 0, len(o.policyFiles)+1)
	for _, file := range o.policyFiles {
		permissions, err := a.readPolicy(file)
		if err != nil {
			return nil, err
		}
		specs = append(specs, permissions.Spec)
	}
	specs = append(specs, flagRules(o.allow, o.ask, o.deny))
	p, err := policy.Compile(policy.Merge(specs...))
	if err != nil {
		return nil, usageError(err.Error())
	}
	return p, nil
}

// readPolicy reads a policy file, or the permissions of a recipe.
func (a *app) readPolicy(file string) (*recipes.Permissions, error) {
	if !strings.ContainsAny(file, "/"+string(filepath.Separator)) && !strings.HasSuffix(file, ".yaml") && !strings.HasSuffix(file, ".yml") {
		if p := recipes.Preset(file); p != nil {
			return p, nil
		}
		return nil, usageError("policy "+file+": no policy has this name", "the named ones are "+strings.Join(recipes.PresetNames(), ", "), "a policy file is named with a / or .yaml, such as ./"+file)
	}
	src, err := os.ReadFile(a.abs(file))
	if err != nil {
		return nil, usageErrorf("reading policy: %v", err)
	}
	permissions, err := recipes.ParsePolicy(src, file, policy.LayerPolicy)
	if err != nil {
		return nil, usageError(err.Error())
	}
	return permissions, nil
}

// flagRules are the rules of --allow, --ask and --deny.
func flagRules(allow, ask, deny []string) *policy.Spec {
	list := func(flag string, rules []string) []policy.RuleSpec {
		out := make([]policy.RuleSpec, len(rules))
		for i, r := range rules {
			out[i] = policy.PlainRule(r, "--"+flag, policy.LayerFlag)
		}
		return out
	}
	return &policy.Spec{Allow: list("allow", allow), Ask: list("ask", ask), Deny: list("deny", deny)}
}

func (a *app) decide(p *policy.Policy, o *policyOptions, line []byte) (*decided, error) {
	parsed, err := policy.ParseCall(line)
	if err != nil {
		return nil, err
	}
	cwd := a.env.Dir
	if o.cwd != "" {
		cwd = a.abs(o.cwd)
	}
	roots := parsed.Roots
	switch {
	case parsed.Cwd != "":
		cwd = parsed.Cwd
	case len(roots) > 0:
		cwd = roots[0]
	}
	env := newPolicyEnv(a.env, cwd, nil, nil).forCall()
	if len(roots) > 0 {
		env.Roots = roots
	}
	return &decided{policy: p, call: parsed.Call, env: env, outcome: p.Decide(parsed.Call, env)}, nil
}
