package cli

import (
	"encoding/json"
	"strings"

	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/recipes"
)

// overrides is what the flags say, in the words of a recipe.
func (a *app) overrides(o *runOptions) (*recipes.Override, error) {
	over := &recipes.Override{
		Models: o.models, Effort: o.effort, Mode: o.mode,
		Rules: flagRules(o.allow, o.ask, o.deny),
		Time:  o.timeout, Idle: o.idle, ToolCalls: o.maxToolCalls,
		AllowSecretInPrompt: o.allowSecretInput, From: o.from(),
	}
	for _, step := range []func(*runOptions, *recipes.Override) error{
		a.overrideAgent, a.overrideConfig, a.overrideFolders, a.overrideFiles, a.overrideAnswers, a.overrideLayers,
	} {
		if err := step(o, over); err != nil {
			return nil, err
		}
	}
	if o.allowAll {
		over.Rules.Allow = append(over.Rules.Allow, policy.PlainRule("any", "--dangerously-allow-all", policy.LayerFlag))
	}
	return over, nil
}

// from is the session that the flags name.
func (o *runOptions) from() recipes.SessionFrom {
	switch {
	case o.goOn, o.resume == "last":
		return recipes.SessionFrom{Kind: recipes.FromContinue}
	case o.resume != "":
		return recipes.SessionFrom{Kind: recipes.FromResume, ID: o.resume}
	case o.fork != "":
		return recipes.SessionFrom{Kind: recipes.FromFork, ID: o.fork}
	default:
		return recipes.SessionFrom{}
	}
}

// overrideAgent reads --agent and --script.
func (a *app) overrideAgent(o *runOptions, over *recipes.Override) error {
	switch {
	case o.agent == "" && o.script == "":
		return nil
	case o.agent == "" || o.agent == coreName:
		over.Agent = &recipes.AgentSpec{Core: true}
		if o.script != "" {
			over.Agent.Script = a.abs(o.script)
		}
		return nil
	case o.script != "":
		return usageError("--script is for the bundled agent only", "leave --agent away, or use --agent core")
	}
	if strings.Contains(o.agent, "://") && !strings.Contains(o.agent, " ") {
		address, err := remoteAddress(o.agent)
		if err != nil {
			return err
		}
		over.Agent = &recipes.AgentSpec{URL: address}
		return nil
	}
	words, err := agentWords(o.agent)
	if err != nil {
		return err
	}
	over.Agent = &recipes.AgentSpec{Argv: a.argv(words)}
	return nil
}

// overrideConfig reads --config id=value: true and false are booleans, anything
// else is a string; with id:=value the value is JSON.
func (a *app) overrideConfig(o *runOptions, over *recipes.Override) error {
	given, err := pairsOf("--config", o.config)
	if err != nil || len(given) == 0 {
		return err
	}
	over.Config = make(map[string]any, len(given))
	for id, value := range given {
		name, asJSON := strings.CutSuffix(id, ":")
		if !asJSON {
			over.Config[id] = scalarOf(value)
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			return usageErrorf("--config %s=: the value is no JSON: %v", id, err)
		}
		over.Config[name] = v
	}
	return nil
}

func scalarOf(text string) any {
	switch text {
	case "true":
		return true
	case "false":
		return false
	}
	return text
}

func (a *app) overrideFolders(o *runOptions, over *recipes.Override) (err error) {
	if o.cwd != "" {
		if over.Cwd, err = a.folder("cwd", o.cwd); err != nil {
			return err
		}
	}
	for _, dir := range o.addDirs {
		abs, err := a.folder("add-dir", dir)
		if err != nil {
			return err
		}
		over.AddDirs = append(over.AddDirs, abs)
	}
	return nil
}

func (a *app) overrideFiles(o *runOptions, over *recipes.Override) error {
	for _, file := range o.mcpFiles {
		over.MCPFiles = append(over.MCPFiles, a.abs(file))
	}
	for _, file := range o.policyFiles {
		p, err := a.readPolicy(file)
		if err != nil {
			return err
		}
		over.Policies = append(over.Policies, p)
	}
	return nil
}

// overrideAnswers reads --answer regex=answer. The first = that is not escaped
// as \= parts them.
func (a *app) overrideAnswers(o *runOptions, over *recipes.Override) error {
	for _, entry := range o.answers {
		i := strings.Index(entry, "=")
		for i > 0 && entry[i-1] == '\\' {
			next := strings.Index(entry[i+1:], "=")
			if next < 0 {
				i = -1
				break
			}
			i += 1 + next
		}
		if i <= 0 {
			return usageErrorf("--answer %q is not of the form regex=answer", entry)
		}
		over.Answers = append(over.Answers, recipes.Answer{Match: entry[:i], Text: entry[i+1:]})
	}
	return nil
}
