package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/model/wire"
)

// served answers every request by serve and returns a model of that endpoint.
func served(t *testing.T, serve http.HandlerFunc) *Model {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(s.Close)
	return &Model{&wire.Endpoint{
		URL: s.URL, Header: http.Header{"Authorization": {"Bearer key-123456"}}, Key: "key-123456", Client: wire.NewClient(s.Client().Transport),
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}}
}

// streamed answers with these events.
func streamed(t *testing.T, events ...string) *Model {
	t.Helper()
	return served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, e := range events {
			fmt.Fprintf(w, "data: %s\n\n", e)
		}
	})
}

// told plays one answer and says in a line what came.
func told(t *testing.T, m *Model, req *model.Request) (string, error) {
	t.Helper()
	var out []string
	for c, err := range m.Stream(t.Context(), req) {
		if err != nil {
			return strings.Join(out, " "), err
		}
		if c.Thought != "" {
			out = append(out, "thought:"+c.Thought)
		}
		if c.Text != "" {
			out = append(out, "text:"+c.Text)
		}
		if c.Call != nil {
			out = append(out, fmt.Sprintf("call:%s:%s:%s", c.Call.ID, c.Call.Name, c.Call.Args))
		}
		if c.Usage != nil {
			out = append(out, fmt.Sprintf("usage:%d/%d", c.Usage.InputTokens, c.Usage.OutputTokens))
		}
		if c.End != "" {
			out = append(out, "end:"+string(c.End))
		}
	}
	return strings.Join(out, " "), nil
}

func delta(d string) string {
	return `{"choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}`
}

func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

func TestF26_CallsInFragments(t *testing.T) {
	t.Parallel()
	fragment := func(f string) string { return delta(`{"tool_calls":[` + f + `]}`) }
	for name, tc := range map[string]struct {
		events []string
		want   string
	}{
		"two at once": {[]string{
			fragment(`{"index":0,"id":"c1","function":{"name":"read","arguments":""}}`), fragment(`{"index":0,"id":null,"function":{"name":null,"arguments":"{\""}}`),
			fragment(`{"index":1,"id":"c2","function":{"name":"list","arguments":"{}"}}`), fragment(`{"index":0,"function":{"arguments":"path\":\"a b"}}`),
			fragment(`{"index":0,"id":"","function":{"name":"","arguments":".txt\"}"}}`), finish("tool_calls"),
		}, `call:c1:read:{"path":"a b.txt"} call:c2:list:{} end:tool_calls`},
		"without index":             {[]string{fragment(`{"id":"c1","function":{"name":"a","arguments":"{\"x\""}}`), fragment(`{"function":{"arguments":":1}"}}`), fragment(`{"id":"c2","function":{"name":"b","arguments":""}}`), finish("tool_calls")}, `call:c1:a:{"x":1} call:c2:b:{} end:tool_calls`},
		"repeated id":               {[]string{fragment(`{"id":"c1","function":{"name":"a","arguments":"{"}}`), fragment(`{"id":"c1","function":{"name":"a","arguments":"}"}}`), finish("tool_calls")}, `call:c1:a:{} end:tool_calls`},
		"cut in an escape":          {[]string{fragment(`{"index":0,"id":"c","function":{"name":"a","arguments":"{\"x\":\"\\u00"}}`), fragment(`{"index":0,"function":{"arguments":"e9\"}"}}`), finish("tool_calls")}, `call:c:a:{"x":"\u00e9"} end:tool_calls`},
		"stop all the same":         {[]string{fragment(`{"index":0,"id":"c","function":{"name":"a","arguments":"{}"}}`), finish("stop")}, `call:c:a:{} end:tool_calls`},
		"cut in a letter":           {[]string{fragment(`{"index":0,"id":"c","function":{"name":"a","arguments":"{\"x\":\"\u00e9\ud83d\ude00\"}"}}`), finish("tool_calls")}, `call:c:a:{"x":"é😀"} end:tool_calls`},
		"half a surrogate":          {[]string{fragment(`{"index":0,"id":"c","function":{"name":"a","arguments":"{\"x\":\"a\\ud9"}}`), fragment(`{"index":0,"function":{"arguments":"9c b\"}"}}`), finish("tool_calls")}, `call:c:a:{"x":"a\ufffd b"} end:tool_calls`},
		"no JSON":                   {[]string{fragment(`{"index":0,"id":"c","function":{"name":"a","arguments":"{oops"}}`), finish("tool_calls")}, `call:c:a:{oops end:tool_calls`},
		"cut off":                   {[]string{fragment(`{"index":0,"id":"c","function":{"name":"a","arguments":"{\"x"}}`)}, ``},
		"old finish, twice":         {[]string{fragment(`{"index":0,"id":"c","function":{"name":"a","arguments":"{}"}}`), finish("function_call"), finish("stop")}, `call:c:a:{} end:tool_calls`},
		"parameterless, empty text": {[]string{delta(`{"content":""}`), delta(`{}`), fragment(`{"index":0,"id":"c","function":{"name":"a"}}`), finish("tool_calls")}, `call:c:a:{} end:tool_calls`},
	} {
		if got, err := told(t, streamed(t, append(tc.events, "[DONE]")...), &model.Request{}); err != nil || got != tc.want {
			t.Errorf("%s: %s, %v\nwant %s", name, got, err, tc.want)
		}
	}
}

func TestF29_F30_Endings(t *testing.T) {
	t.Parallel()
	usage := `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}`
	for name, tc := range map[string]struct {
		events []string
		want   string
	}{
		"nothing said":    {[]string{delta(`{"role":"assistant","content":""}`), finish("stop"), usage}, "usage:9/1 end:stop"},
		"thoughts alone":  {[]string{delta(`{"reasoning_content":"hm"}`), finish("stop"), usage}, "thought:hm usage:9/1 end:stop"},
		"length":          {[]string{delta(`{"content":"a"}`), finish("length")}, "text:a end:max_tokens"},
		"filter":          {[]string{finish("content_filter")}, "end:refusal"},
		"refusal":         {[]string{delta(`{"refusal":"no"}`), finish("stop")}, "text:no end:refusal"},
		"unknown":         {[]string{delta(`{"content":"a"}`), finish("eos")}, "text:a end:eos"},
		"no finish":       {[]string{delta(`{"content":"a"}`)}, "text:a"},
		"other reasoning": {[]string{delta(`{"reasoning":"hm","content":"a"}`), finish("stop")}, "thought:hm text:a end:stop"},
		"lone surrogate":  {[]string{delta(`{"content":"a\ud83d"}`), finish("stop")}, "text:a\ufffd end:stop"},
	} {
		if got, err := told(t, streamed(t, append(tc.events, "[DONE]")...), &model.Request{}); err != nil || got != tc.want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, tc.want)
		}
	}
}

// TestF28_Errors sorts what endpoints answer instead.
func TestF28_Errors(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		header string
		kind   string
		body   string
		reason string
		again  bool
		wait   time.Duration
		says   string
	}{
		"key":              {401, "", "application/json", `{"error":{"message":"bad key key-123456"}}`, model.ReasonAuth, false, 0, "bad key ***"},
		"rate":             {429, "2", "application/json", `{"error":{"message":"slow"}}`, model.ReasonRateLimited, true, 2 * time.Second, "slow"},
		"rate, a date":     {429, "Fri, 02 Jan 2026 03:04:35 GMT", "", ``, model.ReasonRateLimited, true, 30 * time.Second, "429"},
		"rate, too long":   {429, "990", "", ``, model.ReasonRateLimited, true, 990 * time.Second, "429"},
		"quota":            {429, "", "application/json", `{"error":{"code":"insufficient_quota","message":"pay"}}`, model.ReasonRateLimited, false, 0, "pay"},
		"quota, by status": {402, "", "application/json", `{"error":{"message":"Insufficient Balance","code":"invalid_request_error"}}`, model.ReasonRateLimited, false, 0, "Balance"},
		"in a list":        {429, "", "application/json", `[{"error":{"code":429,"message":"slower","status":"RESOURCE_EXHAUSTED"}}]`, model.ReasonRateLimited, true, 0, "slower"},
		"bare":             {400, "", "application/json", `{"object":"error","message":"maximum context length is 10","type":"BadRequestError","code":400}`, model.ReasonContextOverflow, false, 0, "maximum context"},
		"a detail":         {404, "", "application/json", `{"detail":"Not Found"}`, model.ReasonProvider, false, 0, "404 Not Found: Not Found"},
		"a number":         {200, "", "text/event-stream", "data: {\"error\":{\"code\":502,\"message\":\"upstream\"},\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n", model.ReasonProvider, true, 0, "upstream"},
		"elsewhere":        {308, "", "", ``, model.ReasonProvider, false, 0, "308"},
		"busy":             {503, "", "", ``, model.ReasonOverloaded, true, 0, "503"},
		"server":           {500, "", "text/html", `<html>oops</html>`, model.ReasonProvider, true, 0, "oops"},
		"context":          {400, "", "application/json", `{"error":{"code":"context_length_exceeded","message":"too long"}}`, model.ReasonContextOverflow, false, 0, "too long"},
		"bad request":      {400, "", "application/json", `{"error":"no such model"}`, model.ReasonProvider, false, 0, "no such model"},
		"a page":           {200, "", "text/html", `<html>Log in</html>`, model.ReasonProvider, false, 0, `"text/html"`},
		"an error object":  {200, "", "application/json", `{"error":{"type":"server_error","message":"later"}}`, model.ReasonProvider, true, 0, "later"},
		"in the stream":    {200, "", "text/event-stream", "data: {\"error\":{\"message\":\"overloaded\",\"type\":\"overloaded_error\"}}\n\n", model.ReasonOverloaded, true, 0, "overloaded"},
	} {
		m := served(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tc.kind)
			if tc.header != "" {
				w.Header().Set("Retry-After", tc.header)
			}
			if tc.status == http.StatusPermanentRedirect {
				w.Header().Set("Location", "/elsewhere")
			}
			w.WriteHeader(tc.status)
			_, _ = io.WriteString(w, tc.body)
		})
		_, err := told(t, m, &model.Request{})
		var e *model.Error
		if !errors.As(err, &e) || e.Reason != tc.reason || e.Retryable != tc.again || e.RetryAfter != tc.wait || !strings.Contains(e.Message, tc.says) {
			t.Errorf("%s: %+v", name, err)
		}
		if e != nil && strings.Contains(e.Message, "key-123456") {
			t.Errorf("%s: the key is told: %s", name, e.Message)
		}
	}
}

func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	m := served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "data: "+delta(`{"content":"half"}`)+"\n\n")
	})
	got, err := told(t, m, &model.Request{})
	var e *model.Error
	if got != "text:half" || !errors.As(err, &e) || !e.Retryable {
		t.Errorf("%s, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range m.Stream(ctx, &model.Request{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

// TestRequest holds a whole history against the form of the wire.
func TestRequest(t *testing.T) {
	t.Parallel()
	var got map[string]any
	m := served(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil || r.Header.Get("Authorization") != "Bearer key-123456" {
			t.Errorf("request: %v, %v", err, r.Header)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\n", finish("stop"))
	})
	req := &model.Request{Model: "m", Effort: "high", MaxTokens: 7, Messages: []model.Message{
		{Role: model.RoleSystem, Text: "be brief"},
		{Role: model.RoleUser, Text: "look", Images: []model.Image{{MIMEType: "image/png", Data: []byte("x")}}},
		{Role: model.RoleAssistant, Calls: []model.Call{{ID: "c1", Name: "read", Args: json.RawMessage(`{oops`)}}},
		{Role: model.RoleTool, CallID: "c1", Text: "no JSON", IsError: true},
	}, Tools: []model.ToolSpec{{Name: "read", Description: "reads", Schema: json.RawMessage(`{"type":"object"}`)}}}
	if _, err := told(t, m, req); err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(got)
	want := `{"max_tokens":7,"messages":[{"content":"be brief","role":"system"},{"content":[{"text":"look","type":"text"},{"image_url":{"url":"data:image/png;base64,eA=="},"type":"image_url"}],"role":"user"},` +
		`{"content":null,"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"read"},"id":"c1","type":"function"}]},{"content":"no JSON","role":"tool","tool_call_id":"c1"}],` +
		`"model":"m","reasoning_effort":"high","stream":true,"stream_options":{"include_usage":true},"tools":[{"function":{"description":"reads","name":"read","parameters":{"type":"object"}},"type":"function"}]}`
	if string(raw) != want {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
}
