package event

import (
	"encoding/json"
	"testing"
)

// TestCT41_RequiredAndOptional holds required fields of a wrong type against the
// update, and malformed hints against nothing but themselves.
func TestCT41_RequiredAndOptional(t *testing.T) {
	chunk := func(content string) string {
		return `{"sessionUpdate":"agent_message_chunk","content":` + content + `}`
	}
	for _, tc := range []struct {
		name, update string
		invalid      bool
		text         string // of the message
		content      string // its content block
	}{
		{"tool call without id", `{"sessionUpdate":"tool_call","title":"x"}`, true, "", ""},
		{"tool call with a number as id", `{"sessionUpdate":"tool_call","toolCallId":5,"title":"x"}`, true, "", ""},
		{"text with bad annotations", chunk(`{"type":"text","text":"kept","annotations":5}`), false, "kept", ""},
		{"text with bad metadata", chunk(`{"type":"text","text":"kept","_meta":"x"}`), false, "kept", ""},
		{"text that is none", chunk(`{"type":"text","text":5}`), true, "", ""},
		{"image with a bad uri", chunk(`{"type":"image","data":"QQ==","mimeType":"image/png","uri":5}`), false, "", `{"type":"image","data":"QQ==","mimeType":"image/png"}`},
		{"image without data", chunk(`{"type":"image","mimeType":"image/png"}`), true, "", ""},
		{"resource with a bad text and a blob", chunk(`{"type":"resource","resource":{"uri":"file:///x","text":1,"blob":"QQ=="}}`), false, "", `{"type":"resource","resource":{"uri":"file:///x","blob":"QQ=="}}`},
		{"resource with both", chunk(`{"type":"resource","resource":{"uri":"file:///x","text":"t","blob":"QQ=="}}`), false, "", `{"type":"resource","resource":{"uri":"file:///x","text":"t"}}`},
		{"resource with neither", chunk(`{"type":"resource","resource":{"uri":"file:///x"}}`), true, "", ""},
	} {
		p := NewProjector(nil)
		p.BeginTurn()
		bodies := append(p.Update(json.RawMessage(tc.update)), p.EndTurn(false)...)
		var message Message
		warned := false
		for _, b := range bodies {
			switch b := b.(type) {
			case Message:
				message = b
			case Warning:
				warned = warned || b.Code == "invalid_update"
			}
		}
		if warned != tc.invalid || message.Text != tc.text || !sameJSON(string(message.Content), tc.content) {
			t.Errorf("%s: invalid %v, text %q, content %s", tc.name, warned, message.Text, message.Content)
		}
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	_ = json.Unmarshal([]byte(a), &x)
	_ = json.Unmarshal([]byte(b), &y)
	ra, _ := json.Marshal(x)
	rb, _ := json.Marshal(y)
	return string(ra) == string(rb)
}
