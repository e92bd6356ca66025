package expr

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var stepVars = []string{"inputs", "steps"}

func TestValue(t *testing.T) {
	t.Parallel()
	vars := map[string]any{
		"inputs": map[string]any{"max": json.Number("12345678901234567890"), "name": "x"},
		"steps":  map[string]any{"a": map[string]any{"list": []any{"p", "q"}}},
	}
	for _, test := range []struct{ src, want string }{
		{"1 + 1", "2"},
		{".text", `"hi"`},
		{"$inputs.name", `"x"`},
		{"$inputs.max", "12345678901234567890"},
		{"$inputs.max + 1", "12345678901234567891"},
		{"$steps.a.list | length", "2"},
		{"$steps.missing.x", "null"},
		{`[$steps.a.list[] | ascii_upcase]`, `["P","Q"]`},
		{`"\($inputs.name)<&>"`, `"x<&>"`},
		{"nan", "null"},
	} {
		code, err := Compile(test.src, stepVars)
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		got, err := code.Value(t.Context(), map[string]any{"text": "hi"}, vars)
		if err != nil || string(JSON(got)) != test.want {
			t.Errorf("%s = %s, %v, want %s", test.src, JSON(got), err, test.want)
		}
	}
}

func TestJSONTakesBigNumbers(t *testing.T) {
	t.Parallel()
	n, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	if got := string(JSON(n)); got != n.String() {
		t.Errorf("got %s", got)
	}
}

func TestRunErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ src, want string }{
		{"1, 2", "evaluating 1, 2: more than one result; put it in [ ]"},
		{"empty", "evaluating empty: no result"},
		{`error("no")`, `evaluating error("no"): error: no`},
		{".a.b", "evaluating .a.b: expected an object but got: number (1)"},
		{"\n .aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa |\n 1 | .b", "evaluating .aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...: expected an object but got: number (1)"},
	} {
		code, err := Compile(test.src, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := code.Value(t.Context(), map[string]any{"a": 1}, nil); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.src, err, test.want)
		}
	}
}

func TestBoolIsStrict(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		src, fault string
		want       bool
	}{
		{src: "true", want: true},
		{src: "1 > 2"},
		{src: "1", fault: "evaluating 1: 1 is neither true nor false"},
		{src: `"yes"`, fault: `evaluating "yes": "yes" is neither true nor false`},
		{src: "null", fault: "evaluating null: null is neither true nor false"},
	} {
		code, err := Compile(test.src, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := code.Bool(t.Context(), nil, nil)
		if fault := message(err); got != test.want || fault != test.fault {
			t.Errorf("%s = %v, %s, want %v, %s", test.src, got, fault, test.want, test.fault)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestAnEvaluationEnds(t *testing.T) {
	t.Parallel()
	code, err := Compile("last(repeat(1))", nil)
	if err != nil {
		t.Fatal(err)
	}
	code.limit = time.Millisecond
	if _, err = code.Value(t.Context(), nil, nil); message(err) != "evaluating last(repeat(1)): not done after 5s" {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrClosedPipe)
	if _, err = code.Value(ctx, nil, nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	words := []string{"always", "failure"}
	values := map[string]any{"always": true, "failure": false, "inputs": map[string]any{}}
	for _, test := range []struct {
		src  string
		want bool
		uses []string
	}{
		{"always", true, []string{"always"}},
		{"always()", true, []string{"always"}},
		{"always ( ) and (failure() | not)", true, []string{"always", "failure"}},
		{`"always()" == "x"`, false, nil},
		{".always", true, nil},
	} {
		code, err := CompileWords(test.src, []string{"inputs"}, words)
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		got, err := code.Bool(t.Context(), map[string]any{"always": true}, values)
		if err != nil || got != test.want {
			t.Errorf("%s = %v, %v, want %v", test.src, got, err, test.want)
		}
		var uses []string
		for _, w := range words {
			if code.Uses(w) {
				uses = append(uses, w)
			}
		}
		if !slices.Equal(uses, test.uses) {
			t.Errorf("%s uses %v, want %v", test.src, uses, test.uses)
		}
	}
	if _, err := Compile("always", nil); err == nil {
		t.Error("a word is known without being declared")
	}
}

func TestRefs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		src  string
		want []Ref
	}{
		{"1", nil},
		{"$inputs.a", []Ref{{"inputs", []string{"a"}, 0}}},
		{`  $steps.a["b"]."c".d[0].e`, []Ref{{"steps", []string{"a", "b", "c", "d"}, 2}}},
		{"$steps.a?.b", []Ref{{"steps", []string{"a", "b"}, 0}}},
		{"$inputs[.k]", []Ref{{"inputs", nil, 0}}},
		{`$inputs["a\(.k)"]`, []Ref{{"inputs", nil, 0}}},
		{"$inputs | .a.b | .c", []Ref{{"inputs", []string{"a", "b"}, 0}}},
		{"$inputs | keys", []Ref{{"inputs", nil, 0}}},
		{"$steps.a | .x", []Ref{{"steps", []string{"a", "x"}, 0}}},
		{`"$inputs.no \($inputs.yes) $inputs" # $inputs.comment`, []Ref{{"inputs", []string{"yes"}, 14}}},
		{". as $inputs | $inputs.x, $steps.y", []Ref{{"steps", []string{"y"}, 26}}},
		{"$inputs.a as $steps | $steps.x", []Ref{{"inputs", []string{"a"}, 0}}},
		{"(. as $inputs | 1), $inputs.b", []Ref{{"inputs", []string{"b"}, 20}}},
		{"def f($inputs): $inputs.x; f(1) + $inputs.y", []Ref{{"inputs", []string{"y"}, 34}}},
		{"reduce $inputs.l[] as $x (0; . + $x)", []Ref{{"inputs", []string{"l"}, 7}}},
		{"[foreach .[] as [$x, {k: $y}] ($inputs.s; . + $x; $y)]", []Ref{{"inputs", []string{"s"}, 31}}},
		{"{$inputs, b: $steps.c}", []Ref{{"inputs", nil, 1}, {"steps", []string{"c"}, 13}}},
		{"if $inputs.a then $inputs.b elif $inputs.c then 1 else $inputs.d end", []Ref{
			{"inputs", []string{"a"}, 3}, {"inputs", []string{"b"}, 18}, {"inputs", []string{"c"}, 33}, {"inputs", []string{"d"}, 55},
		}},
		{"try $inputs.a catch $inputs.b", []Ref{{"inputs", []string{"a"}, 4}, {"inputs", []string{"b"}, 20}}},
		{"label $out | $inputs.a, break $out", []Ref{{"inputs", []string{"a"}, 13}}},
		{".[$inputs.from:$inputs.to]", []Ref{{"inputs", []string{"from"}, 2}, {"inputs", []string{"to"}, 15}}},
		{"-$inputs.n", []Ref{{"inputs", []string{"n"}, 1}}},
		{"map(select(. == $inputs.a))", []Ref{{"inputs", []string{"a"}, 16}}},
		{`@base64 "x\($inputs.a)"`, []Ref{{"inputs", []string{"a"}, 12}}},
	} {
		code, err := Compile(test.src, stepVars)
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		if diff := cmp.Diff(test.want, code.Refs()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.src, diff)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		src    string
		offset int
		want   string
		hint   string
	}{
		{"", 0, `jq: missing query (try ".")`, ""},
		{"1 +", 3, "jq: unexpected EOF", ""},
		{".a | | .b", 5, `jq: unexpected token "|"`, ""},
		{`.a == "x`, 8, "jq: unterminated string literal", ""},
		{"1 + $input.x", 4, "unknown variable $input", "did you mean $inputs?"},
		{"$item", 0, "unknown variable $item", ""},
		{"$ENV.HOME", 0, "unknown variable $ENV", ""},
		{"1 + env.HOME", 4, "env is not available: expressions see nothing but their variables", ""},
		{"[inputs]", 1, "inputs is not available: expressions see nothing but their variables", ""},
		{"input", 0, "input is not available: expressions see nothing but their variables", ""},
		{`"len" | lenght`, 8, "jq: there is no function lenght/0", ""},
		{`import "a" as b; 1`, 0, "expressions cannot load modules", ""},
		{`include "a"; 1`, 0, "expressions cannot load modules", ""},
	} {
		_, err := Compile(test.src, stepVars)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s: got %v", test.src, err)
			continue
		}
		want := SyntaxError{test.offset, test.want, test.hint}
		if diff := cmp.Diff(want, *syntax); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.src, diff)
		}
	}
}

func TestRO12_SubjectTellsWhatAConditionIsAbout(t *testing.T) {
	t.Parallel()
	input := map[string]any{"text": `{"total": 4}`, "a": 1, "b": []any{1, 2}}
	for _, test := range []struct{ src, want string }{
		{".text | fromjson | .total == 3", "4"},
		{"(.text | fromjson | .total) == 3", "4"},
		{"(.text | fromjson | .total == 3)", "4"},
		{".b | length > 5", "2"},
		{`.text | test("x")`, `"{\"total\": 4}"`},
		{".b as $l | $l | length == 3", "2"},
		{"def f: .b; f == []", "[1,2]"},
		{"def f: .b; f | any", "[1,2]"},
		{".a == 1 and .b == 2", ""},
		{".b as $l | all", ""},
		{"false", ""},
		{"$inputs.x == 1", "null"},
	} {
		code, err := Compile(test.src, stepVars)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if about, ok := code.Subject(); ok {
			v, err := about.Value(t.Context(), input, nil)
			if err != nil {
				t.Errorf("%s: %v", test.src, err)
			}
			got = string(JSON(v))
		}
		if got != test.want {
			t.Errorf("%s is about %s, want %s", test.src, got, test.want)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, want string }{
		{"premissions", "permissions"},
		{"modle", "model"}, // not mode: letters are swapped more often than left out
		{"step", "steps"},
		{"x", ""},
		{"zzzzz", ""},
		{"if", "if"},
	} {
		if got := Nearest(test.name, []string{"permissions", "mode", "model", "steps", "if"}); got != test.want {
			t.Errorf("nearest to %s is %q, want %q", test.name, got, test.want)
		}
	}
}
