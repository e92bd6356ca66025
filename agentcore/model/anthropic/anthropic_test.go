package anthropic

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/model/wire"
)

func streamed(t *testing.T, got *map[string]any, events ...string) *Model {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got != nil {
			_ = json.NewDecoder(r.Body).Decode(got)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			fmt.Fprintf(w, "event: x\ndata: %s\n\n", e)
		}
	}))
	t.Cleanup(s.Close)
	return &Model{&wire.Endpoint{URL: s.URL, Header: http.Header{}, Client: s.Client(), Now: time.Now}}
}

func told(t *testing.T, m *Model, req *model.Request) string {
	t.Helper()
	var out []string
	for c, err := range m.Stream(t.Context(), req) {
		switch {
		case err != nil:
			out = append(out, "error:"+err.Error())
		case c.Thought != "":
			out = append(out, "thought:"+c.Thought)
		case c.Text != "":
			out = append(out, "text:"+c.Text)
		case c.Call != nil:
			out = append(out, fmt.Sprintf("call:%s:%s:%s", c.Call.ID, c.Call.Name, c.Call.Args))
		}
		if c.End != "" {
			out = append(out, fmt.Sprintf("usage:%d/%d end:%s", c.Usage.InputTokens, c.Usage.OutputTokens, c.End))
		}
	}
	return strings.Join(out, " ")
}

const (
	start = `{"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":4,"output_tokens":1}}}`
	stop  = `{"type":"message_stop"}`
)

func ended(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":20}}`
}

func TestF26_F30_Messages(t *testing.T) {
	t.Parallel()
	call := []string{
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"read","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x\":\"\\u00"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"e9\"}"}}`,
	}
	for name, tc := range map[string]struct {
		events []string
		want   string
	}{
		"text and thought": {[]string{
			start, `{"type":"ping"}`, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"x"}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"hello"}}`, ended("end_turn"), stop,
		}, "thought:hm text:hello usage:9/20 end:stop"},
		"a call cut in an escape": {append(append([]string{start}, call...), ended("tool_use"), stop), `call:t1:read:{"x":"\u00e9"} usage:9/20 end:tool_calls`},
		"cut off":                 {append([]string{start}, call...), ""},
		"refusal":                 {[]string{start, ended("refusal"), stop}, "usage:9/20 end:refusal"},
		"context":                 {[]string{start, ended("model_context_window_exceeded"), stop}, "usage:9/20 end:max_tokens"},
		"pause":                   {[]string{start, ended("pause_turn"), stop}, "usage:9/20 end:pause_turn"},
		"error":                   {[]string{start, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, "error:the provider failed: Overloaded"},
	} {
		if got := told(t, streamed(t, nil, tc.events...), &model.Request{}); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	var got map[string]any
	req := &model.Request{Model: "m", Effort: "low", Messages: []model.Message{
		{Role: model.RoleSystem, Text: "be brief"},
		{Role: model.RoleUser, Text: "look"},
		{Role: model.RoleAssistant, Text: "ok", Calls: []model.Call{{ID: "a", Name: "read", Args: json.RawMessage(`{}`)}, {ID: "b", Name: "read", Args: json.RawMessage(`[1`)}}},
		{Role: model.RoleTool, CallID: "a", Text: "one"},
		{Role: model.RoleTool, CallID: "b", Text: "two", IsError: true},
		{Role: model.RoleUser, Text: "go on"},
	}, Tools: []model.ToolSpec{{Name: "read", Schema: json.RawMessage(`{"type":"object"}`)}}}
	told(t, streamed(t, &got, start, ended("end_turn"), stop), req)
	raw, _ := json.Marshal(got)
	want := `{"max_tokens":10240,"messages":[{"content":[{"text":"look","type":"text"}],"role":"user"},` +
		`{"content":[{"text":"ok","type":"text"},{"id":"a","input":{},"name":"read","type":"tool_use"},{"id":"b","input":{},"name":"read","type":"tool_use"}],"role":"assistant"},` +
		`{"content":[{"content":"one","tool_use_id":"a","type":"tool_result"},{"content":"two","is_error":true,"tool_use_id":"b","type":"tool_result"},{"cache_control":{"type":"ephemeral"},"text":"go on","type":"text"}],"role":"user"}],` +
		`"model":"m","stream":true,"system":[{"cache_control":{"type":"ephemeral"},"text":"be brief","type":"text"}],"thinking":{"budget_tokens":2048,"type":"enabled"},"tools":[{"input_schema":{"type":"object"},"name":"read"}]}`
	if string(raw) != want {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
	req.Messages, got = req.Messages[:5], nil
	told(t, streamed(t, &got, start, ended("end_turn"), stop), req)
	if got["thinking"] != nil {
		t.Error("a request behind tool calls thinks")
	}
}
