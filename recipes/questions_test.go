package recipes

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/controller/event"
)

// questionsOf binds the questions of a recipe.
func questionsOf(t *testing.T, questions string, over *Override) *Questions {
	t.Helper()
	recipe := "version: 1\ninputs: {style: {default: short}}\nprompt: x\nquestions:" + questions
	return mustPlan(t, recipe, &LoadOptions{Override: over}).questions
}

func batch() *event.Question {
	return &event.Question{
		RequestID: "1", Message: "acpctl",
		Fields: []event.Field{
			{Name: "q1", Title: "Style", Description: "Which style do you want?", Type: "string", Options: []event.Option{{Value: "short"}, {Value: "long"}}},
			{Name: "q1_note", Companion: "q1", Type: "string"},
			{Name: "q2", Title: "Tests", Description: "Which tests?", Type: "array", Multi: true},
		},
	}
}

func TestRO19_Answers(t *testing.T) {
	t.Parallel()
	single := &event.Question{Message: "Really delete?", Fields: []event.Field{{Name: "ok", Type: "boolean", Required: true}}}
	form := &event.Question{Message: "Settings", Fields: []event.Field{
		{Name: "name", Type: "string", Required: true}, {Name: "level", Type: "integer", Default: json.RawMessage("3")}, {Name: "note", Type: "string"},
	}}
	bare := &event.Question{Message: "Go on?"}
	for _, test := range []struct {
		name      string
		questions string
		question  *event.Question
		want      QuestionAnswer
	}{
		{
			"each field by its own rule, the first that fits", `
  answers:
    - {match: "(?i)which style", answer: "${{ $inputs.style }}"}
    - {match: style, answer: long}
    - {match: Tests, answer: [unit, race]}`, batch(),
			QuestionAnswer{Action: "accept", Content: map[string]any{"q1": "short", "q2": []any{"unit", "race"}}, By: "rule", Rule: "(?i)which style", At: "recipe.yaml:6"},
		},
		{
			"a batch with one field open is left to the default", `
  default: cancel
  answers: [{match: Style, answer: short}]`, batch(), QuestionAnswer{Action: "cancel", By: "default"},
		},
		{
			"the message does not answer the fields of a batch", `
  answers: [{match: acpctl, answer: x}]`, batch(), QuestionAnswer{Action: "stop", By: "default"},
		},
		{
			"the message of a single field", `
  answers: [{match: "^Really", answer: true}]`, single,
			QuestionAnswer{Action: "accept", Content: map[string]any{"ok": true}, By: "rule", Rule: "^Really", At: "recipe.yaml:5"},
		},
		{
			"when and content", `
  answers:
    - {when: '.fields[0].name == "other"', content: {q1: no}}
    - {when: '.fields | length == 3', content: {q1: "${{ $inputs.style }}", q2: [a], extra: 1}}`, batch(),
			QuestionAnswer{Action: "accept", Content: map[string]any{"q1": "short", "q2": []any{"a"}, "extra": 1}, By: "rule", Rule: ".fields | length == 3", At: "recipe.yaml:7"},
		},
		{
			"jq gives the answers", `
  answers:
    - {when: 'true', jq: '.fields | map(select(.companion == null) | {(.name): .options[0].value}) | add'}`, batch(),
			QuestionAnswer{Action: "accept", Content: map[string]any{"q1": "short", "q2": nil}, By: "rule", Rule: "true", At: "recipe.yaml:6"},
		},
		{
			"an expression that fails does not fit", `
  default: decline
  answers:
    - {when: '.fields[0].name', answer: x}
    - {when: 'error("x")', answer: x}
    - {when: 'true', jq: 'error("x")'}`, batch(), QuestionAnswer{Action: "decline", By: "default"},
		},
		{
			"a field with a default needs no answer", `
  answers: [{match: name, answer: x}, {match: note, answer: y}]`, form,
			QuestionAnswer{Action: "accept", Content: map[string]any{"name": "x", "note": "y"}, By: "rule", Rule: "name", At: "recipe.yaml:5"},
		},
		{
			"content for the whole form may leave out what is not required", `
  answers: [{match: Settings, content: {name: x}}]`, form,
			QuestionAnswer{Action: "accept", Content: map[string]any{"name": "x"}, By: "rule", Rule: "Settings", At: "recipe.yaml:5"},
		},
		{
			"but not what is", `
  answers: [{match: Settings, content: {note: x}}]`, form, QuestionAnswer{Action: "stop", By: "default"},
		},
		{
			"a question without fields", `
  answers: [{match: "Go on", answer: yes}]`, bare,
			QuestionAnswer{Action: "accept", Content: map[string]any{}, By: "rule", Rule: "Go on", At: "recipe.yaml:5"},
		},
		{"defaults", "\n  default: defaults", form, QuestionAnswer{Action: "accept", Content: map[string]any{}, By: "default"}},
		{"nobody can be asked", "\n  default: ask", form, QuestionAnswer{Action: "stop", By: "default"}},
	} {
		got := questionsOf(t, test.questions, nil).Answer(test.question)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestRO19_RefusedAnswer: an answer that does not fit is not given again.
func TestRO19_RefusedAnswer(t *testing.T) {
	t.Parallel()
	refused := batch()
	refused.Error = "not an option"
	for fallback, want := range map[string]string{"stop": "stop", "decline": "decline", "defaults": "stop"} {
		q := questionsOf(t, "\n  default: "+fallback+"\n  answers: [{when: 'true', answer: x}]", nil)
		if got := q.Answer(refused); got.Action != want || got.By != "default" {
			t.Errorf("%s: got %+v", fallback, got)
		}
	}
	var none *Questions
	if got := none.Answer(batch()); got.Action != "stop" {
		t.Errorf("no questions: got %+v", got)
	}
}

func TestFlagAnswersComeFirst(t *testing.T) {
	t.Parallel()
	q := questionsOf(t, "\n  answers: [{match: Style, answer: long}, {match: Tests, answer: a}]", &Override{Answers: []Answer{{Match: "(?i)style", Text: "short"}}})
	want := QuestionAnswer{Action: "accept", Content: map[string]any{"q1": "short", "q2": "a"}, By: "rule", Rule: "(?i)style", At: "--answer"}
	if diff := cmp.Diff(want, q.Answer(batch())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r, err := Parse([]byte("version: 1\nprompt: x"), "recipe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resolve(Inputs{}, &LoadOptions{Override: &Override{Answers: []Answer{{Match: "("}}}}); err == nil {
		t.Error("a regular expression that is none is taken")
	}
}
