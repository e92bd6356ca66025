package policy

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// tableCase is one line of testdata/*.jsonl: rules, a call, the decision.
type tableCase struct {
	ID    string          `json:"id"`
	Area  string          `json:"area"`
	Rules tableRules      `json:"rules"`
	Vars  map[string]any  `json:"vars"`
	FS    map[string]any  `json:"fs"`
	Roots []string        `json:"roots"`
	Cwd   string          `json:"cwd"`
	MCP   []string        `json:"servers"`
	Call  json.RawMessage `json:"call"`
	Want  Decision        `json:"expect"`
	Also  []Decision      `json:"also"`
	Why   string          `json:"why"`
}

type tableRules struct {
	Default Decision          `json:"default"`
	Allow   []json.RawMessage `json:"allow"`
	Ask     []json.RawMessage `json:"ask"`
	Deny    []json.RawMessage `json:"deny"`
}

// readTable reads one JSON object a line.
func readTable(tb testing.TB, file string) []tableCase {
	tb.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	var out []tableCase
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var c tableCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			tb.Fatalf("%s:%d: %v", file, i+1, err)
		}
		out = append(out, c)
	}
	return out
}

// spec makes the rules of a case, with the values of its variables put in.
func (c *tableCase) spec(tb testing.TB) *Spec {
	tb.Helper()
	list := func(rules []json.RawMessage) []RuleSpec {
		out := make([]RuleSpec, 0, len(rules))
		for i, raw := range rules {
			out = append(out, c.ruleSpec(tb, raw, fmt.Sprintf("%s:%d", c.ID, i+1)))
		}
		return out
	}
	return &Spec{Default: c.Rules.Default, Allow: list(c.Rules.Allow), Ask: list(c.Rules.Ask), Deny: list(c.Rules.Deny)}
}

func (c *tableCase) ruleSpec(tb testing.TB, raw json.RawMessage, at string) RuleSpec {
	tb.Helper()
	var long struct{ Rule, Except, Message string }
	if json.Unmarshal(raw, &long.Rule) != nil {
		if err := json.Unmarshal(raw, &long); err != nil {
			tb.Fatalf("%s: rule %s: %v", c.ID, raw, err)
		}
	}
	out := RuleSpec{Rule: c.segments(long.Rule), Message: long.Message, At: at, Layer: LayerRecipe}
	if long.Except != "" {
		out.Except = c.segments(long.Except)
	}
	return out
}

// segments puts values in place of ${{ $name }}.
func (c *tableCase) segments(rule string) []Segment {
	var out []Segment
	for {
		front, rest, ok := strings.Cut(rule, "${{ $")
		out = append(out, Segment{Text: front})
		if !ok {
			return out
		}
		name, rest, _ := strings.Cut(rest, " }}")
		out = append(out, Segment{Text: fmt.Sprint(c.Vars[name]), Literal: true})
		rule = rest
	}
}

// env is the world of a case: links live in memory.
func (c *tableCase) env() *Env {
	links := map[string]string{}
	for p, what := range c.FS {
		if link, ok := what.(map[string]any); ok {
			links[path.Clean(p)] = fmt.Sprint(link["link"])
		}
	}
	roots, cwd := c.Roots, c.Cwd
	if len(roots) == 0 {
		roots = []string{"/w"}
	}
	if cwd == "" {
		cwd = roots[0]
	}
	return &Env{
		Cwd: cwd, Roots: roots, Home: "/home/u", Servers: c.MCP,
		Readlink: func(p string) (string, bool) { target, ok := links[p]; return target, ok },
	}
}

func (c *tableCase) call(tb testing.TB) *Call {
	tb.Helper()
	parsed, err := ParseCall(c.Call)
	if err != nil {
		tb.Fatalf("%s: %v", c.ID, err)
	}
	return parsed.Call
}

// shuffled is the spec with each list in another order.
func shuffled(s *Spec, r *rand.Rand) *Spec {
	out := Merge(s)
	for _, list := range [][]RuleSpec{out.Allow, out.Ask, out.Deny} {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return out
}

// check decides a case, also with its rules in other orders, and pastes what is
// suggested.
func (c *tableCase) check(t *testing.T) {
	t.Helper()
	call, env, spec := c.call(t), c.env(), c.spec(t)
	p, err := Compile(spec)
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	got := p.Decide(call, env)
	if got.Decision != c.Want && !slices.Contains(c.Also, got.Decision) {
		for _, l := range p.Explain(call, env) {
			t.Logf("%s %s: matched %v: %s", l.List, l.Rule, l.Matched, l.Why)
		}
		t.Errorf("decision %s (%s %s), want %s: %s", got.Decision, got.Rule, got.Why, c.Want, c.Why)
	}
	r := rand.New(rand.NewPCG(1, uint64(len(c.ID))))
	for range 3 {
		again, err := Compile(shuffled(spec, r))
		if err != nil {
			t.Fatalf("Compile shuffled: %v", err)
		}
		if o := again.Decide(call, env); o.Decision != got.Decision {
			t.Errorf("with the rules shuffled %s, before %s", o.Decision, got.Decision)
		}
	}
	checkSuggestions(t, spec, call, env, got)
}

// checkSuggestions pastes suggested rules: the call must then be covered.
func checkSuggestions(tb testing.TB, spec *Spec, call *Call, env *Env, got Outcome) {
	tb.Helper()
	if got.Decision != Uncovered {
		if len(got.Suggest) > 0 {
			tb.Errorf("suggestions %q for a call that is decided", got.Suggest)
		}
		return
	}
	if len(got.Suggest) == 0 && got.Hint == "" {
		tb.Error("neither suggestion nor hint")
	}
	if len(got.Suggest) == 0 {
		return
	}
	more := Merge(spec)
	for _, rule := range got.Suggest {
		more.Allow = append(more.Allow, PlainRule(rule, "suggested", LayerFlag))
	}
	p, err := Compile(more)
	if err != nil {
		tb.Fatalf("suggestion %q: %v", got.Suggest, err)
	}
	if o := p.Decide(call, env); o.Decision != Allow && o.Decision != Ask {
		tb.Errorf("with the suggestion %q still %s: %s", got.Suggest, o.Decision, o.Why)
	}
}
