package cli

import (
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/store"
	"github.com/acpctl/acpctl/controller"
	"github.com/acpctl/acpctl/internal/jsonrpc"
	"github.com/acpctl/acpctl/recipes"
)

// coreName is the name of the bundled agent on the command line and in recipes.
const coreName = "core"

// agentSpec says which agent is meant, before it is opened.
type agentSpec struct {
	recipes.AgentSpec
	dir      string   // working directory of the process: the session's
	models   []string // that the run names
	store    store.Store
	listed   []model.Entry
	anyModel bool      // a model is selected before any prompt, or there is no prompt
	secrets  []string  // names of variables that the agent does not inherit
	stderr   io.Writer // gets a copy of the agent's stderr; nil for none
}

// specOf is the agent of a plan.
func (a *app) specOf(plan *recipes.Plan, o *runOptions, stderr io.Writer) agentSpec {
	s := agentSpec{
		AgentSpec: plan.Agent, dir: plan.Cwd, secrets: plan.SecretNames, stderr: stderr,
		anyModel: plan.SelectsModel() || !plan.NeedsAgent(), models: plan.ModelNames(),
	}
	if !o.ephemeral {
		s.store = a.sessionStore(o.store)
	}
	return s
}

// openAgent turns a spec into an agent that can be connected. Nothing is started
// yet.
func (a *app) openAgent(s agentSpec) (controller.Agent, error) {
	switch {
	case len(s.Argv) > 0:
		return a.openCommand(s), nil
	case s.URL != "":
		return a.openRemote(s)
	}
	return a.openCore(s)
}

// agentWords splits a command line as a shell does, without running one. One
// word without a slash would be the name of a configured agent.
func agentWords(text string) ([]string, error) {
	words, err := recipes.SplitCommand(text)
	if err != nil {
		return nil, usageErrorf("--agent %q: %v", text, err)
	}
	switch {
	case len(words) == 0:
		return nil, usageError("--agent is empty")
	case len(words) == 1 && !strings.ContainsAny(words[0], "/"+string(filepath.Separator)):
		return nil, usageError("unknown agent \""+words[0]+"\"",
			"the one name there is: core",
			"a command needs a path or arguments, such as ./"+words[0]+" or '"+words[0]+" acp'")
	}
	return words, nil
}

// argv makes a program that is named by a path absolute: the agent runs in the
// session's folder, which may be another one.
func (a *app) argv(words []string) []string {
	if strings.ContainsAny(words[0], "/"+string(filepath.Separator)) {
		words[0] = a.abs(words[0])
	}
	return words
}

func (a *app) openCommand(s agentSpec) controller.Agent {
	environ := a.env.marked(withoutNames(a.env.Environ, s.secrets))
	path, _ := a.env.Getenv("PATH")
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		environ = append(environ, name+"="+s.Env[name])
		if name == "PATH" {
			path = s.Env[name]
		}
	}
	return &controller.Command{Argv: s.Argv, Env: environ, Dir: s.dir, Path: path, Stderr: s.stderr, Ladder: a.env.Ladder}
}

// openCore serves the bundled agent in this process. Without a model nothing is
// started: an answer of offline/echo by accident would be a lie.
func (a *app) openCore(s agentSpec) (controller.Agent, error) {
	var chosen string
	switch {
	case s.Script != "":
		chosen = "offline/scripted"
	case s.anyModel:
		chosen = "offline/echo" // replaced by what the run selects, before any prompt
	default:
		return nil, usageError("no model: the bundled agent has no default",
			"choose one with --model or model: in the recipe; acpctl models lists them",
			"openai/NAME with OPENAI_API_KEY or OPENAI_BASE_URL, anthropic/NAME with ANTHROPIC_API_KEY: see docs/models.md",
			"offline/echo and offline/scripted need no key")
	}
	if err := a.offersModels(s); err != nil {
		return nil, err
	}
	core, err := a.newCore(coreOptions{model: chosen, script: s.Script, models: s.models, listed: s.listed, store: s.store, stream: true, secrets: s.secrets})
	if err != nil {
		return nil, err
	}
	return &controller.InProcess{Name: coreName, Serve: func(ctx context.Context, t jsonrpc.Transport) error {
		err := core.Serve(ctx, t)
		if closeErr := core.Close(); err == nil {
			err = closeErr
		}
		return err
	}}, nil
}

// folder checks a folder given by a flag and returns it absolute; empty is the
// working directory.
func (a *app) folder(flag, path string) (string, error) {
	if path == "" {
		return a.env.Dir, nil
	}
	dir := a.abs(path)
	info, err := os.Stat(dir)
	if err != nil {
		return "", usageErrorf("--%s %s: %v", flag, path, err)
	}
	if !info.IsDir() {
		return "", usageErrorf("--%s %s is not a folder", flag, path)
	}
	return dir, nil
}

// offersModels finds out before anything starts whether the bundled agent has the
// models that a run names: what an outside agent offers only its session tells.
func (a *app) offersModels(s agentSpec) error {
	offered, err := a.offlineModels(s.Script)
	if err != nil {
		return err
	}
	more, err := a.providerModels(s.models)
	if err != nil {
		return err
	}
	offered = append(offered, more...)
	has := func(name string) bool {
		return slices.ContainsFunc(offered, func(e model.Entry) bool {
			return strings.EqualFold(e.Value(), name) || strings.EqualFold(e.Title(), name)
		})
	}
	if len(s.models) == 0 || slices.ContainsFunc(s.models, has) {
		return nil
	}
	hints := make([]string, 0, len(offered))
	for _, e := range offered {
		hints = append(hints, e.Value())
	}
	return usageError("the bundled agent offers no model "+strings.Join(s.models, ", "), append(hints, "docs/models.md says how to add providers")...)
}
