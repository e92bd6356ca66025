package recipes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/recipes/expr"
)

const inputsRecipe = `version: 1
inputs:
  text: {default: none}
  max: {type: integer, default: 5, minimum: 1}
  big: {type: number, default: 0}
  flag: {type: boolean, default: false}
  list: {type: array, default: [], items: {type: string}}
  map: {type: object, default: {a: 1}, required: [a]}
  pick: {default: a, enum: [a, b]}
prompt: x
`

func TestRO08_Inputs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		given Inputs
		want  string // the inputs that differ from their defaults, or the problems
	}{
		{"defaults", Inputs{}, `{"big":0,"flag":false,"list":[],"map":{"a":1},"max":5,"pick":"a","text":"none"}`},
		{
			"flags win over the file, the file over the environment",
			Inputs{Flags: map[string]string{"text": "flag"}, File: map[string]any{"text": "file", "max": 2}, Env: map[string]string{"text": "env", "max": "3", "pick": "b"}},
			`{"big":0,"flag":false,"list":[],"map":{"a":1},"max":2,"pick":"b","text":"flag"}`,
		},
		{
			"types",
			Inputs{Flags: map[string]string{"max": "12345678901234567890", "big": "-1.5e3", "flag": "true", "list": `["x"]`, "map": `{"a":null}`}},
			`{"big":-1500,"flag":true,"list":["x"],"map":{"a":null},"max":12345678901234567890,"pick":"a","text":"none"}`,
		},
		{
			"F18: text stays what it is, to the byte",
			Inputs{Flags: map[string]string{"text": "a: b\n- c: [1\n# end ${{ $inputs.max }} $(rm -rf x) \"; no\n"}},
			`{"big":0,"flag":false,"list":[],"map":{"a":1},"max":5,"pick":"a","text":"a: b\n- c: [1\n# end ${{ $inputs.max }} $(rm -rf x) \"; no\n"}`,
		},
		{
			"F18: words that YAML reads otherwise",
			Inputs{Env: map[string]string{"text": "0123", "unknown": "x"}},
			`{"big":0,"flag":false,"list":[],"map":{"a":1},"max":5,"pick":"a","text":"0123"}`,
		},
		{"mistakes", Inputs{
			Flags: map[string]string{"max": "0", "big": "0x1", "flag": "yes", "list": "[1]", "map": "{", "pick": "c", "txt": "x"},
			File:  map[string]any{"text": 5, "other": 1},
		}, strings.Join([]string{
			`recipe.yaml: unknown input "txt" | did you mean "text"?`,
			`recipe.yaml: unknown input "other" | there is text, max, big, flag, list, map, pick`,
			`recipe.yaml: input "text": got number, want string`,
			`recipe.yaml: input "max": minimum: got 0, want 1`,
			`recipe.yaml: input "big": "0x1" is no number`,
			`recipe.yaml: input "flag": "yes" is neither true nor false`,
			`recipe.yaml: input "list": at '/0': got number, want string`,
			`recipe.yaml: input "map": "{" is no JSON: unexpected EOF`,
			`recipe.yaml: input "pick": value must be one of 'a', 'b'`,
		}, "\n")},
	} {
		r, err := Parse([]byte(inputsRecipe), "recipe.yaml")
		if err != nil {
			t.Fatal(err)
		}
		plan, err := r.Resolve(test.given, nil)
		got := strings.Join(problems(t, err), "\n")
		if err == nil {
			got = string(expr.JSON(any(plan.inputs)))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestParseInputs(t *testing.T) {
	t.Parallel()
	got, err := ParseInputs([]byte("a: no\nb: 2024-01-01\nc: [1, 1.5, true, null]\n\"d\": {e: 1e3}\n"), "i.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"a":"no","b":"2024-01-01","c":[1,1.5,true,null],"d":{"e":1000}}`
	if s := string(expr.JSON(any(got))); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
	for src, want := range map[string]string{
		"[1]":            "i.yaml:1:1: the file must be a mapping, not a list",
		"a: 0123":        "i.yaml:1:4: the file.a: numbers are written as in JSON; quote it if it is meant as text",
		"a: 1\na: 2":     `i.yaml:2:1: key "a" stands here twice, first in line 1`,
		"":               "i.yaml:1:1: a file of inputs is empty",
		"a: !!binary YQ": "i.yaml:1:4: the file.a: binary values are not supported",
		"a: *b":          "i.yaml:1:1: YAML: unknown anchor 'b' referenced",
	} {
		_, err := ParseInputs([]byte(src), "i.yaml")
		if got := strings.Join(problems(t, err), "\n"); got != want {
			t.Errorf("%q: got %s, want %s", src, got, want)
		}
	}
}
