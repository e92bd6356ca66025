package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// strategyForm is the form of field case F07.
const strategyForm = `{"type":"object","properties":{` +
	`"strategy":{"type":"string","title":"Strategy","enum":["careful","bold"]},` +
	`"count":{"type":"integer","minimum":1,"maximum":5,"default":2}},"required":["strategy"]}`

// asking runs one turn in which the agent asks, and returns its answer.
func askedOnce(t *testing.T, opts *Options, method, params string) (answer frame, turn Turn, err error) {
	t.Helper()
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.request("5", method, params)
		answer = p.expect("")
		p.endTurn(prompt)
	})
	turn, err = s.Prompt(t.Context(), say("hi"))
	return answer, turn, err
}

func elicit(schema string) string {
	return `{"sessionId":"s-1","mode":"form","message":"How?","requestedSchema":` + schema + `}`
}

// accepting answers every question with this content.
func accepting(content map[string]any) func(context.Context, *event.Question) Answer {
	return func(context.Context, *event.Question) Answer {
		return Answer{Action: ActionAccept, Content: content, By: "rule", Rule: "how", At: "r.yaml:9"}
	}
}

func TestF07_FormQuestion(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		content map[string]any
		want    string
		refused string
	}{
		{"fits", map[string]any{"strategy": "bold"}, `{"action":"accept","content":{"count":2,"strategy":"bold"}}`, ""},
		{"no option", map[string]any{"strategy": "reckless"}, `{"action":"cancel"}`, `"reckless" is none of its options`},
		{"text for a number", map[string]any{"strategy": "bold", "count": "3"}, `{"action":"cancel"}`, "is not a number"},
		{"nothing", map[string]any{}, `{"action":"cancel"}`, "is required"},
		{"unknown field", map[string]any{"strategy": "bold", "mood": "good"}, `{"action":"cancel"}`, `no field "mood"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts, rec := options()
			opts.Answer = accepting(tc.content)
			answer, turn, err := askedOnce(t, opts, "elicitation/create", elicit(strategyForm))
			if err != nil || string(answer.Result) != tc.want {
				t.Errorf("answered %s, want %s; error %v", answer.raw, tc.want, err)
			}
			q := only[event.Question](t, rec)
			if q.Message != "How?" || q.Rule != "how" || q.At != "r.yaml:9" || !strings.Contains(q.Error, tc.refused) || (q.Error == "") != (tc.refused == "") {
				t.Errorf("question event %+v", q)
			}
			if (turn.Question != nil) != (tc.refused != "") {
				t.Errorf("result's question %+v", turn.Question)
			}
			if len(q.Fields) != 2 || q.Fields[0].Name != "strategy" || !q.Fields[0].Required || len(q.Fields[0].Options) != 2 || string(q.Fields[1].Default) != "2" {
				t.Errorf("fields %+v", q.Fields)
			}
		})
	}
}

func TestCT44_RequestsAreChecked(t *testing.T) {
	t.Parallel()
	question := func(q string) string { return `{"sessionId":"s-1","questions":[` + q + `]}` }
	many := func(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	numbered := func(n int) string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf(`{"label":"%d"}`, i))
		}
		return strings.Join(out, ",")
	}
	text := func(n int) string { return strings.Repeat("é", n) }
	for _, tc := range []struct {
		name, method, params string
		ok                   bool
	}{
		{"url mode", "elicitation/create", `{"sessionId":"s-1","mode":"url","url":"https://x","elicitationId":"1","message":"m"}`, false},
		{"no mode", "elicitation/create", `{"sessionId":"s-1","message":"m","requestedSchema":{}}`, false},
		{"no schema", "elicitation/create", `{"sessionId":"s-1","mode":"form","message":"m"}`, false},
		{"array schema", "elicitation/create", elicit(`{"type":"array"}`), false},
		{"list of properties", "elicitation/create", elicit(`{"type":"object","properties":[]}`), false},
		{"no session", "elicitation/create", `{"mode":"form","message":"m","requestedSchema":{}}`, false},
		{"form", "elicitation/create", elicit(strategyForm), true},
		{"batch", "_chrys/request_input", question(`{"question":"q","header":"h","multiSelect":false,"options":[{"label":"a","description":"d"}]}`), true},
		{"bare name", "chrys/request_input", question(`{"question":"q"}`), true},
		{"meta", "_chrys/request_input", `{"sessionId":"s-1","requestId":"r","callerName":"c","_meta":{"x":1},"questions":[{"question":"q"}]}`, true},
		{"unknown field", "_chrys/request_input", question(`{"question":"q","colour":"red"}`), false},
		{"unknown field on top", "_chrys/request_input", `{"sessionId":"s-1","extra":1,"questions":[{"question":"q"}]}`, false},
		{"wrong type", "_chrys/request_input", question(`{"question":"q","multiSelect":"no"}`), false},
		{"blank question", "_chrys/request_input", question(`{"question":" "}`), false},
		{"blank label", "_chrys/request_input", question(`{"question":"q","options":[{"label":""}]}`), false},
		{"label twice", "_chrys/request_input", question(`{"question":"q","options":[{"label":"a"},{"label":"a"}]}`), false},
		{"no question", "_chrys/request_input", question(``), false},
		{"no session id", "_chrys/request_input", `{"questions":[{"question":"q"}]}`, false},
		{"10 questions", "_chrys/request_input", question(many(10, `{"question":"q"}`)), true},
		{"11 questions", "_chrys/request_input", question(many(11, `{"question":"q"}`)), false},
		{"20 options", "_chrys/request_input", question(`{"question":"q","options":[` + numbered(20) + `]}`), true},
		{"21 options", "_chrys/request_input", question(`{"question":"q","options":[` + numbered(21) + `]}`), false},
		{"long question", "_chrys/request_input", question(`{"question":"` + text(2000) + `"}`), true},
		{"too long question", "_chrys/request_input", question(`{"question":"` + text(2001) + `"}`), false},
		{"long header", "_chrys/request_input", question(`{"question":"q","header":"` + text(80) + `"}`), true},
		{"too long header", "_chrys/request_input", question(`{"question":"q","header":"` + text(81) + `"}`), false},
		{"long label", "_chrys/request_input", question(`{"question":"q","options":[{"label":"` + text(200) + `"}]}`), true},
		{"too long label", "_chrys/request_input", question(`{"question":"q","options":[{"label":"` + text(201) + `"}]}`), false},
		{"long description", "_chrys/request_input", question(`{"question":"q","options":[{"label":"a","description":"` + text(1000) + `"}]}`), true},
		{"too long description", "_chrys/request_input", question(`{"question":"q","options":[{"label":"a","description":"` + text(1001) + `"}]}`), false},
		{"too many bytes", "_chrys/request_input", `{"sessionId":"s-1","callerName":"` + strings.Repeat("x", 64<<10) + `","questions":[{"question":"q"}]}`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts, _ := options()
			opts.Answer = func(context.Context, *event.Question) Answer { return Answer{Action: ActionDecline} }
			answer, _, err := askedOnce(t, opts, tc.method, tc.params)
			if err != nil {
				t.Fatal(err)
			}
			if refused := answer.Error != nil && answer.Error.Code == jsonrpc.CodeInvalidParams; refused == tc.ok {
				t.Errorf("answered %.200s", answer.raw)
			}
		})
	}
}

func TestCT45_BatchAnswers(t *testing.T) {
	t.Parallel()
	const batch = `{"sessionId":"s-1","requestId":"r","callerName":"coder","questions":[` +
		`{"question":"Which?","header":"Framework","options":[{"label":"stdlib"},{"label":"Testify"}]},` +
		`{"question":"Where?","multiSelect":true,"options":[{"label":"a"},{"label":"b"}]},` +
		`{"question":"Why?"}]}`
	type content = map[string]any
	for _, tc := range []struct {
		name    string
		content content
		want    string // the answers; empty: refused
		refused string
	}{
		{"all", content{"q1": "stdlib", "q2": []string{"a", "b"}, "q3": "since"}, `[{"values":["stdlib"]},{"values":["a","b"]},{"values":["since"]}]`, ""},
		{"case", content{"q1": "testify"}, `[{"values":["Testify"]},{"values":[]},{"values":[]}]`, ""},
		{"own words", content{"q1": "something else"}, `[{"values":["something else"]},{"values":[]},{"values":[]}]`, ""},
		{"own words by name", content{"q1_other": "mine"}, `[{"values":["mine"]},{"values":[]},{"values":[]}]`, ""},
		{"note", content{"q1": "stdlib", "q1_note": "please"}, `[{"values":["stdlib"],"note":"please"},{"values":[]},{"values":[]}]`, ""},
		{"two for one", content{"q1": []any{"stdlib", "Testify"}}, "", "only one value"},
		{"same twice", content{"q2": []any{"a", "a"}}, "", "given twice"},
		{"blank", content{"q3": " "}, "", "blank"},
		{"own words among several", content{"q2": []any{"a", "zzz"}}, "", "offered label"},
		{"note alone", content{"q1_note": "please"}, "", "a note needs a choice"},
		{"note on own words", content{"q1": "mine", "q1_note": "please"}, "", "a note needs a choice"},
		{"both", content{"q1": "stdlib", "q1_other": "mine"}, "", "cannot both"},
		{"number", content{"q1": 3}, "", "is not text"},
		{"unknown", content{"q4": "x"}, "", `no field "q4"`},
		{"nothing", content{}, "", "no value"},
		{"too long value", content{"q3": strings.Repeat("x", 16<<10+1)}, "", "at most"},
		{"too long note", content{"q1": "stdlib", "q1_note": strings.Repeat("x", 4<<10+1)}, "", "at most"},
		{"one bad voids all", content{"q1": "stdlib", "q2": []any{"a", "zzz"}, "q3": "since"}, "", "field q2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts, rec := options()
			opts.Answer = accepting(tc.content)
			want := `{"answers":` + tc.want + `,"cancelled":false}`
			if tc.want == "" {
				want = `{"answers":[],"cancelled":true}`
			}
			answer, _, err := askedOnce(t, opts, "_chrys/request_input", batch)
			if err != nil || string(answer.Result) != want {
				t.Errorf("answered %.300s\nwant %.300s; error %v", answer.raw, want, err)
			}
			q := only[event.Question](t, rec)
			if !strings.Contains(q.Error, tc.refused) || (q.Error == "") != (tc.want != "") {
				t.Errorf("question's error %q, want %q", q.Error, tc.refused)
			}
			if len(q.Fields) != 3 || q.Fields[0].Name != "q1" || q.Fields[0].Title != "Framework" || q.Fields[1].Type != "array" || q.Fields[2].Options != nil {
				t.Errorf("fields %+v", q.Fields)
			}
		})
	}
}

func TestCT45_RefusedAnswerFallsBack(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ fallback, want, action string }{
		{ActionDecline, `{"action":"decline"}`, "decline"},
		{ActionCancel, `{"action":"cancel"}`, "cancel"},
		{ActionAccept, `{"action":"cancel"}`, "cancel"},
	} {
		t.Run(tc.fallback, func(t *testing.T) {
			t.Parallel()
			opts, rec := options()
			var reasons []string
			opts.Answer = func(_ context.Context, q *event.Question) Answer {
				reasons = append(reasons, q.Error)
				if q.Error == "" {
					return Answer{Action: ActionAccept, Content: map[string]any{"strategy": "reckless"}}
				}
				return Answer{Action: tc.fallback, Content: map[string]any{"strategy": "bold"}}
			}
			answer, _, err := askedOnce(t, opts, "elicitation/create", elicit(strategyForm))
			if err != nil || string(answer.Result) != tc.want {
				t.Errorf("answered %s: %v", answer.raw, err)
			}
			if len(reasons) != 2 || reasons[0] != "" || !strings.Contains(reasons[1], "reckless") {
				t.Errorf("asked with reasons %q", reasons)
			}
			if q := only[event.Question](t, rec); q.Action != tc.action || !strings.Contains(q.Error, "reckless") {
				t.Errorf("question event %+v", q)
			}
		})
	}
}

func TestCT46_Keywords(t *testing.T) {
	t.Parallel()
	type values = []string // JSON
	for _, tc := range []struct {
		schema       string
		good, refuse values
	}{
		{`{"type":"string"}`, values{`"x"`}, values{`1`, `true`, `["x"]`}},
		{`{"type":"string","minLength":2}`, values{`"éé"`}, values{`"a"`}},
		{`{"type":"string","maxLength":2}`, values{`"éé"`}, values{`"abc"`}},
		{`{"type":"string","pattern":"^v[0-9]+$"}`, values{`"v12"`}, values{`"12"`}},
		{`{"type":"string","pattern":"(?=x)"}`, nil, values{`"x"`}},
		{`{"type":"string","format":"email"}`, values{`"a@b.c"`}, values{`"x"`, `"A <a@b.c>"`}},
		{`{"type":"string","format":"uri"}`, values{`"https://x/y"`}, values{`"x y"`, `"/rel"`}},
		{`{"type":"string","format":"date"}`, values{`"2024-02-29"`}, values{`"2023-02-29"`}},
		{`{"type":"string","format":"date-time"}`, values{`"2024-02-29T10:00:00Z"`}, values{`"2024-02-29"`}},
		{`{"type":"string","format":"colour"}`, values{`"red"`}, nil},
		{`{"type":"string","enum":["a","b"]}`, values{`"a"`, `"B"`}, values{`"c"`}},
		{`{"type":"string","oneOf":[{"const":"a","title":"First"}]}`, values{`"a"`, `"First"`, `"first"`}, values{`"c"`}},
		{`{"type":"string","anyOf":[{"const":"a","title":"First"}]}`, values{`"a"`}, values{`"c"`}},
		{`{"type":"integer"}`, values{`3`, `3.0`, `-1`}, values{`3.5`, `"3"`, `true`, `1e300`}},
		{`{"type":"integer","minimum":2}`, values{`2`}, values{`1`}},
		{`{"type":"integer","maximum":2}`, values{`2`}, values{`3`}},
		{`{"type":"number"}`, values{`3.5`}, values{`"3"`}},
		{`{"type":"number","minimum":0.5,"maximum":1.5}`, values{`0.5`, `1.5`}, values{`0.4`, `1.6`}},
		{`{"type":"boolean"}`, values{`true`, `false`}, values{`"true"`, `1`}},
		{`{"type":"array","items":{"enum":["a","b"]}}`, values{`["a","b"]`, `"a"`}, values{`["c"]`, `[1]`, `["a","a"]`}},
		{`{"type":"array","items":{"anyOf":[{"const":"a","title":"First"}]}}`, values{`["First"]`}, values{`["c"]`}},
		{`{"type":"array","minItems":2,"items":{"enum":["a","b"]}}`, values{`["a","b"]`}, values{`["a"]`}},
		{`{"type":"array","maxItems":1,"items":{"enum":["a","b"]}}`, values{`["a"]`}, values{`["a","b"]`}},
		{`{"type":"color"}`, nil, values{`"red"`}},
		{`{"type":"string","minLength":"two"}`, nil, values{`"x"`}},
	} {
		form, err := readForm(json.RawMessage(`{"type":"object","properties":{"f":` + tc.schema + `},"required":["f"]}`))
		if err != nil {
			t.Errorf("%s: %v", tc.schema, err)
			continue
		}
		try := func(value string) error {
			_, _, err := form.fit(map[string]any{"f": json.RawMessage(value)})
			return err
		}
		for _, v := range tc.good {
			if err := try(v); err != nil {
				t.Errorf("%s refuses %s: %v", tc.schema, v, err)
			}
		}
		for _, v := range tc.refuse {
			if try(v) == nil {
				t.Errorf("%s accepts %s", tc.schema, v)
			}
		}
	}
}

func TestCT46_FormsAsAWhole(t *testing.T) {
	t.Parallel()
	const withCompanions = `{"type":"object","properties":{` +
		`"q1":{"type":"string","oneOf":[{"const":"s","title":"Stdlib"}]},"q1_other":{"type":"string"},"q1_note":{"type":"string"},` +
		`"q2":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}},"q2_other":{"type":"string"},"free_note":{"type":"string"}}}`
	type content = map[string]any
	for _, tc := range []struct {
		name, schema string
		answer       content
		want         string // content; empty: refused
	}{
		{"default fills in", `{"properties":{"a":{"type":"string","default":"x"},"b":{"type":"boolean"}}}`, content{"b": true}, `{"a":"x","b":true}`},
		{"default alone", `{"properties":{"a":{"type":"string","default":"x"}}}`, content{}, `{"a":"x"}`},
		{"null default", `{"properties":{"a":{"type":"string","default":null},"b":{"type":"string"}}}`, content{"b": "y"}, `{"b":"y"}`},
		{"bad default", `{"properties":{"a":{"type":"integer","default":"x"}}}`, content{}, ``},
		{"required", `{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}`, content{"b": "y"}, ``},
		{"unknown type left out", `{"properties":{"a":{"type":"color"},"b":{"type":"string"}}}`, content{"b": "y"}, `{"b":"y"}`},
		{"unknown type required", `{"properties":{"a":{"type":"color"},"b":{"type":"string"}},"required":["a"]}`, content{"b": "y"}, ``},
		{"no fields", `{}`, content{}, `{}`},
		{"label", withCompanions, content{"q1": "Stdlib"}, `{"q1":"s"}`},
		{"own words", withCompanions, content{"q1": "mine"}, `{"q1_other":"mine"}`},
		{"own words for a list", withCompanions, content{"q2": "mine"}, `{"q2_other":"mine"}`},
		{"list", withCompanions, content{"q2": []string{"A"}}, `{"q2":["a"]}`},
		{"note", withCompanions, content{"q1": "s", "q1_note": "why"}, `{"q1":"s","q1_note":"why"}`},
		{"note alone", withCompanions, content{"q1_note": "why"}, ``},
		{"choice and own words", withCompanions, content{"q1": "s", "q1_other": "mine"}, ``},
		{"no companion", withCompanions, content{"free_note": "x"}, `{"free_note":"x"}`},
		{"null is absent", withCompanions, content{"q1": nil}, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			form, err := readForm(json.RawMessage(tc.schema))
			if err != nil {
				t.Fatal(err)
			}
			_, got, err := form.fit(tc.answer)
			if string(got) != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("content %s, error %v; want %s", got, err, tc.want)
			}
		})
	}
}

func TestCompanionsAreMarked(t *testing.T) {
	t.Parallel()
	form, err := readForm(json.RawMessage(`{"properties":{"z":{"type":"string","enum":["x"]},"z_other":{"type":"string"},"a":{"type":"string"},"a_note":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range form.fields() {
		got = append(got, f.Name+">"+f.Companion)
	}
	if s := strings.Join(got, " "); s != "z> z_other>z a> a_note>" {
		t.Errorf("fields and what they go with: %s", s)
	}
}

func TestCT47_UnattendedQuestionEndsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, rec := options()
		s := session(t, opts, func(p *peer) {
			prompt := p.prompted()
			p.toolCall("t1", "make")
			p.request("5", "elicitation/create", `{"sessionId":"s-1","toolCallId":"t1","mode":"form","message":"How?","requestedSchema":`+strategyForm+`}`)
			if f := p.expect(""); string(f.Result) != `{"action":"cancel"}` {
				t.Errorf("answered %s", f.raw)
			}
			p.expect("session/cancel")
			p.reply(prompt, `{"stopReason":"cancelled"}`)
		})
		begin := time.Now()
		turn, err := s.Prompt(t.Context(), say("hi"))
		f := failure(t, err, event.ClassQuestion, "unanswered")
		if d := time.Since(begin); d > time.Second {
			t.Errorf("took %s", d)
		}
		if !strings.Contains(f.Message, "How?") || turn.Question == nil || turn.Question.Action != "stop" || turn.Question.ToolCallID != "t1" {
			t.Errorf("failure %+v, question %+v", f, turn.Question)
		}
		if got, want := rec.types(), "agent.start session.start turn.start tool.start question tool.end turn.end"; got != want {
			t.Errorf("events\n got %s\nwant %s", got, want)
		}
	})
}

func TestCT47_AnswerHasNoTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, _ := options()
		opts.Answer = func(context.Context, *event.Question) Answer {
			time.Sleep(24 * time.Hour)
			return Answer{Action: ActionAccept, Content: map[string]any{"strategy": "Bold"}}
		}
		answer, _, err := askedOnce(t, opts, "elicitation/create", elicit(strategyForm))
		if err != nil || !strings.Contains(answer.raw, `"bold"`) {
			t.Errorf("answered %s: %v", answer.raw, err)
		}
	})
}

func TestCT47_PeerCancelWithdrawsTheQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, rec := options()
		withdrawn := make(chan struct{})
		opts.Answer = func(ctx context.Context, _ *event.Question) Answer {
			<-ctx.Done()
			close(withdrawn)
			return Answer{Action: ActionAccept, Content: map[string]any{"strategy": "bold"}}
		}
		s := session(t, opts, func(p *peer) {
			prompt := p.prompted()
			p.request("5", "elicitation/create", elicit(strategyForm))
			p.notify("$/cancel_request", `{"requestId":5}`)
			if f := p.expect(""); f.Error == nil || f.Error.Code != jsonrpc.CodeCancelled {
				t.Errorf("answered %s", f.raw)
			}
			<-withdrawn
			p.endTurn(prompt)
		})
		if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
			t.Error(err)
		}
		if q := only[event.Question](t, rec); q.Action != "cancel" || q.Content != nil || q.Error == "" {
			t.Errorf("question event %+v", q)
		}
	})
}

func TestQuestionOutsideASessionIsCancelled(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	opts.Answer = accepting(map[string]any{"strategy": "bold"})
	answer, _, err := askedOnce(t, opts, "elicitation/create", `{"requestId":1,"mode":"form","message":"m","requestedSchema":`+strategyForm+`}`)
	if err != nil || string(answer.Result) != `{"action":"cancel"}` {
		t.Errorf("answered %s: %v", answer.raw, err)
	}
	if !warned(rec, "late_request") || len(bodies[event.Question](rec)) != 0 {
		t.Errorf("events %s", rec.types())
	}
}

func FuzzReadForm(f *testing.F) {
	f.Add(strategyForm, `{"strategy":"bold"}`)
	f.Add(`{"properties":{"a":{"type":"array","items":{"anyOf":[{"const":"x"}]},"minItems":-1}}}`, `{"a":["x","x"],"a_other":1}`)
	f.Add(`{"properties":{"a":{"type":"number","minimum":1e400}}}`, `{"a":1e999}`)
	f.Fuzz(func(t *testing.T, schema, answer string) {
		form, err := readForm(json.RawMessage(schema))
		if err != nil {
			return
		}
		var values map[string]any
		if json.Unmarshal([]byte(answer), &values) != nil {
			return
		}
		_, content, err := form.fit(values)
		if err != nil {
			return
		}
		again, err := form.content(decodeObject(t, content))
		if err != nil && len(form.properties) > 0 {
			t.Errorf("%s: accepted %s as %s, which it then refuses: %v", schema, answer, content, err)
		}
		if raw, _ := json.Marshal(again); err == nil && string(raw) != string(content) {
			t.Errorf("%s: %s became %s", schema, content, raw)
		}
	})
}

func decodeObject(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	v, err := plainValue(raw)
	m, ok := v.(map[string]any)
	if err != nil || !ok {
		t.Fatalf("content %s: %v", raw, err)
	}
	return m
}
