package agentcore

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/model/anthropic"
	"github.com/acpctl/acpctl/agentcore/model/openai"
	"github.com/acpctl/acpctl/agentcore/model/wire"
)

// provider is a server that answers the first request with tool calls and each
// other one with a word, in the forms of both providers. It keeps the requests.
type provider struct {
	*httptest.Server
	calls [2]string // arguments of the calls, JSON text

	mu     sync.Mutex
	bodies []string
	keys   []string
}

func startProvider(t *testing.T, calls [2]string) *provider {
	t.Helper()
	p := &provider{calls: calls}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	p.bodies = append(p.bodies, string(body))
	p.keys = append(p.keys, r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"))
	first := len(p.bodies) == 1
	p.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(format string, args ...any) { fmt.Fprintf(w, "data: "+format+"\n\n", args...) }
	quoted := func(s string) []byte { raw, _ := json.Marshal(s); return raw }
	switch messages := strings.HasSuffix(r.URL.Path, "messages"); {
	case messages && first:
		for i, args := range p.calls {
			event(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"c%d","name":"shell"}}`, i, i)
			event(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%s}}`, i, quoted(args))
		}
		event(`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`)
		event(`{"type":"message_stop"}`)
	case messages:
		event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"ok"}}`)
		event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`)
		event(`{"type":"message_stop"}`)
	case first:
		for i, args := range p.calls {
			event(`{"choices":[{"delta":{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"shell","arguments":%s}}]}}]}`, i, i, quoted(args))
		}
		event(`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`)
	default:
		event(`{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}`)
	}
}

func (p *provider) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.bodies...)
}

// options offer the server as two models: a/m speaks chat completions, b/m
// messages.
func (p *provider) options(key string) Options {
	endpoint := func(path string) *wire.Endpoint {
		return &wire.Endpoint{URL: p.URL + path, Header: http.Header{"X-Api-Key": {key}}, Key: key, Client: p.Client(), Now: time.Now}
	}
	return Options{Models: &model.Catalog{Entries: []model.Entry{
		{Provider: "a", ID: "m", Model: &openai.Model{Endpoint: endpoint("/chat/completions")}},
		{Provider: "b", ID: "m", Model: &anthropic.Model{Endpoint: endpoint("/v1/messages")}},
	}}}
}

// wellFormed checks that each call in a request has its result directly behind it,
// once, in the form of either provider. It returns the number of results.
func wellFormed(t *testing.T, body string) int {
	t.Helper()
	var req struct {
		Messages []struct {
			Role       string `json:"role"`
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Function struct{ Arguments string }
			} `json:"tool_calls"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal([]byte(body), &req); err != nil || !utf8.ValidString(body) {
		t.Fatalf("the request is not valid: %v", err)
	}
	var open []string
	results := 0
	take := func(id string) {
		results++
		if len(open) == 0 || open[0] != id {
			t.Errorf("result of %s, while %q are open: %s", id, open, body)
			return
		}
		open = open[1:]
	}
	for i, m := range req.Messages {
		var blocks []struct {
			Type, ID  string
			ToolUseID string `json:"tool_use_id"`
		}
		_ = json.Unmarshal(m.Content, &blocks)
		if m.Role == "tool" {
			take(m.ToolCallID)
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				take(b.ToolUseID)
			}
		}
		if len(open) > 0 && (m.Role == "assistant" || i == len(req.Messages)-1) {
			t.Errorf("no result for %q: %s", open, body)
		}
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
			if !json.Valid([]byte(c.Function.Arguments)) {
				t.Errorf("arguments that are no JSON: %s", c.Function.Arguments)
			}
		}
		for _, b := range blocks {
			if b.Type == "tool_use" {
				open = append(open, b.ID)
			}
		}
	}
	return results
}

// TestF15_providerForm cancels the first of two calls: the next request has a
// result for both, in the form that each provider wants.
func TestF15_providerForm(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a/m", "b/m"} {
		server := startProvider(t, [2]string{`{"command":"sleep 600"}`, `{"command":"true"}`})
		st := setup{Options: server.options("")}
		st.DefaultModel = name
		p := start(t, &st)
		s := p.session(t.TempDir())
		set(p, s, "mode", "bypass")
		id := p.send("session/prompt", promptParams(s, "go"))
		p.find("the running call", func(f *frame) bool { return f.update()["status"] == "in_progress" })
		p.notify("session/cancel", `{"sessionId":"`+s+`"}`)
		if got := stopReason(t, p.response(id)); got != stopCancelled {
			t.Fatalf("%s: %s", name, got)
		}
		p.prompt(s, "continue")
		if bodies := server.seen(); len(bodies) != 2 || wellFormed(t, bodies[1]) != 2 {
			t.Errorf("%s: requests %q", name, bodies)
		}
	}
}

// TestF20d_HalfASurrogatePairInArguments runs a call whose arguments have one, and
// tells the model of one whose arguments are no JSON.
func TestF20d_HalfASurrogatePairInArguments(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a/m", "b/m"} {
		server := startProvider(t, [2]string{`{"command":"echo 'a\ud99cb'"}`, `{"command":`})
		st := setup{Options: server.options("")}
		st.DefaultModel = name
		core := newCore(t, &st)
		st.core = core
		p := start(t, &st)
		s := p.session(t.TempDir())
		set(p, s, "mode", "bypass")
		p.prompt(s, "go")
		bodies := server.seen()
		if len(bodies) != 2 || wellFormed(t, bodies[1]) != 2 || strings.Contains(strings.ToLower(bodies[1]), `\ud99c`) {
			t.Errorf("%s: requests %q", name, bodies)
		}
		if got := ends(p); got != "completed failed" {
			t.Errorf("%s: calls ended with %s", name, got)
		}
		if log := storedLog(t, core, p, s); !utf8.ValidString(log) || strings.Contains(log, `ud99c`) || !strings.Contains(log, "a\ufffdb") {
			t.Errorf("%s: stored is %s", name, log)
		}
	}
}

// TestAC85_TwoProvidersAtOnce plays two turns against two servers: each sees its own
// key alone.
func TestAC85_TwoProvidersAtOnce(t *testing.T) {
	t.Parallel()
	one, two := startProvider(t, [2]string{"{}", "{}"}), startProvider(t, [2]string{"{}", "{}"})
	o := one.options("key-one")
	other := two.options("key-two").Models.Entries[1]
	o.Models.Entries = []model.Entry{o.Models.Entries[0], other}
	o.DefaultModel = "a/m"
	p := start(t, &setup{Options: o, answer: allowing})
	first, second := p.session(t.TempDir()), p.session(t.TempDir())
	set(p, second, "model", "b/m")
	a, b := p.send("session/prompt", promptParams(first, "go")), p.send("session/prompt", promptParams(second, "go"))
	if x, y := stopReason(t, p.response(a)), stopReason(t, p.response(b)); x != stopEnd || y != stopEnd {
		t.Errorf("turns ended with %s and %s", x, y)
	}
	if got := fmt.Sprint(one.keys, two.keys); got != "[key-one key-one] [key-two key-two]" {
		t.Errorf("keys: %s", got)
	}
}
