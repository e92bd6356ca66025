package policy

import (
	"encoding/json"
	"strings"
	"testing"
)

// seedCommands adds the commands of both tables.
func seedCommands(f *testing.F) {
	f.Helper()
	for _, file := range []string{"testdata/cases.jsonl", "testdata/engine.jsonl"} {
		for _, c := range readTable(f, file) {
			if command := c.call(f).Command; command != "" {
				f.Add(command)
			}
		}
	}
}

var fuzzEnv = &Env{Cwd: "/w", Roots: []string{"/w"}, Home: "/home/u"}

func mustCompile(tb testing.TB, spec *Spec) *Policy {
	tb.Helper()
	p, err := Compile(spec)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func plainRules(rules ...string) []RuleSpec {
	out := make([]RuleSpec, len(rules))
	for i, r := range rules {
		out[i] = PlainRule(r, "test", LayerRecipe)
	}
	return out
}

// Nothing that cannot be read as shell is allowed by patterns, and nothing
// panics or depends on the order of rules.
func FuzzDecide(f *testing.F) {
	seedCommands(f)
	p := mustCompile(f, &Spec{
		Allow: plainRules("execute(*)", "execute(go test *)", "edit(**)", "read(src/**)"),
		Ask:   plainRules("execute(git push *)"), Deny: plainRules("execute(rm *)", "edit(.git/**)", "read(**/.env*)"),
	})
	f.Fuzz(func(t *testing.T, command string) {
		call := &Call{Kind: "execute", Command: command}
		o := p.Decide(call, fuzzEnv)
		file, fault := parse(p.parsers, command)
		if o.Decision == Allow && (fault != "" || len(file.Stmts) == 0) {
			t.Errorf("allowed %q, which is %s", command, fault)
		}
		p.Explain(call, fuzzEnv)
		words := &Call{Kind: "execute", RawInput: mustJSON(t, map[string]any{"command": strings.Fields(command)})}
		p.Decide(words, fuzzEnv)
	})
}

func mustJSON(tb testing.TB, v any) json.RawMessage {
	tb.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// A denied command with something around it is never allowed.
func FuzzDenyExtend(f *testing.F) {
	seedCommands(f)
	p := mustCompile(f, &Spec{Allow: plainRules("execute"), Deny: plainRules("execute(rm *)", "execute(git push --force *)", "edit(.git/**)")})
	around := [][2]string{
		{"true; ", ""},
		{"", "; true"},
		{"true && ", ""},
		{"", " && true"},
		{"true | ", ""},
		{"", " | cat"},
		{"", " || true"},
		{"echo $(", ")"},
		{"echo \"$(", "\n)\""},
		{"( ", " )"},
		{"{ ", "\n}"},
		{"if true; then ", "\nfi"},
		{"", "\ntrue"},
		{"true\n", ""},
		{"time ", ""},
		{"! ", ""},
	}
	f.Fuzz(func(t *testing.T, command string) {
		// A backslash at the end would take what follows into the last word.
		if strings.HasSuffix(command, `\`) || p.Decide(&Call{Kind: "execute", Command: command}, fuzzEnv).Decision != Deny {
			return
		}
		for _, a := range around {
			longer := a[0] + command + a[1]
			if o := p.Decide(&Call{Kind: "execute", Command: longer}, fuzzEnv); o.Decision == Allow {
				t.Errorf("%q is denied, %q allowed", command, longer)
			}
		}
	})
}

// What is suggested parses back and covers the call.
func FuzzSuggest(f *testing.F) {
	seedCommands(f)
	f.Add("src/a [1].go")
	f.Add(" /x/ä\\*?~")
	f.Fuzz(func(t *testing.T, text string) {
		for _, call := range []*Call{
			{Kind: "execute", Command: text},
			{Kind: "edit", Paths: []string{text}},
			{Kind: "move", Paths: []string{text, "/w/b"}},
			{Kind: "fetch", RawInput: mustJSON(t, map[string]string{"url": text})},
			{Kind: "other", Name: text},
			{Kind: "other", Server: text, Tool: text},
			{Kind: "switch_mode", RawInput: mustJSON(t, map[string]string{"modeId": text})},
		} {
			rules, _ := Suggest(call, fuzzEnv)
			if len(rules) == 0 {
				continue
			}
			p, err := Compile(&Spec{Allow: plainRules(rules...)})
			if err != nil {
				t.Fatalf("%s %q: suggested %q: %v", call.Kind, text, rules, err)
			}
			if o := p.Decide(call, fuzzEnv); o.Decision != Allow {
				t.Errorf("%s %q: suggested %q, then %s: %s", call.Kind, text, rules, o.Decision, o.Why)
			}
		}
	})
}

// A rule that parses has kinds and its own text; a fault lies within the rule.
func FuzzRuleParse(f *testing.F) {
	for _, file := range []string{"testdata/cases.jsonl", "testdata/engine.jsonl"} {
		for _, c := range readTable(f, file) {
			spec := c.spec(f)
			for _, list := range [][]RuleSpec{spec.Allow, spec.Ask, spec.Deny} {
				for _, r := range list {
					f.Add(joinSegments(r.Rule).s, "value")
				}
			}
		}
	}
	f.Add("edit(x", "a) , execute(*")
	f.Fuzz(func(t *testing.T, pattern, value string) {
		for _, segments := range [][]Segment{{{Text: pattern}}, {{Text: "edit("}, {Text: value, Literal: true}, {Text: ")"}}, {{Text: pattern}, {Text: value, Literal: true}}} {
			text := joinSegments(segments)
			r, err := parseRule(text)
			if err != nil {
				if err.offset < 0 || err.offset > len(text.s) || err.message == "" {
					t.Errorf("%q: fault %q at %d", text.s, err.message, err.offset)
				}
				continue
			}
			if r.kinds == 0 || r.text != text.s {
				t.Errorf("%q parsed as kinds %b, text %q", text.s, r.kinds, r.text)
			}
			p := &Policy{fallback: Deny, allow: []*rule{r}, deny: []*rule{r}, parsers: newParsers()}
			p.Decide(&Call{Kind: "edit", Paths: []string{value}, Command: value}, fuzzEnv)
		}
	})
}
