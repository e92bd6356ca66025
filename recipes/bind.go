package recipes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/controller/event"
)

// Resolve binds inputs, the environment, files and flags, and checks everything
// that can be known before a start: the tests of the rules too. Nothing is
// started. The error is a *[ParseError] with every problem.
func (r *Recipe) Resolve(in Inputs, opts *LoadOptions) (*Plan, error) {
	return r.bind(in, opts, false)
}

// Check is Resolve without its result, and for a recipe whose inputs and
// environment may be missing: what depends on them is passed over.
func (r *Recipe) Check(in Inputs, opts *LoadOptions) error {
	_, err := r.bind(in, opts, true)
	return err
}

func (r *Recipe) bind(in Inputs, opts *LoadOptions, lenient bool) (*Plan, error) {
	if opts == nil {
		opts = &LoadOptions{}
	}
	b := &binder{r: r, opts: opts, over: opts.override(), lenient: lenient, plan: &Plan{Name: r.shownName(), file: r.src.file, outputs: r.outputs}}
	b.plan.inputs = b.bindInputs(in)
	b.bindSecrets()
	b.bindPlace()
	b.bindAgent()
	b.bindSettings()
	b.bindServers()
	b.bindLimits()
	b.bindPermissions()
	b.bindQuestions()
	b.bindSteps()
	if err := asError(b.problems); err != nil {
		return nil, err
	}
	b.plan.values = b.v
	b.plan.values.getenv = opts.Getenv
	slices.Sort(b.plan.masked)
	b.plan.masked = slices.Compact(b.plan.masked)
	return b.plan, nil
}

// binder makes a plan of a recipe and collects problems.
type binder struct {
	r        *Recipe
	opts     *LoadOptions
	over     *Override
	plan     *Plan
	v        values
	problems []Problem
	// lenient passes over what is missing from outside, and incomplete says that
	// something was: an expression that fails then proves nothing.
	lenient, incomplete bool
}

func (b *binder) add(p Problem) {
	if p.File == "" {
		p.File = b.r.src.file
	}
	b.problems = append(b.problems, p)
}

// fail notes the error of an evaluation.
func (b *binder) fail(err error) {
	var placed *problemError
	switch {
	case err == nil, b.incomplete:
	case errors.As(err, &placed):
		b.problems = append(b.problems, placed.Problem)
	default:
		b.add(Problem{Message: err.Error()})
	}
}

// at notes a problem at a node of the recipe.
func (b *binder) at(src *source, n *yaml.Node, format string, args ...any) {
	b.problems = append(b.problems, src.problem(n.Line, n.Column, fmt.Sprintf(format, args...)))
}

// string evaluates a text that depends on nothing but what is bound here.
func (b *binder) string(t *text) string {
	s, err := t.string(context.Background(), b.v)
	b.fail(err)
	return s
}

// bindSecrets takes the values of the declared secrets and sets up what texts are
// evaluated with.
func (b *binder) bindSecrets() {
	secrets := map[string]any{}
	for _, n := range b.r.secrets {
		b.plan.SecretNames = append(b.plan.SecretNames, n.Value)
		value, ok := b.opts.getenv(n.Value)
		switch {
		case !ok && b.lenient:
			b.incomplete = true
		case !ok:
			b.at(b.r.src, n, "secret %s is not set in the environment", n.Value)
		case len(value) < minSecret:
			b.at(b.r.src, n, "secret %s is shorter than %d bytes: masking it would garble everything", n.Value, minSecret)
		default:
			b.plan.masked = append(b.plan.masked, value)
			b.plan.secrets = append(b.plan.secrets, value)
		}
		secrets[n.Value] = value
	}
	b.v = values{
		vars: map[string]any{
			"inputs": b.plan.inputs, "secrets": secrets,
			"run": map[string]any{"cwd": b.opts.Cwd, "recipe": b.plan.Name},
		},
		getenv: b.readVariable,
	}
}

// readVariable gives the value of a ${VAR}, which is masked from then on.
func (b *binder) readVariable(name string) (string, bool) {
	value, ok := b.opts.getenv(name)
	if !ok && b.lenient {
		b.incomplete = true
		return "", true
	}
	b.mask(value)
	return value, ok
}

// minSecret is the length from which a value is masked: a shorter one occurs by
// chance in everything.
const minSecret = 6

func (b *binder) mask(value string) {
	if len(value) >= minSecret {
		b.plan.masked = append(b.plan.masked, value)
	}
}

// bindPlace finds the folders.
func (b *binder) bindPlace() {
	b.plan.Cwd = b.inCwd(b.string(b.r.cwd))
	if b.over.Cwd != "" {
		b.plan.Cwd = b.over.Cwd
	}
	b.v.vars["run"].(map[string]any)["cwd"] = b.plan.Cwd
	for _, t := range b.r.addDirs {
		b.plan.AddDirs = append(b.plan.AddDirs, b.inCwd(b.string(t)))
	}
	b.plan.AddDirs = append(b.plan.AddDirs, b.over.AddDirs...)
	b.bindFrom()
	b.plan.Client = b.r.client
}

// inCwd makes a path absolute that is relative to the caller's folder.
func (b *binder) inCwd(path string) string { return absolute(b.opts.Cwd, path) }

// named makes the path of a file absolute that the recipe names: relative to the
// recipe if it is written there, to the caller's folder if a value was put in.
func (b *binder) named(t *text) string {
	if t.constant() {
		return absolute(b.opts.RecipeDir, b.string(t))
	}
	return b.inCwd(b.string(t))
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// readFile reads a file that t names; nil, with a problem noted, if it cannot.
func (b *binder) readFile(t *text, path string) []byte {
	if b.opts.ReadFile == nil {
		b.at(t.src, t.node, "files cannot be read here")
		return nil
	}
	text, err := b.opts.ReadFile(path)
	if err != nil {
		if !b.incomplete || t.constant() {
			b.at(t.src, t.node, "%v", err)
		}
		return nil
	}
	return text
}

// bindSettings selects what the recipe says and what flags say instead.
func (b *binder) bindSettings() {
	own, err := b.r.settings.selection(context.Background(), b.v)
	b.fail(err)
	b.plan.flags = Selection{Models: b.over.Models, Effort: b.over.Effort, Mode: b.over.Mode, Config: b.over.Config}
	b.plan.selection = own.with(b.plan.flags)
	b.plan.Models = b.plan.selection.Models
}

// bindLimits takes the limits of the run.
func (b *binder) bindLimits() {
	l := b.r.limits.Limits
	if !b.r.limits.idle {
		l.Idle = DefaultIdle
	}
	if b.over.Time > 0 {
		l.Time = b.over.Time
	}
	if b.over.Idle > 0 {
		l.Idle = b.over.Idle
	}
	if b.over.ToolCalls > 0 {
		l.ToolCalls = b.over.ToolCalls
	}
	for _, layer := range b.over.Layers {
		l.lower(layer)
	}
	b.plan.Limits = l
}

func (b *binder) warn(code, format string, args ...any) {
	b.plan.warnings = append(b.plan.warnings, event.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// holdsSecret names the first declared secret in a text, "" for none.
func (p *Plan) holdsSecret(text string) string {
	for i, value := range p.secrets {
		if strings.Contains(text, value) {
			return p.SecretNames[i]
		}
	}
	return ""
}
