package agentcore

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/model"
)

// Capabilities of clients that can be asked.
const (
	formOnly  = `{"elicitation":{"form":{}}}`
	bothPaths = `{"elicitation":{"form":{},"url":{}},"_meta":{"chrys":{"version":1,"callbacks":["_chrys/request_input"]}}}`
	preferred = `{"elicitation":{"form":{}},"_meta":{"chrys":{"version":1,"callbacks":["_chrys/request_input"],"preferRequestInput":true}}}`
)

// threeQuestions are one of each kind.
const threeQuestions = `{"questions":[
 {"question":"Which one?","header":"One","options":[{"label":"a","description":"first"},{"label":"b"}]},
 {"question":"Which ones?","header":"Many","multiSelect":true,"options":[{"label":"c"},{"label":"d"}]},
 {"question":"Why?"}]}`

func asking(args string) *fake {
	return calling(model.Call{Name: "ask_user", Args: json.RawMessage(args)})
}

// asked plays a turn that asks, and returns what the model was told.
func asked(t *testing.T, f *fake, caps string, answer func(*frame) string) (model.Message, *peer) {
	t.Helper()
	p := start(t, &setup{Options: fakeOptions(f), init: caps, answer: answer})
	if got := p.prompt(p.session("/"), "go"); got != "end_turn" {
		t.Errorf("stop reason %q", got)
	}
	return f.seen()[1].Messages[3], p
}

func noResponse(m *model.Message) bool {
	return m.IsError && strings.HasPrefix(m.Text, "ask_user_no_response")
}

func TestEX30_OnePathIsChosen(t *testing.T) {
	t.Parallel()
	const form, callback = "elicitation/create", "_chrys/request_input"
	for _, tc := range []struct{ caps, want string }{
		{bothPaths, form},
		{formOnly, form},
		{optedIn, callback},
		{preferred, callback},
		{`{}`, ""},
		{`{"elicitation":{}}`, ""},
		{`{"elicitation":{"url":{}}}`, ""},
	} {
		// What fails on one path is not tried on the other.
		told, p := asked(t, asking(threeQuestions), tc.caps, func(*frame) string { return `"error":{"code":-32601,"message":"no"}` })
		var methods []string
		for _, f := range p.all() {
			if f.Method != "" && f.ID != nil {
				methods = append(methods, f.Method)
			}
		}
		if got := strings.Join(methods, " "); got != tc.want || !noResponse(&told) || ends(p) != "failed" {
			t.Errorf("%s: asked by %q, told %q; want %q and no response", tc.caps, got, told.Text, tc.want)
		}
	}
}

func TestAC79_NobodyCanBeAsked(t *testing.T) {
	t.Parallel()
	told, p := asked(t, asking(`{"questions":[{"question":"Why?"}]}`), `{}`, nil)
	if !noResponse(&told) || count(p, "elicitation/create") != 0 {
		t.Errorf("the model was told %q", told.Text)
	}
	form := func(*frame) string { return `"result":{"action":"accept","content":{"q1":"because"}}` }
	told, p = asked(t, asking(`{"questions":[{"question":"Why?"}]}`), formOnly, form)
	if want := `{"answers":[{"question":"Why?","values":["because"]}]}`; told.Text != want || told.IsError {
		t.Errorf("the model was told %q, want %s", told.Text, want)
	}
	var v struct{ SessionID, ToolCallID string }
	if err := json.Unmarshal(p.request("elicitation/create", 1).Params, &v); err != nil || v.SessionID != "sess_1" || v.ToolCallID != "call_1" {
		t.Errorf("the form belongs to %+v, %v", v, err)
	}
}

func TestAC80_NoSecretsAndNoURL(t *testing.T) {
	t.Parallel()
	f := asking(`{"questions":[{"question":"Why?"}]}`)
	_, p := asked(t, f, bothPaths, func(*frame) string { return `"result":{"action":"decline"}` })
	if raw := p.request("elicitation/create", 1).raw; !strings.Contains(raw, `"mode":"form"`) || strings.Contains(raw, `"url"`) {
		t.Errorf("asked by %s", raw)
	}
	request := f.seen()[0]
	texts := []string{request.Messages[0].Text}
	for _, spec := range request.Tools {
		if spec.Name == "ask_user" {
			texts = append(texts, spec.Description)
		}
	}
	if len(texts) != 2 || !strings.Contains(texts[0], "credentials") || !strings.Contains(texts[1], "credentials") {
		t.Errorf("the model is not told to leave credentials alone: %q", texts)
	}
}

// sameJSON compares JSON texts by value.
func sameJSON(t *testing.T, what, want string, got json.RawMessage) {
	t.Helper()
	var w, g any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestEX31_WholeBatchInOneCallback(t *testing.T) {
	t.Parallel()
	f := calling(model.Call{Name: "ask_user", Args: []byte(threeQuestions)}, model.Call{Name: "ask_user", Args: []byte(threeQuestions)})
	p := start(t, &setup{Options: fakeOptions(f), init: optedIn, answer: func(*frame) string { return `"result":{"cancelled":true}` }})
	s := p.session("/")
	for n, id := range []string{"ask_1", "ask_2"} {
		p.prompt(s, "go")
		sameJSON(t, "params", `{"sessionId":"sess_1","requestId":"`+id+`","callerName":"acpctl","questions":[
 {"question":"Which one?","header":"One","multiSelect":false,"options":[{"label":"a","description":"first"},{"label":"b","description":""}]},
 {"question":"Which ones?","header":"Many","multiSelect":true,"options":[{"label":"c","description":""},{"label":"d","description":""}]},
 {"question":"Why?","header":"","multiSelect":false,"options":[]}]}`, p.request("_chrys/request_input", n+1).Params)
	}
}

// oneQuestion is a batch of one; each part is so many characters long.
func oneQuestion(text, header int, options ...[2]int) string {
	q := question{Question: strings.Repeat("é", text), Header: strings.Repeat("é", header)}
	for i, o := range options {
		label := fmt.Sprintf("%02d", i) + strings.Repeat("é", o[0]-2)
		q.Options = append(q.Options, inputOption{Label: label, Description: strings.Repeat("é", o[1])})
	}
	raw, _ := json.Marshal(batch{Questions: []question{q}})
	return string(raw)
}

func TestEX32_Caps(t *testing.T) {
	t.Parallel()
	many := func(n int) string {
		return `{"questions":[` + strings.Repeat(`{"question":"x"},`, n-1) + `{"question":"x"}]}`
	}
	whole := func(size int) string {
		b := batch{Questions: make([]question, 10)}
		for i := range b.Questions {
			b.Questions[i] = question{Question: "x", Options: make([]inputOption, 8)}
			for n := range b.Questions[i].Options {
				b.Questions[i].Options[n].Label = fmt.Sprint(n)
			}
		}
		empty, _ := json.Marshal(b)
		for rest, n := size-len(empty), 0; rest > 0; n++ {
			use := min(rest, 1000)
			b.Questions[n%10].Options[n/10].Description = strings.Repeat("x", use)
			rest -= use
		}
		raw, _ := json.Marshal(b)
		return string(raw)
	}
	for _, tc := range []struct {
		name, args string
		ok         bool
	}{
		{"all at their limit", oneQuestion(2000, 80, [2]int{200, 1000}), true},
		{"long question", oneQuestion(2001, 80), false},
		{"long header", oneQuestion(1, 81), false},
		{"long label", oneQuestion(1, 1, [2]int{201, 1}), false},
		{"long description", oneQuestion(1, 1, [2]int{2, 1001}), false},
		{"20 options", oneQuestion(1, 1, make20(20)...), true},
		{"21 options", oneQuestion(1, 1, make20(21)...), false},
		{"10 questions", many(10), true},
		{"11 questions", many(11), false},
		{"no question", `{"questions":[]}`, false},
		{"nothing", `{}`, false},
		{"whole batch", whole(maxBatchBytes), true},
		{"larger batch", whole(maxBatchBytes + 1), false},
		{"blank question", `{"questions":[{"question":" \n"}]}`, false},
		{"blank label", `{"questions":[{"question":"x","options":[{"label":" "}]}]}`, false},
		{"same label", `{"questions":[{"question":"x","options":[{"label":"a"},{"label":"a"}]}]}`, false},
		{"unknown field", `{"questions":[{"question":"x","colour":1}]}`, false},
		{"unknown root field", `{"questions":[{"question":"x"}],"title":1}`, false},
		{"wrong type", `{"questions":[{"question":1}]}`, false},
		{"wrong nested type", `{"questions":[{"question":"x","options":["a"]}]}`, false},
		{"two values", `{"questions":[{"question":"x"}]} {}`, false},
		{"no JSON", `{`, false},
	} {
		if _, err := readBatch(json.RawMessage(tc.args)); (err == nil) != tc.ok {
			t.Errorf("%s (%d bytes): %v, want ok %v", tc.name, len(tc.args), err, tc.ok)
		}
	}
}

func make20(n int) [][2]int {
	list := make([][2]int, n)
	for i := range list {
		list[i] = [2]int{2, 0}
	}
	return list
}

func TestEX32_ModelCanCorrectItsQuestions(t *testing.T) {
	t.Parallel()
	told, p := asked(t, asking(`{"questions":[{"question":" "}]}`), formOnly, nil)
	if !told.IsError || !strings.Contains(told.Text, "question 1: the question is blank") || count(p, "elicitation/create") != 0 {
		t.Errorf("the model was told %q", told.Text)
	}
}

func TestEX35_WaitsAsLongAsItTakes(t *testing.T) {
	t.Parallel()
	for limit, want := range map[time.Duration]string{0: "late", time.Hour + time.Second: "late", time.Hour: "", 2 * time.Second: ""} {
		synctest.Test(t, func(t *testing.T) {
			f := asking(`{"questions":[{"question":"Why?"}]}`)
			st := setup{Options: fakeOptions(f), init: formOnly}
			st.AskUserTimeout = limit
			p := start(t, &st)
			begun := time.Now()
			id := p.send("session/prompt", promptParams(p.session("/"), "go"))
			question := p.request("elicitation/create", 1)
			if want == "" {
				p.response(id)
				if waited := time.Since(begun); waited != limit {
					t.Errorf("waited %v, want %v", waited, limit)
				}
				p.find("the withdrawal", func(f *frame) bool { return f.Method == "$/cancel_request" })
			} else {
				late := time.NewTimer(time.Hour)
				<-late.C
			}
			p.reply(question, `{"action":"accept","content":{"q1":"late"}}`)
			p.response(id)
			told := f.seen()[1].Messages[3]
			if noResponse(&told) != (want == "") || !strings.Contains(told.Text, want) {
				t.Errorf("limit %v: the model was told %q", limit, told.Text)
			}
		})
	}
}

func TestEX35_CancelEndsTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &setup{Options: fakeOptions(asking(threeQuestions)), init: formOnly})
		s := p.session("/")
		id := p.send("session/prompt", promptParams(s, "go"))
		question := p.request("elicitation/create", 1)
		p.notify("session/cancel", `{"sessionId":"`+s+`"}`)
		if got := stopReason(t, p.response(id)); got != "cancelled" || ends(p) != "failed" {
			t.Errorf("stop reason %q, call %s", got, ends(p))
		}
		p.find("the withdrawal", func(f *frame) bool {
			return f.Method == "$/cancel_request" && strings.Contains(f.raw, `"requestId":`+string(question.ID))
		})
	})
}

func TestEX36_Form(t *testing.T) {
	t.Parallel()
	_, p := asked(t, asking(threeQuestions), formOnly, func(*frame) string { return `"result":{"action":"decline"}` })
	sameJSON(t, "params", `{"sessionId":"sess_1","toolCallId":"call_1","mode":"form","message":"acpctl: 3 questions",
 "requestedSchema":{"type":"object","properties":{
  "q1":{"type":"string","title":"One","description":"Which one?","oneOf":[
   {"const":"a","title":"a","description":"first"},{"const":"b","title":"b","description":""}]},
  "q1_other":{"type":"string","title":"Own words","description":"instead of a choice"},
  "q1_note":{"type":"string","title":"Note","description":"to the choice"},
  "q2":{"type":"array","title":"Many","description":"Which ones?","maxItems":2,"items":{"anyOf":[
   {"const":"c","title":"c","description":""},{"const":"d","title":"d","description":""}]}},
  "q2_other":{"type":"string","title":"Own words","description":"instead of a choice"},
  "q2_note":{"type":"string","title":"Note","description":"to the choice"},
  "q3":{"type":"string","title":"","description":"Why?"}}}}`, p.request("elicitation/create", 1).Params)
	_, p = asked(t, asking(`{"questions":[{"question":"Why?"}]}`), formOnly, func(*frame) string { return `"result":{"action":"decline"}` })
	if raw := p.request("elicitation/create", 1).raw; !strings.Contains(raw, `"message":"acpctl: Why?"`) {
		t.Errorf("the form of one question is %s", raw)
	}
}

func TestEX38_CallbackByPreference(t *testing.T) {
	t.Parallel()
	answer := func(f *frame) string {
		if f.Method == "_chrys/request_input" {
			return `"result":{"answers":[{"values":["by callback"]}],"cancelled":false}`
		}
		return `"result":{"action":"accept","content":{"q1":"by form"}}`
	}
	for caps, want := range map[string]string{bothPaths: "by form", preferred: "by callback"} {
		told, _ := asked(t, asking(`{"questions":[{"question":"Why?"}]}`), caps, answer)
		if !strings.Contains(told.Text, want) {
			t.Errorf("%s: the model was told %q, want an answer %s", caps, told.Text, want)
		}
	}
}
