package offline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/model/offline"
)

// match is jq as the command lends it.
func match(expr string) (func(any) (any, error), error) {
	query, err := gojq.Parse(expr)
	if err != nil {
		return nil, err
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, err
	}
	return func(input any) (any, error) {
		v, _ := code.Run(input).Next()
		if err, failed := v.(error); failed {
			return nil, err
		}
		return v, nil
	}, nil
}

func entries(t *testing.T, script string) *model.Catalog {
	t.Helper()
	list, err := offline.New(&offline.Options{Script: []byte(script), Match: match})
	if err != nil {
		t.Fatal(err)
	}
	return &model.Catalog{Entries: list}
}

// conversation is a session with one model; it remembers what was said.
type conversation struct {
	*testing.T
	model model.Model
	req   model.Request
}

func talk(t *testing.T, script, value string) *conversation {
	t.Helper()
	entry, ok := entries(t, script).Find(value)
	if !ok {
		t.Fatalf("no model %s", value)
	}
	return &conversation{T: t, model: entry.Model, req: model.Request{Model: entry.ID, Session: "s"}}
}

// prompt begins a turn and returns the first answer in short form.
func (c *conversation) prompt(text string) string {
	c.Helper()
	c.req.Turn++
	c.req.Step = 1
	c.req.Messages = append(c.req.Messages, model.Message{Role: model.RoleUser, Text: text})
	return c.ask(c.Context())
}

// results answers the calls of the last answer and asks again.
func (c *conversation) results(texts ...string) string {
	c.Helper()
	calls := c.req.Messages[len(c.req.Messages)-1].Calls
	if len(calls) != len(texts) {
		c.Fatalf("%d calls, %d results", len(calls), len(texts))
	}
	for i, text := range texts {
		c.req.Messages = append(c.req.Messages, model.Message{Role: model.RoleTool, CallID: calls[i].ID, Text: text, IsError: text == "failed"})
	}
	c.req.Step++
	return c.ask(c.Context())
}

func (c *conversation) ask(ctx context.Context) string {
	c.Helper()
	answer := model.Message{Role: model.RoleAssistant}
	var parts []string
	for chunk, err := range c.model.Stream(ctx, &c.req) {
		if err != nil {
			return strings.Join(append(parts, "error "+err.Error()), " | ")
		}
		switch {
		case chunk.Thought != "":
			parts = append(parts, "("+chunk.Thought+")")
		case chunk.Text != "":
			parts = append(parts, chunk.Text)
		case chunk.Call != nil:
			answer.Calls = append(answer.Calls, *chunk.Call)
			parts = append(parts, fmt.Sprintf("%s %s%s", chunk.Call.ID, chunk.Call.Name, chunk.Call.Args))
		}
		if chunk.Usage != nil {
			parts = append(parts, fmt.Sprintf("usage %d/%d", chunk.Usage.ContextUsed, chunk.Usage.ContextSize))
		}
		if chunk.End != "" {
			parts = append(parts, "end "+string(chunk.End))
		}
	}
	c.req.Messages = append(c.req.Messages, answer)
	return strings.Join(parts, " | ")
}

func equal(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestAC81_ModelsOnOffer(t *testing.T) {
	t.Parallel()
	list, err := offline.New(nil)
	if err != nil || len(list) != 2 {
		t.Fatalf("got %v, %v", list, err)
	}
	echo, scripted := list[0], list[1]
	if echo.Value() != "offline/echo" || echo.Efforts != nil || echo.Vision {
		t.Errorf("got %+v", echo)
	}
	if scripted.Value() != "offline/scripted" || len(scripted.Efforts) != 3 || scripted.DefaultEffort != "" {
		t.Errorf("got %+v", scripted)
	}
	c := entries(t, "models: [{id: small, name: Small, efforts: [low, high], defaultEffort: low, contextSize: 8000}, {id: seer, vision: true}]\nturns: []")
	small, ok := c.Find("offline/small")
	small.Model = nil
	if want := (model.Entry{Provider: "offline", ID: "small", Name: "Small", Efforts: []string{"low", "high"}, DefaultEffort: "low", ContextSize: 8000}); !ok || !cmp.Equal(small, want) {
		t.Errorf("got %+v, want %+v", small, want)
	}
	if seer, ok := c.Find("offline/seer"); !ok || !seer.Vision || seer.Efforts != nil {
		t.Errorf("got %+v", seer)
	}
}

func TestEcho(t *testing.T) {
	t.Parallel()
	c := talk(t, "", "offline/echo")
	equal(t, c.prompt("one"), "one | end stop")
	equal(t, c.prompt("two\n"), "two\n | end stop")
	equal(t, c.prompt(""), "end stop")
}

func TestScriptedTurn(t *testing.T) {
	t.Parallel()
	c := talk(t, `
turns:
  - steps:
      - thought: [look, ing]
        text: [a, b]
        calls: [{tool: read_file, args: {path: go.mod, line: 3, z: {b: [1.5, true, null], a: 2024-01-01}}}, {tool: list_dir}]
        todos: [{content: x, status: pending}]
        usage: {input: 1, output: 2, contextUsed: 3, contextSize: 4}
      - echo: '.results | map(.tool + "=" + .text) | join(",")'
`, "offline/scripted")
	equal(t, c.prompt("go"), `(look) | (ing) | a | b | call_1_1_1 read_file{"path":"go.mod","line":3,"z":{"b":[1.5,true,null],"a":"2024-01-01"}} | call_1_1_2 list_dir{} | call_1_1_3 todo_write{"todos":[{"content":"x","status":"pending"}]} | usage 3/4 | end tool_calls`)
	equal(t, c.results("A", "B", "C"), "read_file=A,list_dir=B,todo_write=C | end stop")
	equal(t, c.results(), "end stop")
	equal(t, c.prompt("again"), "error the script has no turn left that fits the prompt")
}

func TestTurnsAreChosenByPromptAndModel(t *testing.T) {
	t.Parallel()
	script := `
models: [{id: small}]
turns:
  - {when: test("lint"), steps: [{text: linted}]}
  - {model: small, steps: [{text: small speaks}]}
  - {when: 'test("many")', repeat: true, steps: [{echo: '"\(.turn) \(.model) \(.effort) \(.images)"'}]}
  - {steps: [{text: first rest}]}
  - {steps: [{text: second rest}]}
`
	c := talk(t, script, "offline/scripted")
	c.req.Effort = "low"
	for _, step := range [][2]string{
		{"other", "first rest | end stop"},
		{"many", "2 scripted low 0 | end stop"},
		{"please lint", "linted | end stop"},
		{"many", "4 scripted low 0 | end stop"},
		{"lint", "second rest | end stop"},
		{"lint", "error the script has no turn left that fits the prompt"},
	} {
		equal(t, c.prompt(step[0]), step[1])
	}
	small := talk(t, script, "offline/small")
	equal(t, small.prompt("x"), "small speaks | end stop")
	equal(t, small.prompt("x"), "first rest | end stop")
}

func TestSessionsPlayOnTheirOwn(t *testing.T) {
	t.Parallel()
	c := talk(t, "turns: [{steps: [{text: one}, {text: two}]}]", "offline/scripted")
	equal(t, c.prompt("x"), "one | end stop")
	c.req.Session = "other"
	equal(t, c.ask(t.Context()), "one | end stop")
	c.req.Session = "s"
	equal(t, c.ask(t.Context()), "two | end stop")
}

func TestStepsAreChosenByResults(t *testing.T) {
	t.Parallel()
	script := `
turns:
  - steps:
      - calls: [{tool: read_file}]
      - {when: '.results[0].isError', text: sorry}
      - {when: '.results[0].text | test("module")', text: a module}
      - text: the rest
`
	for result, want := range map[string]string{"failed": "sorry", "module x": "a module", "else": "the rest"} {
		c := talk(t, script, "offline/scripted")
		c.prompt("x")
		equal(t, c.results(result), want+" | end stop")
	}
}

func TestErrorsAndEndings(t *testing.T) {
	t.Parallel()
	c := talk(t, `
turns:
  - steps:
      - text: half an ans
        error: {reason: provider_rate_limited, message: slow down, retryable: true, retryAfter: 3s}
      - {text: whole answer, end: max_tokens}
      - {end: refusal}
      - {text: x, end: strange}
      - {calls: [{tool: t}], end: end_turn}
      - error: {reason: provider_auth}
`, "offline/scripted")
	equal(t, c.prompt("x"), "half an ans | error slow down")
	for _, err := range streamOf(c.model, model.Request{Session: "second", Turn: 1, Step: 1}) {
		if failed, ok := errors.AsType[*model.Error](err); ok {
			if want := (model.Error{Reason: "provider_rate_limited", Message: "slow down", Retryable: true, RetryAfter: 3 * time.Second}); *failed != want {
				t.Errorf("got %+v, want %+v", *failed, want)
			}
		}
	}
	equal(t, c.ask(t.Context()), "whole answer | end max_tokens")
	equal(t, c.ask(t.Context()), "end refusal")
	equal(t, c.ask(t.Context()), "x | end strange")
	equal(t, c.ask(t.Context()), "call_1_1_1 t{} | end stop")
	equal(t, c.ask(t.Context()), "error provider_auth")
	equal(t, talk(t, "", "offline/scripted").prompt("x"), "error there is no script for this model to play")
}

func streamOf(m model.Model, req model.Request) []error {
	var list []error
	for _, err := range m.Stream(context.Background(), &req) {
		list = append(list, err)
	}
	return list
}

func TestExpressionsThatFailEndTheTurn(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"turns: [{when: '1 + .', steps: []}]":                   "error turn 1 of the script: when:",
		"turns: [{steps: [{when: '.turn | test(\"x\")'}]}]":     "error step 1 of the scripted turn: when:",
		"turns: [{steps: [{echo: '.turn'}]}]":                   "error echo: the expression must give a string, not int",
		"turns: [{steps: [{echo: 'error(\"none\")', end: x}]}]": "error echo: error: none",
	} {
		if got := talk(t, script, "offline/scripted").prompt("x"); !strings.HasPrefix(got, want) {
			t.Errorf("%s:\n got %s\nwant %s...", script, got, want)
		}
	}
}

func TestDelaysTakeTheirTimeAndEndWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := talk(t, "turns: [{repeat: true, steps: [{delay: 1m, chunkDelay: 1s, thought: a, text: [b, c]}]}]", "offline/scripted")
		start := time.Now()
		equal(t, c.prompt("x"), "(a) | b | c | end stop")
		if got, want := time.Since(start), 62*time.Second; got != want {
			t.Errorf("took %v, want %v", got, want)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 61500*time.Millisecond)
		defer cancel()
		c.req.Turn++
		equal(t, c.ask(ctx), "(a) | b | error context deadline exceeded")
		equal(t, c.ask(ctx), "error context deadline exceeded")
	})
}

func TestStoppingEarlyIsNoError(t *testing.T) {
	t.Parallel()
	c := talk(t, "turns: [{steps: [{text: [a, b]}, {text: c}]}]", "offline/scripted")
	c.req.Turn = 1
	for chunk, err := range c.model.Stream(t.Context(), &c.req) {
		if err != nil || chunk.Text != "a" {
			t.Errorf("got %q, %v", chunk.Text, err)
		}
		break
	}
	equal(t, c.ask(t.Context()), "c | end stop")
}

// The script in the documentation is what the documentation says it is.
func TestDocumentedScript(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../../docs/scripted-model.md")
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(doc), "```yaml\n")
	script, _, _ = strings.Cut(script, "```")
	c := talk(t, script, "offline/small")
	equal(t, c.prompt("Look at go.mod"), `(I read the file first.) | I will read the file. | call_1_1_1 read_file{"path":"go.mod"} | call_1_1_2 todo_write{"todos":[{"content":"read the file","status":"in_progress"}]} | usage 160/8000 | end tool_calls`)
	equal(t, c.results("module x", "ok"), "The module  | was  | found. | end stop")
	equal(t, c.prompt("hello"), "Half an ans | error try later")
	equal(t, c.ask(t.Context()), "model small, turn 2: hello | end stop")
	failed := talk(t, script, "offline/seer")
	failed.prompt("Look at go.mod")
	equal(t, failed.results("failed", "ok"), "There is no such file. | end refusal")
}
