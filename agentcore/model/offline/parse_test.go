package offline_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/model/offline"
)

func TestProblemsAreToldAtOnceWithTheirPlaces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		want         []string
	}{
		{"syntax", "turns: [", []string{"s.yaml:1:1: did not find expected node content"}},
		{"only comments", "# nothing", []string{"s.yaml:1:1: the script is empty"}},
		{"not a mapping", "- a", []string{"s.yaml:1:1: must be a mapping"}},
		{"two documents", "turns: []\n---\nturns: []", []string{"s.yaml:2:1: a script is one YAML document"}},
		{"missing", "models: [{}]", []string{
			`s.yaml:1:1: key "turns" is missing`, `s.yaml:1:10: key "id" is missing`,
		}},
		{"many", `turns:
  - when: "test("
    stepz: []
    repeat: maybe
    repeat: true
  - model: big
    steps:
      - {text: 1, echo: .prompt, delay: soon, delay: 1s}
      - {text: a, error: {reason: bad}, end: refusal}
      - {calls: [{args: {1: x, y: .inf}}], todos: x, usage: {input: -1, output: a, cost: x}}
      - {calls: read_file, echo: [x]}
`, []string{
			`s.yaml:2:5: key "steps" is missing`,
			"s.yaml:2:11: unexpected EOF",
			`s.yaml:3:5: unknown key "stepz"; there are model, repeat, steps, when`,
			"s.yaml:4:13: must be true or false",
			`s.yaml:5:5: key "repeat" is given twice`,
			`s.yaml:6:12: no such model "big"; there are scripted`,
			"s.yaml:8:9: text and echo exclude each other",
			"s.yaml:8:16: must be a string; put it in quotes",
			"s.yaml:8:41: must be a duration such as 50ms or 2s",
			`s.yaml:8:47: key "delay" is given twice`,
			"s.yaml:9:9: error and end exclude each other",
			`s.yaml:9:35: unknown reason "bad"; there are provider_error, provider_auth, provider_rate_limited, provider_overloaded, context_overflow`,
			`s.yaml:10:18: key "tool" is missing`,
			"s.yaml:10:26: must be a string; put it in quotes",
			"s.yaml:10:35: JSON has no such number",
			"s.yaml:10:51: must be a list",
			"s.yaml:10:69: must not be negative",
			"s.yaml:10:81: must be a whole number",
			"s.yaml:10:90: must be a number",
			"s.yaml:11:17: must be a list",
			"s.yaml:11:34: must be a string; put it in quotes",
		}},
		{"models", "turns: []\nmodels: [{id: echo}, {id: a/b}, {id: -a}, {id: m, defaultEffort: low}, {id: m}]", []string{
			`s.yaml:2:10: there is a model "echo" already`,
			"s.yaml:2:27: an id is made of letters, digits and . _ - and begins with a letter or digit",
			"s.yaml:2:38: an id is made of letters, digits and . _ - and begins with a letter or digit",
			`s.yaml:2:43: defaultEffort "low" is not among efforts`,
			`s.yaml:2:72: there is a model "m" already`,
		}},
		{"alias", "turns: [{steps: [{calls: [{tool: t, args: &a {x: *a}}]}]}]", []string{"s.yaml:1:50: anchors and aliases are not supported"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := offline.New(&offline.Options{Script: []byte(tt.script), ScriptName: "s.yaml", Match: match})
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(tt.want, strings.Split(err.Error(), "\n")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	_, err := offline.New(&offline.Options{Script: []byte("turns: [{when: 'true', steps: []}]")})
	if err == nil || err.Error() != "script:1:16: expressions are not available here" {
		t.Errorf("without an expression language: got %v", err)
	}
}

func FuzzScript(f *testing.F) {
	for _, seed := range []string{"turns: []", "turns: [{when: .x, steps: [{text: [a], calls: [{tool: t, args: {a: 1e400}}]}]}]", "a: &a [*a]", "\xff", "turns: [{steps: [{todos: [~]}]}]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, script string) {
		list, err := offline.New(&offline.Options{
			Script: []byte(script), Sleep: func(context.Context, time.Duration) error { return nil },
			Match: func(expr string) (func(any) (any, error), error) {
				return func(any) (any, error) { return expr, nil }, nil
			},
		})
		if err != nil {
			if list != nil || err.Error() == "" {
				t.Errorf("got %v beside %q", list, err)
			}
			return
		}
		for _, e := range list {
			for chunk, err := range e.Model.Stream(t.Context(), &model.Request{Model: e.ID, Turn: 1, Step: 1}) {
				if err == nil && chunk.Call != nil && !json.Valid(chunk.Call.Args) {
					t.Errorf("arguments are not JSON: %q", chunk.Call.Args)
				}
			}
		}
	})
}
