package agentcore

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEX33_Answers(t *testing.T) {
	t.Parallel()
	b, err := readBatch(json.RawMessage(threeQuestions))
	if err != nil {
		t.Fatal(err)
	}
	type list = []inputAnswer
	values := func(v ...string) inputAnswer { return inputAnswer{Values: v} }
	note := func(n string, v ...string) inputAnswer { return inputAnswer{Values: v, Note: n} }
	none := inputAnswer{}
	for _, tc := range []struct {
		name    string
		answers list
		ok      bool
	}{
		{"labels", list{values("a"), values("c", "d"), values("free")}, true},
		{"unanswered", list{none, none, none}, true},
		{"own words instead of a choice", list{values("z"), values("z"), none}, true},
		{"note to a choice", list{note("n", "a"), note("n", "c", "d"), none}, true},
		{"too few", list{values("a"), none}, false},
		{"too many", list{none, none, none, none}, false},
		{"none at all", nil, false},
		{"twice the same", list{none, values("c", "c"), none}, false},
		{"blank", list{values(" "), none, none}, false},
		{"empty value", list{none, none, values("")}, false},
		{"two of a single choice", list{values("a", "b"), none, none}, false},
		{"two texts", list{none, none, values("x", "y")}, false},
		{"own words among choices", list{none, values("c", "z"), none}, false},
		{"note alone", list{note("n"), none, none}, false},
		{"note to own words", list{note("n", "z"), none, none}, false},
		{"note to free text", list{none, none, note("n", "x")}, false},
		{"longest value", list{none, none, values(strings.Repeat("x", 16<<10))}, true},
		{"longer value", list{none, none, values(strings.Repeat("x", 16<<10+1))}, false},
		{"longest note", list{note(strings.Repeat("x", 4<<10), "a"), none, none}, true},
		{"longer note", list{note(strings.Repeat("x", 4<<10+1), "a"), none, none}, false},
	} {
		if err := b.check(tc.answers); (err == nil) != tc.ok {
			t.Errorf("%s: %v, want ok %v", tc.name, err, tc.ok)
		}
	}
}

func TestEX33_RawText(t *testing.T) {
	t.Parallel()
	for raw, ok := range map[string]bool{
		`{"q":"plain \u00e9 \\ud800 \n"}`:                 true,
		`{"q":"\ud83d\ude00"}`:                            true,
		`{"q":"\uD83D\uDE00x"}`:                           true,
		`{"q":"\ud800"}`:                                  false,
		`{"q":"\ud800x"}`:                                 false,
		`{"q":"\ud800\n"}`:                                false,
		`{"q":"\ud800\ud800\udc00"}`:                      false,
		`{"q":"\udc00"}`:                                  false,
		`{"q":"\\\udfff"}`:                                false,
		"{\"q\":\"\xff\"}":                                false,
		`"` + strings.Repeat("x", maxAnswerBytes-2) + `"`: true,
		`"` + strings.Repeat("x", maxAnswerBytes-1) + `"`: false,
	} {
		if err := checkText(json.RawMessage(raw)); (err == nil) != ok {
			t.Errorf("%.60s: %v, want ok %v", raw, err, ok)
		}
	}
}

func TestEX34_NoResponse(t *testing.T) {
	t.Parallel()
	const three = `{"values":["a"]},{"values":["c"]},`
	for _, members := range []string{
		`"result":{"cancelled":true,"answers":[` + three + `{"values":["x"]}]}`,
		`"result":{}`,
		`"result":null`,
		`"result":[]`,
		`"result":{"answers":null,"cancelled":false}`,
		`"result":{"answers":[` + three + `{"values":[" "]}]}`, // one bad answer voids all
		`"result":{"answers":[` + three + `{"values":["\ud800"]}]}`,
		`"result":{"answers":[` + three + `{"note":""}]}`,
		`"result":{"answers":[` + three + `{"values":null}]}`,
		`"result":{"answers":[` + three + `{"values":["x"],"colour":1}]}`,
		`"result":{"answers":[` + three + `{"values":[1]}]}`,
		`"result":{"answers":[` + three + `null]}`,
		`"error":{"code":-32603,"message":"secret of the client"}`,
	} {
		told, _ := asked(t, asking(threeQuestions), optedIn, func(*frame) string { return members })
		if !noResponse(&told) || strings.Contains(told.Text, "secret") {
			t.Errorf("%s: the model was told %q", members, told.Text)
		}
	}
	for _, members := range []string{
		`"result":{"action":"decline"}`, `"result":{"action":"cancel","content":{"q3":"x"}}`, `"result":{"action":"strange"}`,
		`"result":{"action":7}`, `"result":null`, `"error":{"code":-32603,"message":"no"}`,
		`"result":{"action":"accept","content":[]}`,
		`"result":{"action":"accept","content":{"q4":"x"}}`,
		`"result":{"action":"accept","content":{"q3_note":"x"}}`,
		`"result":{"action":"accept","content":{"q1":["a"]}}`,
		`"result":{"action":"accept","content":{"q2":"c"}}`,
		`"result":{"action":"accept","content":{"q3":7}}`,
		`"result":{"action":"accept","content":{"q1":"a","q1_other":"z"}}`,
		`"result":{"action":"accept","content":{"q1_note":"n"}}`,
		`"result":{"action":"accept","content":{"q1_other":" "}}`,
	} {
		told, _ := asked(t, asking(threeQuestions), formOnly, func(*frame) string { return members })
		if !noResponse(&told) {
			t.Errorf("%s: the model was told %q", members, told.Text)
		}
	}
}

func TestEX37_BothPathsGiveTheSame(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ form, input string }{
		{`{"q1":"a"}`, `{"values":["a"]},{"values":[]},{"values":[]}`},
		{`{"q1":"b","q1_note":"n"}`, `{"values":["b"],"note":"n"},{"values":[]},{"values":[]}`},
		{`{"q1_other":"own"}`, `{"values":["own"]},{"values":[]},{"values":[]}`},
		{`{"q1":"","q1_other":"own","q1_note":""}`, `{"values":["own"],"note":""},{"values":[]},{"values":[]}`},
		{`{"q2":["c"]}`, `{"values":[]},{"values":["c"]},{"values":[]}`},
		{`{"q2":["d","c"],"q2_note":"n"}`, `{"values":[]},{"values":["d","c"],"note":"n"},{"values":[]}`},
		{`{"q2":[],"q2_other":"own"}`, `{"values":[]},{"values":["own"]},{"values":[]}`},
		{`{"q3":"free"}`, `{"values":[]},{"values":[]},{"values":["free"]}`},
		{`{"q1":null,"q2":null,"q3":null}`, `{"values":[]},{"values":[]},{"values":[]}`},
		{`null`, `{"values":[]},{"values":[]},{"values":[]}`},
		{`{"q1":"a","q2":["c","d"],"q3":"x"}`, `{"values":["a"]},{"values":["c","d"]},{"values":["x"]}`},
	} {
		form, _ := asked(t, asking(threeQuestions), formOnly, func(*frame) string { return `"result":{"action":"accept","content":` + tc.form + `}` })
		input, _ := asked(t, asking(threeQuestions), optedIn, func(*frame) string { return `"result":{"answers":[` + tc.input + `],"cancelled":false}` })
		if form.IsError || form.Text != input.Text {
			t.Errorf("%s: the model is told\n%s by a form and\n%s by the callback", tc.form, form.Text, input.Text)
		}
	}
	told, _ := asked(t, asking(threeQuestions), formOnly, func(*frame) string { return `"result":{"action":"accept"}` })
	if n := strings.Count(told.Text, `"unanswered":true`); n != 3 {
		t.Errorf("without content the model is told %q", told.Text)
	}
}

// FuzzAnswer holds that what the model is told stands in the form as it came.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{`{"q1":"a","q2":["c"]}`, `{"q1_other":"\ud800"}`, `{"q3":"x"}`, `{`} {
		f.Add([]byte(seed))
	}
	b, err := readBatch(json.RawMessage(threeQuestions))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		content := object(raw)
		if checkText(raw) != nil || content == nil {
			return
		}
		answers, err := b.fromForm(content)
		if err != nil || b.check(answers) != nil {
			return
		}
		given := map[any]bool{}
		for _, field := range content {
			var one any
			_ = json.Unmarshal(field, &one)
			if list, ok := one.([]any); ok {
				for _, v := range list {
					given[v] = true
				}
				continue
			}
			given[one] = true
		}
		for _, a := range answers {
			for _, v := range append(a.Values, a.Note) {
				if v != "" && !given[v] {
					t.Errorf("%q: the model is told %q", raw, v)
				}
			}
		}
	})
}
