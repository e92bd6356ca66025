package policy

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompileReportsEveryFault(t *testing.T) {
	t.Parallel()
	_, err := Compile(&Spec{
		Allow: []RuleSpec{
			PlainRule("exec(go test *)", "r.yaml:3", LayerRecipe),
			PlainRule("read(**)", "p.yaml:1", LayerProject),
			PlainRule("edit(src/**", "r.yaml:4", LayerRecipe),
			PlainRule("execute(a | b)", "r.yaml:5", LayerRecipe),
		},
		Deny: []RuleSpec{{Rule: []Segment{{Text: "execute(rm *)"}}, Except: []Segment{{Text: "edit(x)"}}, At: "r.yaml:9"}},
	})
	for _, want := range []string{
		`r.yaml:3: rule "exec(go test *)", offset 0: unknown kind "exec"; did you mean "execute"?`,
		"p.yaml:1: ", "project configuration", "missing ) at the end", "separates commands", "r.yaml:9: ", "never applies",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
	var one *RuleError
	if !errors.As(err, &one) || one.At != "r.yaml:3" {
		t.Errorf("first fault %+v", one)
	}
}

func TestRuleFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   string
		offset int
		want   string
	}{
		{"", 0, "empty rule"},
		{"wirte", 0, `did you mean "edit"?`},
		{"reed(x)", 0, `did you mean "read"?`},
		{"read,wrong(x)", 5, `unknown kind "wrong"`},
		{"zzzzzz", 0, "known are read"},
		{"read()", 5, "empty pattern"},
		{"execute('a)", 8, "not closed"},
		{"execute(ls \\)", 11, "backslash"},
		{"execute(ls && rm)", 11, "&&"},
		{"edit(a\\)", 6, "backslash"},
		{"mcp(github)", 4, "mcp(github/*)"},
		{"fetch(a@b)", 7, "user name"},
		{"fetch(https://)", 14, "missing host"},
		{"mcp__a__b(x)", 9, "no pattern"},
		{",read", 0, "missing kind"},
		{"read(x) y", 9, "missing )"},
	} {
		_, err := parseRule(joinSegments([]Segment{{Text: c.rule}}))
		if err == nil || !strings.Contains(err.message, c.want) || err.offset != c.offset {
			t.Errorf("%q: %+v, want %q at %d", c.rule, err, c.want, c.offset)
		}
	}
	if _, err := parseRule(joinSegments([]Segment{{Text: "read", Literal: true}})); err == nil {
		t.Error("a value names the kind")
	}
	if _, err := Compile(&Spec{Default: "maybe"}); err == nil || !strings.Contains(err.Error(), "unknown default") {
		t.Errorf("default maybe: %v", err)
	}
}

func TestMergeAddsListsAndKeepsTheLastDefault(t *testing.T) {
	t.Parallel()
	got := Merge(nil, &Spec{Default: Allow, Allow: plainRules("read")}, &Spec{Default: Ask, Deny: plainRules("edit")}, &Spec{Allow: plainRules("think")})
	if got.Default != Ask || len(got.Allow) != 2 || len(got.Deny) != 1 {
		t.Errorf("merged %+v", got)
	}
}

func TestAskKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec *Spec
		want string
	}{
		{&Spec{Allow: plainRules("read")}, ""},
		{&Spec{Ask: plainRules("execute(git push *)"), Deny: plainRules("edit,delete(.git/**)")}, "delete edit execute"},
		{&Spec{Deny: plainRules("mcp(a/*)")}, "other"},
		{&Spec{Deny: plainRules("any(.env)")}, "delete edit move read search"},
		{&Spec{Ask: plainRules("any")}, "delete edit execute fetch move other read search switch_mode think"},
	} {
		if got := strings.Join(mustCompile(t, c.spec).AskKinds(), " "); got != c.want {
			t.Errorf("kinds %q, want %q", got, c.want)
		}
	}
}

// The empty call replaced nothing of what was known.
func TestCallMerge(t *testing.T) {
	t.Parallel()
	c := &Call{}
	for _, u := range []string{
		`{"toolCallId":"t1","kind":"execute","title":"run","rawInput":{"command":"ls","path":"a"},"locations":[{"path":"/w/x"}]}`,
		`{"toolCallId":"t1","kind":null,"title":"","rawInput":{},"locations":[]}`,
		`{"toolCallId":"t1","rawInput":{"command":"","path":"b","cwd":"/w/sub"},"content":[{"type":"diff","path":"/w/y"},{"type":"content"}]}`,
	} {
		if err := c.Merge(json.RawMessage(u)); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"command": "ls", "path": "b", "cwd": "/w/sub"}
	got := map[string]string{}
	if err := json.Unmarshal(c.RawInput, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" || c.Kind != "execute" || c.Title != "run" {
		t.Errorf("merged %+v: %s", c, diff)
	}
	if !slices.Equal(c.Paths, []string{"/w/x", "/w/y"}) || !slices.Equal(c.earlier, []string{"a"}) {
		t.Errorf("paths %q, earlier %q", c.Paths, c.earlier)
	}
	before := *c
	if err := c.Merge(json.RawMessage(`{"kind":1}`)); err == nil || c.Kind != before.Kind {
		t.Errorf("malformed update: %v, kind %q", err, c.Kind)
	}
}

// A path that an earlier update named counts after it was replaced.
func TestEarlierPathsCount(t *testing.T) {
	t.Parallel()
	p := mustCompile(t, &Spec{Allow: plainRules("edit(**)")})
	c := &Call{Kind: "edit"}
	for _, raw := range []string{`{"rawInput":{"path":"/x/secret"}}`, `{"rawInput":{"path":"/w/a"}}`} {
		if err := c.Merge(json.RawMessage(raw)); err != nil {
			t.Fatal(err)
		}
	}
	if o := p.Decide(c, fuzzEnv); o.Decision != Uncovered {
		t.Errorf("decision %s", o.Decision)
	}
}

func TestParseCall(t *testing.T) {
	t.Parallel()
	got, err := ParseCall([]byte(`{"toolCallId":"t","paths":["b"],"diffs":["c"],"cwd":"/w/sub","roots":["/w"],"mcp":{"server":"s","tool":"u"},
		"updates":[{"kind":"execute","command":"old","paths":["a"]},{"rawInput":{"command":"ls"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	c := got.Call
	if c.Kind != "execute" || c.Command != "old" || c.Server != "s" || c.Tool != "u" || got.Cwd != "/w/sub" || !slices.Equal(got.Roots, []string{"/w"}) {
		t.Errorf("call %+v, cwd %q, roots %q", c, got.Cwd, got.Roots)
	}
	if !slices.Equal(c.Paths, []string{"a", "b", "c"}) {
		t.Errorf("paths %q", c.Paths)
	}
	if _, err := ParseCall([]byte(`{"kind":`)); err == nil {
		t.Error("half a line is a call")
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		call *Call
		want Facts
	}{
		{"line", &Call{Kind: "execute", Command: "ls -l"}, Facts{Command: "ls -l", Kinds: []string{"execute"}}},
		{
			"transport", &Call{Kind: "execute", RawInput: json.RawMessage(`{"command":["/bin/bash","-lc","ls | wc"]}`)},
			Facts{Command: "ls | wc", Kinds: []string{"execute"}},
		},
		{
			"words", &Call{Kind: "execute", RawInput: json.RawMessage(`{"command":["ls","a b"]}`)},
			Facts{Command: "ls 'a b'", Kinds: []string{"execute"}},
		},
		{
			"files", &Call{Kind: "read", Paths: []string{"a", "/x/b"}, RawInput: json.RawMessage(`{"command":"cat a"}`)},
			Facts{Command: "cat a", Paths: []string{"/w/a", "/x/b"}, Kinds: []string{"execute", "read"}},
		},
		{
			"folder of a command", &Call{Kind: "execute", Command: "ls", Paths: []string{"/w"}},
			Facts{Command: "ls", Kinds: []string{"execute"}},
		},
		{"no kind", &Call{Paths: []string{"a"}}, Facts{Paths: []string{"/w/a"}, Kinds: []string{"edit"}}},
	} {
		if diff := cmp.Diff(c.want, c.call.Facts(fuzzEnv)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestOutcomeNamesTheRule(t *testing.T) {
	t.Parallel()
	spec := &Spec{
		Allow: plainRules("execute(ls *)"),
		Deny:  []RuleSpec{{Rule: []Segment{{Text: "execute(rm *)"}}, Message: "keep it", At: "r.yaml:7", Layer: LayerPolicy}},
	}
	p := mustCompile(t, spec)
	want := Outcome{Decision: Deny, By: "rule", Rule: "execute(rm *)", At: "r.yaml:7", Layer: LayerPolicy, Message: "keep it", Command: "rm x"}
	if diff := cmp.Diff(want, p.Decide(&Call{Kind: "execute", Command: "rm x"}, fuzzEnv)); diff != "" {
		t.Error(diff)
	}
	if o := p.Decide(&Call{Kind: "execute", Command: "ls"}, fuzzEnv); o.By != "rule" || o.Rule != "execute(ls *)" {
		t.Errorf("allow %+v", o)
	}
	o := p.Decide(&Call{Kind: "execute", Command: "ls; touch f"}, fuzzEnv)
	if o.By != "default" || o.Doubt || o.Why != `command "touch f": no rule` || !slices.Equal(o.Suggest, []string{"execute(touch f)"}) {
		t.Errorf("uncovered %+v", o)
	}
	if o := p.Decide(&Call{Kind: "execute", Command: "$X"}, fuzzEnv); !o.Doubt || len(o.Suggest) != 0 || !strings.Contains(o.Hint, "execute(rm *)") {
		t.Errorf("doubt %+v", o)
	}
}

func TestWhyNamesTheWordThatIsNotSpelled(t *testing.T) {
	t.Parallel()
	p := mustCompile(t, &Spec{Allow: plainRules("execute(go *)")})
	o := p.Decide(&Call{Kind: "execute", Command: "go test -exec ./x"}, fuzzEnv)
	if !strings.Contains(o.Why, `execute(go *) does not spell "-exec"`) {
		t.Errorf("why %q", o.Why)
	}
}

func TestRO46_Suggest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		call *Call
		want string
		hint string
	}{
		{&Call{Kind: "edit", Paths: []string{"/w/src/a [1].go"}}, `edit(./src/a \[1].go)`, ""},
		{&Call{Kind: "read", Paths: []string{"/x/a"}}, "read(/x/a)", ""},
		{&Call{Kind: "move", Paths: []string{"a", "b"}}, "move(./a) move(./b)", ""},
		{&Call{Kind: "execute", Command: "go test ./..."}, "execute(go test ./...)", ""},
		{&Call{Kind: "execute", Command: "timeout 5 make x > out"}, "execute(make x) edit(./out)", ""},
		{&Call{Kind: "execute", Command: "PATH=. ls 'a b'"}, "execute(PATH=. ls 'a b')", ""},
		{&Call{Kind: "execute", Command: "ls -l \"$X\""}, "execute(ls -l *)", ""},
		{&Call{Kind: "execute", Command: "git log $X"}, "", "bare kind"},
		{&Call{Kind: "execute", Command: "ls > $X"}, "", "cannot be told"},
		{&Call{Kind: "execute", Command: "eval x"}, "", "execute(**)"},
		{&Call{Kind: "execute", Command: "echo '"}, "", "execute(**)"},
		{&Call{Kind: "execute", Title: "go test"}, "execute", "title"},
		{&Call{Kind: "fetch", RawInput: json.RawMessage(`{"url":"https://h.example/a?b"}`)}, "fetch(https://h.example/a)", ""},
		{&Call{Kind: "other", Server: "s", Tool: "t"}, "mcp(s/t)", ""},
		{&Call{Kind: "other", Name: "plan"}, "tool(plan)", ""},
		{&Call{Kind: "think"}, "think", "whole kind"},
		{&Call{Kind: "read", Paths: []string{"/proc/self/x"}}, "", "process"},
	} {
		rules, hint := Suggest(c.call, fuzzEnv)
		if got := strings.Join(rules, " "); got != c.want || c.hint == "" && hint != "" || !strings.Contains(hint, c.hint) {
			t.Errorf("%+v: %q, hint %q; want %q, %q", c.call, got, hint, c.want, c.hint)
		}
	}
}

func TestExplainLooksAtEveryRule(t *testing.T) {
	t.Parallel()
	p := mustCompile(t, &Spec{
		Allow: plainRules("execute(ls *)", "edit(**)"), Ask: plainRules("execute(git push *)"), Deny: plainRules("execute(rm *)", "read(x)"),
	})
	got := p.Explain(&Call{Kind: "execute", Command: "ls; touch f"}, fuzzEnv)
	var lines []string
	for _, l := range got {
		mark := "-"
		if l.Matched {
			mark = "+"
		}
		lines = append(lines, mark+" "+l.List+" "+l.Rule)
		if l.Why == "" {
			t.Errorf("%s says nothing", l.Rule)
		}
	}
	want := []string{"- deny execute(rm *)", "- deny read(x)", "- ask execute(git push *)", "+ allow execute(ls *)", "- allow edit(**)"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestWarningsNameVoidRules(t *testing.T) {
	t.Parallel()
	value := func(rule, v string) RuleSpec {
		front, back, _ := strings.Cut(rule, "$")
		return RuleSpec{Rule: []Segment{{Text: front}, {Text: v, Literal: true}, {Text: back}}}
	}
	p := mustCompile(t, &Spec{Allow: []RuleSpec{
		value("edit($)", "src/a"), value("edit($)", "/x/a"), value("edit($/**)", ".."), value("edit($)", "~/a"), value("edit($)", "/w/a"),
		value("execute(cat $)", "/x/a"), value("execute(cat $)", "../a"), value("execute(cat $)", "a b"), value("execute(cat --f=$)", "/x"),
	}})
	var got []string
	for _, w := range p.Warnings(fuzzEnv) {
		got = append(got, w.Rule)
	}
	want := []string{"edit(/x/a)", "edit(../**)", "edit(~/a)", "execute(cat /x/a)", "execute(cat ../a)", "execute(cat --f=/x)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFoldCase(t *testing.T) {
	t.Parallel()
	env := &Env{Cwd: "/w", Roots: []string{"/w"}, FoldCase: func(string) bool { return true }}
	p := mustCompile(t, &Spec{Allow: plainRules("execute", "edit(src/**)"), Deny: plainRules("execute(rm *)", "edit(.git/**)", "edit(*.Lock)")})
	for _, c := range []struct {
		call *Call
		want Decision
	}{
		{&Call{Kind: "execute", Command: "RM x"}, Deny},
		{&Call{Kind: "edit", Paths: []string{"/W/.GIT/config"}}, Deny},
		{&Call{Kind: "edit", Paths: []string{"/w/a.LOCK"}}, Deny},
		{&Call{Kind: "edit", Paths: []string{"/w/SRC/a.go"}}, Allow},
	} {
		if o := p.Decide(c.call, env); o.Decision != c.want {
			t.Errorf("%+v: %s, want %s", c.call, o.Decision, c.want)
		}
	}
}

// Every line of the tables is read, and every name in them stands once.
func TestTablesAreWhole(t *testing.T) {
	t.Parallel()
	words := map[string]bool{}
	for names := range entries(wrappersText) {
		for _, n := range names {
			if words[n] {
				t.Errorf("wrapper %s stands twice", n)
			}
			words[n] = true
		}
	}
	for n := range strings.FieldsSeq("sudo doas su env nice ionice nohup setsid stdbuf timeout time chrt taskset xargs parallel watch command builtin exec find sh bash ssh chroot unshare nsenter powershell pwsh cmd docker podman kubectl npx uvx pipx flock script strace ltrace gdb busybox entr") {
		if wrappers()[n] == nil {
			t.Errorf("no wrapper %s", n)
		}
	}
	for n := range strings.FieldsSeq("go rg sort sed awk git tar find curl wget npm pnpm yarn make gmake rsync ssh scp man less vim ed emacs tee dd zip openssl gcc gcc-12 python3.12 perl ruby node pip docker xargs env test psql sqlite3 mysql") {
		if e := escapes().of(n); e == nil || !e.risky {
			t.Errorf("no escapes of %s", n)
		}
	}
	for n := range strings.FieldsSeq("PATH LD_PRELOAD DYLD_X A_PRELOAD GIT_DIR PAGER GIT_EDITOR LESSOPEN PYTHONPATH PERL5LIB npm_config_x SSH_ASKPASS http_proxy HTTPS_PROXY X_COMMAND CARGO_HOME") {
		if !neverAssigned(n) {
			t.Errorf("%s may be assigned", n)
		}
	}
	for n := range strings.FieldsSeq("FOO CI GOOS CGO_ENABLED PATHS MYPATH NODE_ENV") {
		if neverAssigned(n) {
			t.Errorf("%s may not be assigned", n)
		}
	}
}
