package cli

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/acpctl/acpctl/agentcore"
	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/model/offline"
	"github.com/acpctl/acpctl/agentcore/store"
	"github.com/acpctl/acpctl/agentcore/store/disk"
	"github.com/acpctl/acpctl/recipes/expr"
)

// coreOptions say how the bundled agent core is set up.
type coreOptions struct {
	model          string   // default model; empty: none
	script         string   // file of the scripted model; empty: none
	models         []string // further models that are named
	listed         []model.Entry
	store          store.Store // nil: memory
	stream         bool
	standardOnly   bool
	askUserTimeout time.Duration
	secrets        []string // names of variables that tools do not get
	logf           func(string, ...any)
}

// newCore puts the bundled agent together: the offline models, and what it needs
// from outside.
func (a *app) newCore(o coreOptions) (*agentcore.Core, error) {
	entries, err := a.offlineModels(o.script)
	if err != nil {
		return nil, err
	}
	wanted := o.models
	if o.model != "" {
		wanted = append(slices.Clone(wanted), o.model)
	}
	more, err := a.providerModels(wanted)
	if err != nil {
		return nil, err
	}
	entries = append(append(entries, more...), o.listed...)
	return agentcore.New(&agentcore.Options{
		Version: version(), Models: &model.Catalog{Entries: entries}, DefaultModel: o.model, Store: o.store,
		Clock: a.env.Now, NewID: a.env.NewID, Jitter: rand.Float64, Environ: a.env.marked(withoutNames(a.env.Environ, o.secrets)),
		Stream: o.stream, StandardOnly: o.standardOnly, AskUserTimeout: o.askUserTimeout, Logf: o.logf,
	})
}

// sessionStore is where the bundled agent keeps its sessions: a folder that is
// given, else the user's state folder. Nil is memory, where there is no place for
// one.
func (a *app) sessionStore(dir string) store.Store {
	if dir != "" {
		return disk.Open(a.abs(dir))
	}
	if state, ok := a.env.Getenv("XDG_STATE_HOME"); ok && filepath.IsAbs(state) {
		return disk.Open(filepath.Join(state, "acpctl", "sessions"))
	}
	if home, ok := a.env.Getenv("HOME"); ok && filepath.IsAbs(home) {
		return disk.Open(filepath.Join(home, ".local", "state", "acpctl", "sessions"))
	}
	return nil
}

// offlineModels are the keyless models; script may add to them.
func (a *app) offlineModels(script string) ([]model.Entry, error) {
	opts := &offline.Options{Match: compileMatch}
	if script != "" {
		text, err := os.ReadFile(a.abs(script))
		if err != nil {
			return nil, usageErrorf("reading the model script: %v", err)
		}
		opts.Script, opts.ScriptName = text, script
	}
	entries, err := offline.New(opts)
	if err != nil {
		return nil, usageError(err.Error(), "docs/scripted-model.md describes the form")
	}
	return entries, nil
}

// compileMatch lends the scripted model the one expression language there is.
func compileMatch(src string) (func(any) (any, error), error) {
	code, err := expr.Compile(src, nil)
	if err != nil {
		return nil, err
	}
	return func(input any) (any, error) {
		for v, err := range code.Run(context.Background(), input, nil) {
			return v, err
		}
		return nil, errors.New("the expression gives no value")
	}, nil
}

// abs resolves a path of the command line against the working directory.
func (a *app) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.env.Dir, path)
}
