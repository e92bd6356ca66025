package recipes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/recipes/expr"
)

// The reactions to a call that is not allowed.
const (
	reactFail     = "fail"
	reactContinue = "continue"
)

// Permissions are the rules of a policy file or of a recipe.
type Permissions struct {
	Spec        *policy.Spec
	OnUncovered string // fail, continue, cancel; "" is not said
	OnDeny      string // likewise
	OnUnasked   string // fail, warn; "" is not said
	Tests       []PolicyTest
}

// PolicyTest is a call, in the form of [policy.ParseCall], and the decision that
// is expected.
type PolicyTest struct {
	Call   json.RawMessage
	Expect policy.Decision
	At     string // file:line
}

// ParsePolicy reads a policy: the permissions of a recipe, whose inputs have their
// defaults here, or a mapping like them. The rules are of the given layer. The
// error is a *[ParseError].
func ParsePolicy(src []byte, file string, layer policy.Layer) (*Permissions, error) {
	var problems []Problem
	p := newParser(src, file, &problems)
	root := p.document(src, "a policy")
	if inner := field(root, "permissions"); inner != nil && len(entries(root)) == 1 {
		root = inner // as it stands in a recipe
	}
	if isRecipe(root) {
		r, err := Parse(src, file)
		if err != nil {
			return nil, err
		}
		return r.policyOf(layer)
	}
	var d *permissionsDecl
	if root != nil {
		p.check(root, &form{object: permissionsObject()}, "", 0)
		d = p.rules(root, &scope{names: &names{}}, layer)
	}
	if err := asError(problems); err != nil {
		return nil, err
	}
	return d.permissions(file, values{})
}

// isRecipe tells a recipe from a policy by keys that only a recipe has.
func isRecipe(root *yaml.Node) bool {
	return slices.ContainsFunc([]string{"version", "steps", "prompt", "permissions"}, func(key string) bool { return field(root, key) != nil })
}

// policyOf are the permissions of a recipe that is not run.
func (r *Recipe) policyOf(layer policy.Layer) (*Permissions, error) {
	if r.permissions == nil {
		return &Permissions{Spec: &policy.Spec{}}, nil
	}
	b := &binder{r: r, opts: &LoadOptions{}, lenient: true, plan: &Plan{}}
	v := values{vars: map[string]any{"inputs": b.bindInputs(Inputs{})}}
	d := *r.permissions
	for _, list := range []*[]*ruleDecl{&d.allow, &d.ask, &d.deny} {
		*list = withLayer(*list, layer)
	}
	return d.permissions(r.src.file, v)
}

func withLayer(list []*ruleDecl, layer policy.Layer) []*ruleDecl {
	out := make([]*ruleDecl, len(list))
	for i, r := range list {
		c := *r
		c.layer = layer
		out[i] = &c
	}
	return out
}

func (d *permissionsDecl) permissions(file string, v values) (*Permissions, error) {
	spec, err := d.spec(context.Background(), v)
	if placed := new(problemError); errors.As(err, &placed) {
		return nil, &ParseError{Problems: []Problem{placed.Problem}}
	}
	out := &Permissions{Spec: spec, OnUncovered: d.onUncovered, OnDeny: d.onDeny, OnUnasked: d.onUnasked}
	for _, t := range d.tests {
		out.Tests = append(out.Tests, PolicyTest{Call: expr.JSON(t.call), Expect: t.expect, At: fmt.Sprintf("%s:%d", file, t.node.Line)})
	}
	return out, err
}

// spec evaluates the rules. The error is a *problemError. Nil is no rules.
func (d *permissionsDecl) spec(ctx context.Context, v values) (*policy.Spec, error) {
	if d == nil {
		return nil, nil
	}
	spec := &policy.Spec{Default: d.fallback}
	for _, list := range []struct {
		from []*ruleDecl
		to   *[]policy.RuleSpec
	}{{d.allow, &spec.Allow}, {d.ask, &spec.Ask}, {d.deny, &spec.Deny}} {
		for _, r := range list.from {
			rule, err := r.spec(ctx, v)
			if err != nil {
				return nil, err
			}
			*list.to = append(*list.to, rule)
		}
	}
	return spec, nil
}

func (r *ruleDecl) spec(ctx context.Context, v values) (policy.RuleSpec, error) {
	out := policy.RuleSpec{At: r.at(), Layer: r.layer}
	var err error
	if out.Rule, err = r.rule.segments(ctx, v); err != nil {
		return out, err
	}
	if out.Except, err = r.except.segments(ctx, v); err != nil {
		return out, err
	}
	out.Message, err = r.message.string(ctx, v)
	return out, err
}

// sample is the spec with a letter for each value, where only kinds matter.
func (d *permissionsDecl) sample() *policy.Spec {
	spec := &policy.Spec{}
	for _, r := range d.ask {
		spec.Ask = append(spec.Ask, policy.RuleSpec{Rule: r.rule.sample()})
	}
	for _, r := range d.deny {
		spec.Deny = append(spec.Deny, policy.RuleSpec{Rule: r.rule.sample()})
	}
	return spec
}

// bindPermissions puts the rules of the recipe, of policy files and of flags
// together, and holds the tests.
func (b *binder) bindPermissions() {
	own, err := b.r.permissions.spec(context.Background(), b.v)
	b.fail(err)
	specs := []*policy.Spec{own}
	b.plan.onUncovered, b.plan.onDeny, b.plan.onUnasked = reactFail, reactContinue, reactFail
	var tests []testDecl
	if d := b.r.permissions; d != nil {
		tests = d.tests
		b.plan.react(d.onUncovered, d.onDeny, d.onUnasked)
		b.plan.remember = scalarOf(d.remember) == "session"
	}
	for _, p := range b.over.Policies {
		specs = append(specs, p.Spec)
		b.plan.react(p.OnUncovered, p.OnDeny, p.OnUnasked)
	}
	for _, l := range b.over.Layers {
		specs = append(specs, l.Rules)
	}
	b.plan.rules = policy.Merge(append(specs, b.over.Rules)...)
	if b.plan.policy, err = policy.Compile(b.plan.rules); err != nil {
		for line := range strings.Lines(err.Error()) {
			b.add(Problem{Message: strings.TrimSpace(line)})
		}
		return
	}
	b.findAskKinds()
	b.checkRemember()
	home, _ := b.opts.getenv("HOME")
	b.plan.policyEnv = &policy.Env{
		Cwd: b.plan.Cwd, Roots: append([]string{b.plan.Cwd}, b.plan.AddDirs...), Home: home, Servers: b.plan.ServerNames(),
	}
	for _, w := range b.plan.policy.Warnings(b.plan.policyEnv) {
		b.warn("rule_void", "%v", w)
	}
	for _, t := range tests {
		b.testRules(t)
	}
}

func (p *Plan) react(onUncovered, onDeny, onUnasked string) {
	p.onUncovered, p.onDeny = cmp.Or(onUncovered, p.onUncovered), cmp.Or(onDeny, p.onDeny)
	p.onUnasked = cmp.Or(onUnasked, p.onUnasked)
}

// findAskKinds adds up the kinds that rules of the recipe and of its steps are
// about.
func (b *binder) findAskKinds() {
	kinds := b.plan.policy.AskKinds()
	for _, s := range b.r.steps {
		if s.permissions == nil {
			continue
		}
		if p, err := policy.Compile(s.permissions.sample()); err == nil {
			kinds = append(kinds, p.AskKinds()...)
		}
	}
	slices.Sort(kinds)
	b.plan.askKinds = slices.Compact(kinds)
}

// checkRemember refuses remember: session where an agent that remembers an allow
// would no longer ask for calls that an ask or deny rule is about.
func (b *binder) checkRemember() {
	if !b.plan.remember {
		return
	}
	allowed, err := policy.Compile(&policy.Spec{Deny: b.plan.rules.Allow})
	if err != nil {
		return // the same rules compiled a moment ago
	}
	for _, kind := range allowed.AskKinds() {
		if slices.Contains(b.plan.askKinds, kind) {
			b.at(b.r.src, b.r.permissions.remember, "remember: session does not go with ask and deny rules for %s: the agent would not ask again", kind)
			return
		}
	}
	b.warn("remember_session", "remember: session: what an agent remembers as allowed, it does not ask for again")
}

// testRules decides the call of a test and reports a decision that differs.
func (b *binder) testRules(t testDecl) {
	call, err := policy.ParseCall(expr.JSON(t.call))
	if err != nil {
		b.at(b.r.src, t.node, "test: %v", err)
		return
	}
	env := *b.plan.policyEnv
	if len(call.Roots) > 0 {
		env.Roots, env.Cwd = call.Roots, call.Roots[0]
	}
	got := b.plan.policy.Decide(call.Call, &env)
	if got.Decision == t.expect || b.incomplete {
		return
	}
	because := got.Why
	if got.Rule != "" {
		because = "by " + got.Rule + " at " + got.At
	}
	b.at(b.r.src, t.node, "test of the rules: the call is %s, not %s (%s)", got.Decision, t.expect, because)
}
