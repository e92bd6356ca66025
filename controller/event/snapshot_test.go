package event

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// feed plays updates into a projector in a turn of its own.
func feed(p *Projector, updates ...string) {
	p.BeginTurn()
	for _, u := range updates {
		p.Update(json.RawMessage(u))
	}
}

func chunkOf(kind, id, said string) string {
	if id != "" {
		id = fmt.Sprintf(`,"messageId":%q`, id)
	}
	return fmt.Sprintf(`{"sessionUpdate":%q%s,"content":{"type":"text","text":%q}}`, kind, id, said)
}

func TestCT35_Messages(t *testing.T) {
	t.Parallel()
	const agent, user, thought = "agent_message_chunk", "user_message_chunk", "agent_thought_chunk"
	const tool = `{"sessionUpdate":"tool_call","toolCallId":"c"}`
	tests := []struct {
		name    string
		updates []string
		want    string // speaker:id:text of each message
	}{
		{"chunks append", []string{chunkOf(agent, "", "a"), chunkOf(agent, "", "b")}, "agent::ab"},
		{"another speaker", []string{chunkOf(agent, "", "a"), chunkOf(thought, "", "b"), chunkOf(user, "", "c")}, "agent::a thought::b user::c"},
		{"and back", []string{chunkOf(agent, "", "a"), chunkOf(thought, "", "b"), chunkOf(agent, "", "c")}, "agent::a thought::b agent::c"},
		{"one id", []string{chunkOf(agent, "1", "a"), chunkOf(agent, "1", "b")}, "agent:1:ab"},
		{"new id", []string{chunkOf(agent, "1", "a"), chunkOf(agent, "2", "b")}, "agent:1:a agent:2:b"},
		{"id comes back", []string{chunkOf(agent, "1", "a"), chunkOf(agent, "2", "b"), chunkOf(agent, "1", "c")}, "agent:1:ac agent:2:b"},
		{"ids are of a speaker", []string{chunkOf(agent, "1", "a"), chunkOf(thought, "1", "b")}, "agent:1:a thought:1:b"},
		{"tool between, ids", []string{chunkOf(agent, "1", "a"), tool, chunkOf(agent, "1", "b")}, "agent:1:ab"},
		{"tool between, no ids", []string{chunkOf(agent, "", "a"), tool, chunkOf(agent, "", "b")}, "agent::a agent::b"},
		{"id is lost", []string{chunkOf(agent, "1", "a"), chunkOf(agent, "", "b")}, "agent:1:ab"},
		{"id appears", []string{chunkOf(agent, "", "a"), chunkOf(agent, "1", "b")}, "agent::a agent:1:b"},
		{"empty id", []string{`{"sessionUpdate":"agent_message_chunk","messageId":"","content":{"type":"text","text":"a"}}`, chunkOf(agent, "", "b")}, "agent::ab"},
		{"null id", []string{`{"sessionUpdate":"agent_message_chunk","messageId":null,"content":{"type":"text","text":"a"}}`, chunkOf(agent, "", "b")}, "agent::ab"},
		{"escaped id", []string{`{"sessionUpdate":"agent_message_chunk","messageId":"\u0031","content":{"type":"text","text":"a"}}`, chunkOf(agent, "1", "b")}, "agent:1:ab"},
		{"empty text", []string{chunkOf(agent, "1", ""), chunkOf(agent, "2", "a")}, "agent:2:a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := NewProjector(nil)
			feed(p, tt.updates...)
			for range 2 { // open blocks and closed ones look alike
				var got []string
				for _, m := range p.Snapshot().Messages {
					got = append(got, m.Role+":"+m.MessageID+":"+m.Text)
				}
				if strings.Join(got, " ") != tt.want {
					t.Errorf("got %q, want %q", strings.Join(got, " "), tt.want)
				}
				p.EndTurn(false)
			}
		})
	}
}

func TestCT35_ToolCalls(t *testing.T) {
	t.Parallel()
	const first = `{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"read","status":"pending","rawInput":{"a":1},"rawOutput":"o","locations":[{"path":"/a"}],"content":[{"type":"terminal","terminalId":"t"}],"_meta":{"m":1},"x":1}`
	tests := []struct {
		name, update string
		want         string // members of the state that differ from the first update's, as JSON
	}{
		{"omitted keeps", ``, `{}`},
		{
			"null clears", `,"title":null,"kind":null,"status":null,"rawInput":null,"rawOutput":null,"locations":null,"content":null,"_meta":null,"x":null`,
			`{"title":null,"kind":null,"status":null,"rawInput":null,"rawOutput":null,"output":null,"locations":null,"content":null,"fullContent":null,"meta":null,"fields":{"x":null}}`,
		},
		{"array replaces", `,"locations":[{"path":"/b"}],"content":[]`, `{"locations":[{"path":"/b"}],"content":null,"fullContent":[],"paths":["/a","/b"]}`},
		{"values replace", `,"title":"U","status":"in_progress","rawInput":2,"x":{"y":1e3}`, `{"title":"U","status":"in_progress","rawInput":2,"fields":{"x":{"y":1e3}}}`},
		{"wrong types are ignored", `,"title":1,"kind":{},"status":[],"locations":"l","content":{}`, `{}`},
		{"back to pending", `,"status":"in_progress","status":"pending"`, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := NewProjector(nil)
			feed(p, first, `{"sessionUpdate":"tool_call_update","toolCallId":"c"`+tt.update+`}`)
			want := map[string]json.RawMessage{
				"toolCallId": json.RawMessage(`"c"`), "title": json.RawMessage(`"T"`), "kind": json.RawMessage(`"read"`),
				"status": json.RawMessage(`"pending"`), "paths": json.RawMessage(`["/a"]`), "rawInput": json.RawMessage(`{"a":1}`),
				"rawOutput": json.RawMessage(`"o"`), "output": json.RawMessage(`"o"`), "locations": json.RawMessage(`[{"path":"/a"}]`), "meta": json.RawMessage(`{"m":1}`),
				"fields":      json.RawMessage(`{"x":1}`),
				"content":     json.RawMessage(`[{"type":"terminal","terminalId":"t"}]`),
				"fullContent": json.RawMessage(`[{"type":"terminal","terminalId":"t"}]`),
			}
			var patch map[string]json.RawMessage
			if err := json.Unmarshal([]byte(tt.want), &patch); err != nil {
				t.Fatal(err)
			}
			for key, value := range patch {
				if want[key] = value; string(value) == "null" {
					delete(want, key)
				}
			}
			got := toMap(t, p.Snapshot().ToolCalls[0])
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("state differs (-want +got):\n%s", diff)
			}
		})
	}
}

func toMap(t *testing.T, v any) map[string]json.RawMessage {
	t.Helper()
	doc, err := encode(v)
	var m map[string]json.RawMessage
	if err != nil || json.Unmarshal(doc, &m) != nil {
		t.Fatalf("%v: %v", v, err)
	}
	return m
}

// TestCT36_Detached edits everything that a projector hands out and looks again.
func TestCT36_Detached(t *testing.T) {
	t.Parallel()
	p := NewProjector(nil)
	feed(p, chunkOf("agent_message_chunk", "1", "text"),
		`{"sessionUpdate":"agent_message_chunk","messageId":"1","content":{"type":"x"},"_meta":{"a":1}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c","kind":"edit","status":"completed","rawInput":{"a":1},"rawOutput":{"a":1},"_meta":{"a":1},"field":{"a":1},"content":[{"type":"diff","path":"/w/a","newText":"x"}]}`,
		`{"sessionUpdate":"plan","entries":[1]}`, `{"sessionUpdate":"future_kind"}`,
		`{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1,"currency":"USD"}}`,
		`{"sessionUpdate":"session_info_update","title":"t"}`,
		`{"sessionUpdate":"config_option_update","configOptions":[1]}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[1]}`)
	_, asked := p.Permission(json.RawMessage(`{"toolCallId":"p","title":"asked","locations":[{"path":"/p"}]}`))
	want := string(indented(t, p.Snapshot(), ""))
	wantCalls := string(indented(t, p.ToolCalls(), ""))

	s := p.Snapshot()
	scribble(s.Plan, s.Options, s.Commands, s.Unknown[0], s.Messages[0].Content[0], s.Messages[0].ChunkMeta)
	s.Messages[0].Text, s.Messages[0].Content[0] = "changed", nil
	s.Usage.Cost.Amount, s.Usage.Used, s.Info.Title = 9, 9, "changed"
	for _, c := range append(append(p.ToolCalls(), asked), s.ToolCalls...) {
		scribble(c.RawInput, c.RawOutput, c.Content, c.FullContent, c.Locations, c.Meta, c.Raw, c.Fields["field"])
		if c.Fields != nil {
			c.Fields["new"] = nil
		}
		for i := range c.Paths {
			c.Paths[i] = "changed"
		}
		for i := range c.Diffs {
			c.Diffs[i].Path = "changed"
		}
	}
	if got := string(indented(t, p.Snapshot(), "")); got != want {
		t.Errorf("the snapshot changed with a copy of it:\n%s\n%s", want, got)
	}
	if got := string(indented(t, p.ToolCalls(), "")); got != wantCalls {
		t.Errorf("the calls changed with a copy of them:\n%s\n%s", wantCalls, got)
	}
}

func scribble(raws ...json.RawMessage) {
	for _, raw := range raws {
		for i := range raw {
			raw[i] = '!'
		}
	}
}

func TestCT37_UnknownUpdates(t *testing.T) {
	t.Parallel()
	unknown := func(size int) string {
		const frame = `{"sessionUpdate":"future","x":""}`
		return strings.Replace(frame, `""`, `"`+strings.Repeat("x", size-len(frame))+`"`, 1)
	}
	var small []string
	for i := range 65 {
		small = append(small, fmt.Sprintf(`{"sessionUpdate":"future","n":%d}`, i))
	}
	tests := []struct {
		name          string
		updates       []string
		kept, omitted int
		first         string
	}{
		{"65 small ones", small, 64, 1, small[1]},
		{"one too big evicts nothing", []string{small[0], small[1], unknown(300_000)}, 2, 1, small[0]},
		{"one that just fits evicts all", []string{small[0], small[1], unknown(262_144)}, 1, 2, unknown(262_144)},
		{"one byte more", []string{small[0], unknown(262_145)}, 1, 1, small[0]},
		{"as many as needed", []string{unknown(100_000), unknown(100_001), unknown(100_002)}, 2, 1, unknown(100_001)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := NewProjector(nil)
			feed(p, tt.updates...)
			s := p.Snapshot()
			if len(s.Unknown) != tt.kept || s.OmittedCount != tt.omitted || string(s.Unknown[0]) != tt.first {
				t.Errorf("kept %d, omitted %d, first %.60s; want %d, %d, %.60s", len(s.Unknown), s.OmittedCount, s.Unknown[0], tt.kept, tt.omitted, tt.first)
			}
			p.SetReplay(true)
			if s := p.Snapshot(); len(s.Unknown) != 0 || s.OmittedCount != 0 {
				t.Errorf("a replay kept %d and counted %d", len(s.Unknown), s.OmittedCount)
			}
		})
	}
}

// TestCT37_KnownContentIsNotCut holds a message and a call of more than the
// bounds of unknown updates.
func TestCT37_KnownContentIsNotCut(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("0123456789", 40_000)
	p := NewProjector(nil)
	feed(p, chunkOf("agent_message_chunk", "", big),
		`{"sessionUpdate":"tool_call","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"`+big+`"}}]}`)
	s := p.Snapshot()
	if s.Messages[0].Text != big || !strings.Contains(string(s.ToolCalls[0].FullContent), big) {
		t.Error("known content was cut")
	}
	if c := s.ToolCalls[0]; len(c.Output) != outputBytes || !c.OutputCut {
		t.Errorf("output has %d bytes, cut %v", len(c.Output), c.OutputCut)
	}
}

func TestCT31_NoListIsNoEmptyList(t *testing.T) {
	t.Parallel()
	p := NewProjector(nil)
	p.Config(nil, "response")
	p.Config(json.RawMessage(`null`), "response")
	if options, reported := p.Options(); reported || options != nil || p.Snapshot().HasOptions {
		t.Errorf("got %s, %v", options, reported)
	}
	p.Config(json.RawMessage(` [] `), "response")
	if options, reported := p.Options(); !reported || string(options) != "[]" || !p.Snapshot().HasOptions {
		t.Errorf("got %s, %v", options, reported)
	}
	p.Config(json.RawMessage(`null`), "response")
	if options, reported := p.Options(); !reported || string(options) != "[]" {
		t.Errorf("null cleared the list: %s, %v", options, reported)
	}
}
