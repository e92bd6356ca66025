package recipes

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

// surroundings are options with variables and files.
func surroundings(env, files map[string]string) *LoadOptions {
	return &LoadOptions{
		RecipeDir: "/a", Cwd: "/b",
		Getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		ReadFile: func(path string) ([]byte, error) {
			if text, ok := files[path]; ok {
				return []byte(text), nil
			}
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		},
	}
}

func TestAgents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		agent string
		want  AgentSpec
		fault string
	}{
		{"core", AgentSpec{Core: true}, ""},
		{"{core: {}}", AgentSpec{Core: true}, ""},
		{"{core: {script: demo.yaml}}", AgentSpec{Core: true, Script: "/a/demo.yaml"}, ""},
		{"opencode acp", AgentSpec{Argv: []string{"opencode", "acp"}}, ""},
		{"'./bin/x --mode \"a b\"'", AgentSpec{Argv: []string{"/a/bin/x", "--mode", "a b"}}, ""},
		{"{command: [opencode, acp], env: {K: '${K}', N: 1}}", AgentSpec{Argv: []string{"opencode", "acp"}, Env: map[string]string{"K": "key-12345", "N": "1"}}, ""},
		{"{command: ['${K}', '${{ $inputs.x }} y']}", AgentSpec{Argv: []string{"key-12345", "a b y"}}, ""},
		{"{command: 'a b'}", AgentSpec{Argv: []string{"a", "b"}}, ""},
		{"'${{ $inputs.agent }}'", AgentSpec{Argv: []string{"other", "acp"}}, ""},
		{"opencode", AgentSpec{}, `unknown agent "opencode"; the one name there is: core`},
		{"'x ${{ $inputs.x }}'", AgentSpec{}, "values cannot be put into a command line; write agent: {command: [...]}"},
		{"a | b", AgentSpec{}, `agent: '|' needs a shell, and none is used; quote it, or list the words: [my-agent, --acp]`},
		{"ws://x", AgentSpec{URL: "ws://x"}, ""},
		{"{url: 'wss://h/${K}', headers: {A: 'Bearer ${K}'}, caFile: ca.pem}", AgentSpec{URL: "wss://h/key-12345", Headers: []Variable{{"A", "Bearer key-12345"}}, CAFile: "/a/ca.pem"}, ""},
		{"http://x", AgentSpec{}, "the address of a remote agent is ws://HOST... or wss://HOST..."},
		{"{}", AgentSpec{}, "agent needs core, command or url | agent: core, or agent: {command: [my-agent, --acp]}"},
		{"{command: [a], core: {}}", AgentSpec{}, "agent takes one of core, command and url"},
		{"{command: []}", AgentSpec{}, "command is empty"},
		{"{core: {}, env: {A: b}}", AgentSpec{}, "env does not fit this agent | env is for command, headers and caFile are for url"},
	} {
		recipe := "version: 1\ninputs: {x: {default: a b}, agent: {default: other acp}}\nprompt: x\nagent: " + test.agent
		plan, err := resolve(recipe, surroundings(map[string]string{"K": "key-12345"}, nil))
		if err != nil {
			got := strings.Join(problems(t, err), "\n")
			if _, message, _ := strings.Cut(got, ": "); message != test.fault {
				t.Errorf("%s: got %s, want %s", test.agent, message, test.fault)
			}
			continue
		}
		if diff := cmp.Diff(test.want, plan.Agent); diff != "" || test.fault != "" {
			t.Errorf("%s: want %q (-want +got):\n%s", test.agent, test.fault, diff)
		}
	}
}

func resolve(recipe string, opts *LoadOptions) (*Plan, error) {
	r, err := Parse([]byte(recipe), "recipe.yaml")
	if err != nil {
		return nil, err
	}
	return r.Resolve(Inputs{}, opts)
}

// TestRO26_Paths: what the recipe names is relative to it, folders and paths with
// values to the caller.
func TestRO26_Paths(t *testing.T) {
	t.Parallel()
	opts := surroundings(nil, map[string]string{
		"/a/p.md": "literal", "/b/q.md": "value", "/a/sub/s.json": `{"$ref": "t.json"}`, "/a/sub/t.json": `{"type": "string"}`,
		"/a/.mcp.json": `{"mcpServers": {"two": {"command": "../bin/two"}}}`,
	})
	plan, err := resolve(`version: 1
inputs: {f: {default: q.md}}
mcpServers: {one: {command: ./srv}, path: {command: srv}}
mcpFiles: [.mcp.json]
addDirs: [x, ../y]
steps:
  - {prompt: {file: p.md}, output: {schema: sub/s.json}}
  - {prompt: {file: "${{ $inputs.f }}"}}
`, opts)
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for _, m := range plan.MCPServers {
		commands = append(commands, m.Command)
	}
	got := map[string]any{"cwd": plan.Cwd, "dirs": plan.AddDirs, "commands": commands, "prompts": []string{plan.steps[0].prompt.node.Value, plan.steps[1].prompt.node.Value}}
	want := map[string]any{
		"cwd": "/b", "dirs": []string{"/b/x", "/y"}, "commands": []string{"/a/srv", "srv", "/bin/two"}, "prompts": []string{"literal", "value"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, faults := plan.steps[0].schema.read("1"); faults == nil {
		t.Error("the schema behind the $ref is not used")
	}
}

func TestRO41_SecretValues(t *testing.T) {
	t.Parallel()
	plan, err := resolve(`version: 1
secrets: [TOKEN]
steps: [{run: x, env: {S: "${STEP} ${{ $run.id }}", T: "${NONE:-default}"}}]
agent: {command: [a], env: {A: "${KEY:-fallback}", B: "${TINY}"}}
mcpServers:
  http: {url: "https://user:pass-123@h/mcp", headers: {Authorization: "Bearer literal-1", X: "${KEY}"}}
  stdio: {command: x, env: {DB: "postgres://u:s3cr3t-7@h/d", PLAIN: visible}}
`, surroundings(map[string]string{"TOKEN": "tok-123456", "KEY": "key-123456", "TINY": "abc", "STEP": "step-12345"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Bearer literal-1", "https://user:pass-123@h/mcp", "key-123456", "literal-1", "pass-123", "postgres://u:s3cr3t-7@h/d", "s3cr3t-7", "step-12345", "tok-123456",
	}
	if diff := cmp.Diff(want, plan.SecretValues()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"TOKEN"}, plan.SecretNames); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRO60_SecretInPrompt: the use of a secret in a prompt is found before the
// start, and can be allowed.
func TestRO60_SecretInPrompt(t *testing.T) {
	t.Parallel()
	opts := surroundings(map[string]string{"TOKEN": "tok-123456"}, nil)
	const recipe = "version: 1\nsecrets: [TOKEN]\nprompt: 'x ${{ $secrets.TOKEN }}'"
	_, err := resolve(recipe, opts)
	if diff := cmp.Diff([]string{"recipe.yaml:3:16: a secret does not belong into a prompt | --allow-secret-in-prompt lifts this"}, problems(t, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	opts.Override = &Override{AllowSecretInPrompt: true}
	plan, err := resolve(recipe, opts)
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{turns: []scriptedTurn{{Turn: Turn{StopReason: "end_turn"}}}, now: func() time.Time { return time.Unix(0, 0) }}
	if result := f.run(t, plan); result.ExitCode != event.ExitOK || !strings.Contains(f.calls.String(), `"x tok-123456"`) {
		t.Errorf("%d, %s", result.ExitCode, f.calls.String())
	}
}

// TestVariablesOfStepsAreBoundEarly: one that is not set is told before the start.
func TestVariablesOfStepsAreBoundEarly(t *testing.T) {
	t.Parallel()
	_, err := resolve("version: 1\nsteps:\n  - {run: x, env: {A: 'a ${NONE}'}}", surroundings(nil, nil))
	if diff := cmp.Diff([]string{"recipe.yaml:3:26: environment variable NONE is not set"}, problems(t, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	over := &Override{
		Agent: &AgentSpec{Argv: []string{"x", "y"}}, Models: []string{"m"}, Effort: "e", Mode: "o", Config: map[string]any{"a": 1},
		Cwd: "/c", AddDirs: []string{"/d"}, MCPFiles: []string{"/f.json"}, Time: time.Minute, Idle: time.Second, ToolCalls: 3,
		Policies: []*Permissions{{Spec: &policy.Spec{Default: policy.Allow}, OnUncovered: "continue", OnDeny: "fail"}},
		Rules:    &policy.Spec{Deny: []policy.RuleSpec{policy.PlainRule("edit(x)", "--deny", policy.LayerFlag)}},
	}
	opts := surroundings(nil, map[string]string{"/f.json": `{"mcpServers": {"two": {"url": "https://e/mcp"}}}`})
	opts.Override = over
	plan, err := resolve(`version: 1
agent: core
model: r
effort: r
config: {a: 2, b: 3}
cwd: r
addDirs: [r]
mcpServers: {one: {command: x}}
limits: {time: 5m, idle: 5m, toolCalls: 50, turns: 5}
permissions: {default: deny, allow: ["read(**)"], onDeny: cancel}
steps:
  - {prompt: x, model: s, effort: s, config: {a: 4, c: 5}}
`, opts)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{
		"agent": plan.Agent, "models": plan.Models, "cwd": plan.Cwd, "dirs": plan.AddDirs, "servers": plan.ServerNames(), "limits": plan.Limits,
		"reactions": []string{plan.onUncovered, plan.onDeny}, "default": plan.rules.Default, "kinds": plan.AskKinds(),
	}
	want := map[string]any{
		"agent": AgentSpec{Argv: []string{"x", "y"}}, "models": []string{"m"}, "cwd": "/c", "dirs": []string{"/b/r", "/d"},
		"servers": []string{"one", "two"}, "limits": Limits{Time: time.Minute, Idle: time.Second, ToolCalls: 3, Turns: 5},
		"reactions": []string{"continue", "fail"}, "default": policy.Allow, "kinds": []string{"edit"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f := &fake{turns: []scriptedTurn{{}}, now: func() time.Time { return time.Unix(0, 0) }}
	f.run(t, plan)
	if want := `s1 select {"Models":["m"],"Effort":"e","Mode":"o","Config":{"a":1,"b":3,"c":5}}`; !strings.Contains(f.calls.String(), want) {
		t.Errorf("flags do not win over a step: %s", f.calls.String())
	}
}

// TestRO61_CheckWithoutSurroundings: a recipe can be checked where its inputs and
// variables are not there.
func TestRO61_CheckWithoutSurroundings(t *testing.T) {
	t.Parallel()
	const recipe = `version: 1
inputs: {a: {type: array}, n: {type: integer, minimum: 5}}
secrets: [TOKEN]
agent: {command: ["${AGENT}"]}
model: "${{ $inputs.a[0] | ascii_upcase }}"
steps: [{id: x, prompt: "${{ $inputs.n }}"}]
`
	r, err := Parse([]byte(recipe), "recipe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check(Inputs{}, nil); err != nil {
		t.Errorf("%v", err)
	}
	if _, err := r.Resolve(Inputs{}, nil); err == nil {
		t.Error("the recipe is taken for a run")
	}
	if got := problems(t, r.Check(Inputs{Flags: map[string]string{"n": "1"}}, nil)); len(got) != 1 {
		t.Errorf("a wrong input: got %v", got)
	}
}

func TestParsePolicy(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"default: ask\nallow: [\"edit(./a.go)\"]\nonDeny: fail\ntests:\n  - {call: {kind: edit, paths: [a.go]}, expect: allow}\n",
		"version: 1\ninputs: {f: {default: a.go}}\nprompt: x\npermissions:\n  default: ask\n  allow: [\"edit(./${{ $inputs.f }})\"]\n  onDeny: fail\n" +
			"  tests:\n    - {call: {kind: edit, paths: [a.go]}, expect: allow}\n",
	} {
		p, err := ParsePolicy([]byte(src), "p.yaml", policy.LayerPolicy)
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := policy.Compile(p.Spec)
		if err != nil {
			t.Fatal(err)
		}
		out := compiled.Decide(&policy.Call{Kind: "edit", Paths: []string{"/w/a.go"}}, &policy.Env{Cwd: "/w"})
		if out.Decision != policy.Allow || out.Layer != policy.LayerPolicy || !strings.HasPrefix(out.At, "p.yaml:") || p.OnDeny != "fail" || len(p.Tests) != 1 {
			t.Errorf("got %+v, %+v", out, p)
		}
	}
	for src, want := range map[string]string{
		"alow: []":                     `p.yaml:1:1: unknown key "alow" | did you mean "allow"?`,
		"allow: [\"exec(x)\"]":         "p.yaml:1:10: rule: unknown kind",
		"allow: [\"edit(${{ $x }})\"]": "p.yaml:1:19: unknown variable $x | there are no variables here",
		"version: 2\nprompt: x":        "p.yaml:1:10: version 2 is not supported | this program reads version 1",
		"":                             "p.yaml:1:1: a policy is empty",
	} {
		_, err := ParsePolicy([]byte(src), "p.yaml", policy.LayerPolicy)
		if got := problems(t, err); len(got) == 0 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%q: got %q, want %s", src, got, want)
		}
	}
	if p, err := ParsePolicy([]byte("allow: [\"read(**)\"]"), "p.yaml", policy.LayerProject); err == nil {
		t.Errorf("a project file allows: %+v", p)
	}
}

func TestRO08_ValuesInRulesAreLiteral(t *testing.T) {
	t.Parallel()
	plan, err := resolve("version: 1\ninputs: {f: {default: 'a*'}, up: {default: ../x}}\nprompt: x\n"+
		"permissions: {allow: [\"edit(./${{ $inputs.f }})\", \"read(./${{ $inputs.up }})\"]}", surroundings(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]policy.Decision{"/b/a*": policy.Allow, "/b/ab": policy.Uncovered} {
		if got := plan.policy.Decide(&policy.Call{Kind: "edit", Paths: []string{path}}, plan.policyEnv); got.Decision != want {
			t.Errorf("%s: %s, want %s", path, got.Decision, want)
		}
	}
	if !slices.ContainsFunc(plan.warnings, func(w event.Warning) bool { return w.Code == "rule_void" }) {
		t.Errorf("a value that leads out is not warned of: %v", plan.warnings)
	}
}
