package event

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRawHidesNothing guards the facts of a decision: what one update named stays
// though later ones leave it out, clear it or name something else.
func TestRawHidesNothing(t *testing.T) {
	t.Parallel()
	p := NewProjector(nil)
	feed(p, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"first","kind":"edit","rawInput":{"file":"/w/a"},"locations":[{"path":"/w/a"}],"server":"s"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":null,"kind":"","title":null,"server":null,"locations":[],"content":[{"type":"diff","path":"/etc/b","newText":""}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":{},"content":[],"locations":[{"path":"/w/c"},{"path":"/w/a"}]}`)
	_, got := p.Permission(json.RawMessage(`{"toolCallId":"c","title":"last","content":null}`))
	want := `{"toolCallId":"c","title":"last","kind":"edit","rawInput":{"file":"/w/a"},"server":"s","locations":[{"path":"/w/a"},{"path":"/etc/b"},{"path":"/w/c"}]}`
	if string(got.Raw) != want {
		t.Errorf("got  %s\nwant %s", got.Raw, want)
	}
	if got.Kind != "" || got.RawInput == nil {
		t.Errorf("the state itself follows the updates: kind %q, rawInput %s", got.Kind, got.RawInput)
	}
}

// TestFactsAreAskedOnce counts how often the facts are looked for: outputs change
// none of them.
func TestFactsAreAskedOnce(t *testing.T) {
	t.Parallel()
	asked := 0
	p := NewProjector(&ProjectorOptions{Facts: func(tc *ToolCallState) (string, []string) {
		asked++
		return "cmd " + tc.ToolCallID, []string{string(tc.Raw)}
	}})
	feed(p, `{"sessionUpdate":"tool_call","toolCallId":"c","kind":"execute","rawInput":{"a":1}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress","rawOutput":"x"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"x"}}]}`)
	c := p.ToolCalls()[0]
	if asked != 1 || c.Command != "cmd c" || c.Paths[0] != `{"toolCallId":"c","kind":"execute","rawInput":{"a":1}}` {
		t.Errorf("asked %d times, command %q, paths %q", asked, c.Command, c.Paths)
	}
	p.Permission(json.RawMessage(`{"toolCallId":"c","title":"new"}`))
	if asked != 2 {
		t.Errorf("a new title asked %d times", asked)
	}
}

func TestTurnText(t *testing.T) {
	t.Parallel()
	agent := func(id, said string) string { return chunkOf("agent_message_chunk", id, said) }
	thought := chunkOf("agent_thought_chunk", "", "hm")
	call := func(id string) string { return fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":%q}`, id) }
	done := `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}`
	tests := []struct {
		name    string
		updates []string
		want    string
	}{
		{"nothing", nil, ""},
		{"no calls", []string{agent("", "a"), agent("", "b")}, "ab"},
		{"after the last call", []string{agent("", "a"), call("1"), agent("", "b"), call("2"), agent("", "c")}, "c"},
		{"while a call runs", []string{call("1"), agent("", "a"), done, agent("", "b")}, "a\n\nb"},
		{"one message around an update", []string{call("1"), agent("m", "a"), done, agent("m", "b")}, "ab"},
		{"messages after the call", []string{call("1"), agent("m", "a\n"), agent("n", "b"), agent("o", "\nc")}, "a\nb\nc"},
		{"nothing after the call", []string{agent("", "a"), thought, agent("", "b"), call("1")}, "b"},
		{"blank after the call", []string{agent("", "a"), call("1"), agent("", " \n")}, "a"},
		{"only blanks", []string{agent("", " "), call("1"), agent("", "\n")}, ""},
		{"no thoughts, no user", []string{thought, chunkOf("user_message_chunk", "", "u")}, ""},
		{"not text", []string{`{"sessionUpdate":"agent_message_chunk","content":{"type":"x"}}`, agent("", "a")}, "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := NewProjector(nil)
			feed(p, agent("", "an earlier turn"))
			p.EndTurn(false)
			feed(p, tt.updates...)
			for range 2 { // with the last block open, and closed
				if got := p.TurnText(); got != tt.want {
					t.Errorf("got %q, want %q", got, tt.want)
				}
				p.EndTurn(false)
			}
		})
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	call := func(id, kind, status, content string) string {
		return fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":%q,"kind":%q,"status":%q,"content":[%s]}`, id, kind, status, content)
	}
	d := func(path, oldText, newText string) string {
		return fmt.Sprintf(`{"type":"diff","path":%q,"oldText":%s,"newText":%s}`, path, oldText, newText)
	}
	tests := []struct {
		name    string
		updates []string
		want    string
	}{
		{"only completed calls", []string{call("1", "edit", "failed", d("/w/a", `null`, `"x"`)), call("2", "edit", "pending", d("/w/a", `null`, `"x"`))}, `null`},
		{"new, then edited", []string{call("1", "edit", "completed", d("/w/a", `""`, `"x\ny\n"`)), call("2", "edit", "completed", d("/w/a", `"x\ny\n"`, `"x\nz\n"`))}, `[{"path":"a","kind":"add","added":3,"removed":1}]`},
		{"edited twice in one call", []string{call("1", "edit", "completed", d("a", `"x"`, `"y"`)+","+d("/w/a", `"y"`, `"z"`))}, `[{"path":"a","kind":"edit","added":2,"removed":2}]`},
		{"edited, then deleted", []string{call("1", "edit", "completed", d("/w/a", `"x"`, `"y"`)), call("2", "delete", "completed", d("/w/a", `"y"`, `""`))}, `[{"path":"a","kind":"delete","added":1,"removed":2}]`},
		{"new, then deleted", []string{call("1", "edit", "completed", d("/w/a", `null`, `"y"`)), call("2", "edit", "completed", d("/w/a", `"y"`, `null`))}, `[]`},
		{"deleted, then new", []string{call("1", "delete", "completed", d("/w/a", `"x\n"`, `null`)), call("2", "edit", "completed", d("/w/a", `null`, `"y\n"`))}, `[{"path":"a","kind":"edit","added":1,"removed":1}]`},
		{"emptied is not deleted", []string{call("1", "edit", "completed", d("/w/a", `"x"`, `""`))}, `[{"path":"a","kind":"edit","removed":1}]`},
		{"moved", []string{call("1", "move", "completed", d("/w/b", `"x"`, `"x"`))}, `[{"path":"b","kind":"move"}]`},
		{"the agent's word", []string{call("1", "edit", "completed", `{"type":"diff","path":"/w/a","oldText":"","newText":"x","_meta":{"kind":"modify"}}`)}, `[{"path":"a","kind":"edit","added":1}]`},
		{"outside of cwd", []string{call("1", "edit", "completed", d("/wider/a", `"x"`, `"y"`)+","+d("/w/../x", `"x"`, `"y"`))}, `[{"path":"/wider/a","kind":"edit","added":1,"removed":1},{"path":"/x","kind":"edit","added":1,"removed":1}]`},
		{"paths without a diff", []string{`{"sessionUpdate":"tool_call","toolCallId":"1","kind":"edit","status":"completed","locations":[{"path":"/w/a"}]}`}, `[{"path":"a","kind":"edit"}]`},
		{"reading is no change", []string{`{"sessionUpdate":"tool_call","toolCallId":"1","kind":"read","status":"completed","locations":[{"path":"/w/a"}]}`}, `null`},
		{"asked with the diff, done without", []string{call("1", "edit", "pending", d("/w/a", `"x"`, `"y"`)), `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed","content":[]}`}, `[{"path":"a","kind":"edit","added":1,"removed":1}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := NewProjector(&ProjectorOptions{Cwd: "/w"})
			feed(p, tt.updates...)
			p.EndTurn(false)
			if diff := cmp.Diff(tt.want, string(indented(t, p.Changes(), ""))); diff != "" {
				t.Errorf("changes differ (-want +got):\n%s", diff)
			}
			p.BeginTurn()
			if got := p.Changes(); got != nil {
				t.Errorf("the next turn begins with %v", got)
			}
		})
	}
}

// TestCountLines compares with the longest common subsequence found the slow way.
func TestCountLines(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range rnd.IntN(12) {
			fmt.Fprintf(&b, "%d\n", rnd.IntN(4))
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
	for range 2000 {
		a, b := text(), text()
		added, removed := countLines(a, b)
		al, bl := splitLines(a), splitLines(b)
		same := commonLines(al, bl)
		if added != len(bl)-same || removed != len(al)-same {
			t.Fatalf("%q to %q: +%d -%d, want +%d -%d", a, b, added, removed, len(bl)-same, len(al)-same)
		}
	}
}

func commonLines(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			up := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			diagonal = up
		}
	}
	return row[len(b)]
}

func TestCountLinesOfARewrite(t *testing.T) {
	t.Parallel()
	lines := func(prefix string) string {
		var b strings.Builder
		for i := range 3 * editBound {
			fmt.Fprintf(&b, "%s%d\n", prefix, i)
		}
		return b.String()
	}
	added, removed := countLines("head\n"+lines("a"), "head\n"+lines("b")+"tail\n")
	if added != 3*editBound+1 || removed != 3*editBound {
		t.Errorf("got +%d -%d", added, removed)
	}
}

// FuzzProjector plays a sequence of the acts of all golden files, one for each
// byte, with an arbitrary update among them. Whatever comes, the lines are valid,
// and by the end of a turn every tool.start has one tool.end of its id behind it.
func FuzzProjector(f *testing.F) {
	var acts []act
	archives := goldenArchives(f)
	for _, name := range slices.Sorted(maps.Keys(archives)) {
		for line := range strings.Lines(string(archives[name].Files[0].Data)) {
			var a act
			if err := json.Unmarshal([]byte(line), &a); err != nil {
				f.Fatal(err)
			}
			acts = append(acts, a)
		}
	}
	f.Add([]byte{0, 255, 9, 17, 200, 3}, []byte(`{"sessionUpdate":"tool_call","toolCallId":"c1","content":[]}`))
	for i := range 20 {
		ops := make([]byte, 40)
		for j, n := range rand.New(rand.NewPCG(uint64(i), 0)).Perm(len(acts))[:len(ops)] {
			ops[j] = byte(n)
		}
		f.Add(ops, []byte(`{}`))
	}
	f.Fuzz(func(t *testing.T, ops, raw []byte) {
		p := NewProjector(&ProjectorOptions{Deltas: len(ops)%2 == 0, Cwd: "/w"})
		open := map[string]int{}
		p.BeginTurn()
		for _, op := range ops {
			a := act{Update: raw}
			if int(op) < len(acts) && op != 0 {
				a = acts[op]
			}
			if a.Begin || a.Replay != nil && *a.Replay {
				checkTools(t, p.EndTurn(op%2 == 0), open)
				checkClosed(t, open)
			}
			checkTools(t, a.play(p), open)
		}
		checkTools(t, p.EndTurn(len(ops)%2 == 0), open)
		checkClosed(t, open)
		p.TurnText()
		p.Changes()
		if _, err := encode(p.Snapshot()); err != nil {
			t.Fatalf("snapshot: %v", err)
		}
	})
}

func checkTools(t *testing.T, bodies []Body, open map[string]int) {
	t.Helper()
	for _, b := range bodies {
		mustEncode(t, &Event{Seq: 1, Body: b})
		switch b := b.(type) {
		case ToolStart:
			if open[b.ToolCallID]++; open[b.ToolCallID] != 1 {
				t.Fatalf("%q started twice", b.ToolCallID)
			}
		case ToolUpdate:
			if open[b.ToolCallID] != 1 {
				t.Fatalf("%q is updated and not open", b.ToolCallID)
			}
		case ToolEnd:
			if open[b.ToolCallID]--; open[b.ToolCallID] != 0 {
				t.Fatalf("%q ended without a start", b.ToolCallID)
			}
			if !slices.Contains([]string{"completed", "failed", "cancelled", "unknown"}, b.Status) {
				t.Fatalf("%q ended with status %q", b.ToolCallID, b.Status)
			}
		}
	}
}

func checkClosed(t *testing.T, open map[string]int) {
	t.Helper()
	for id, n := range open {
		if n != 0 {
			t.Fatalf("%q is open behind its turn", id)
		}
	}
}

// FuzzParse holds that what parses survives writing and parsing.
func FuzzParse(f *testing.F) {
	for _, b := range Bodies() {
		for _, b := range []Body{b, filled(b)} {
			line, err := (&Event{Body: b}).AppendJSON(nil)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if e, err := Parse(line); err == nil {
			mustEncode(t, e)
		}
	})
}
