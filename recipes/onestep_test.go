package recipes

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/controller/event"
)

func TestOneStep(t *testing.T) {
	t.Parallel()
	plan, err := OneStep(OneShot{
		Text: "say ${{ 1 }} ${HOME}", Schema: []byte(`{"$ref": "t.json"}`), SchemaFile: "s.json", Override: &Override{Models: []string{"m"}},
	}, surroundings(nil, map[string]string{"/b/t.json": `{"type": "integer"}`}))
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{
		turns: []scriptedTurn{{Turn: Turn{Text: "no", StopReason: "end_turn"}}, {Turn: Turn{Text: "5", StopReason: "end_turn"}}},
		now:   func() time.Time { return time.Unix(0, 0) },
	}
	result := f.run(t, plan)
	if result.ExitCode != event.ExitOK || string(result.Output) != "5" || result.OutputAttempts != 2 {
		t.Errorf("got %d, %s, %d", result.ExitCode, result.Output, result.OutputAttempts)
	}
	if !strings.Contains(f.calls.String(), `"say ${{ 1 }} ${HOME}"`) {
		t.Errorf("the text is not taken as it is: %s", f.calls.String())
	}
	start := plan.RunStart("1.0", "pipe")
	if diff := cmp.Diff(event.RunStart{Acpctl: "1.0", Cwd: "/b", Stdin: "pipe", Inputs: map[string]any{}}, start); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOneStepErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ schema, want string }{
		{`{"type": "objekt"}`, "s.json: schema: at '/type': value must be one of"},
		{`{`, "s.json: schema: not JSON"},
		{`{"$ref": "https://example.com/x"}`, "s.json: schema: a remote $ref is refused: https://example.com/x"},
	} {
		_, err := OneStep(OneShot{Text: "x", Schema: []byte(test.schema), SchemaFile: "s.json"}, surroundings(nil, nil))
		if got := problems(t, err); len(got) != 1 || !strings.HasPrefix(got[0], test.want) {
			t.Errorf("%s: got %q", test.schema, got)
		}
	}
}

// TestRO13_View shows a plan without running it.
func TestRO13_View(t *testing.T) {
	t.Parallel()
	plan, err := resolve(`version: 1
inputs: {who: {default: you}}
agent: {command: [./x, y], env: {K: visible}}
model: m
mcpServers: {one: {command: ./x, env: {A: b}}}
permissions: {allow: ["edit(./${{ $inputs.who }})"], deny: [{rule: "edit(x)", except: "edit(x.y)", message: no}]}
limits: {toolCalls: 3}
steps:
  - {id: a, run: ls, env: {W: "${{ $inputs.who }}", V: "${VAR:-none}"}}
  - {id: b, if: always, prompt: "hi ${{ $inputs.who }} ${{ $steps.a.text }}", output: {schema: {type: integer}}, assert: [{that: .output > 1}]}
  - {id: c, set: {x: 1 + 1}}
`, surroundings(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	text, err := YAML(plan.View())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/view.yaml", string(text))
	if _, err := json.Marshal(plan.View()); err != nil {
		t.Error(err)
	}
}
