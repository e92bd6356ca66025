package acptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// TestMain makes the test binary the agent, if its first argument says so.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "play" {
		os.Exit(Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`

// conversation is what a client writes to open a session and prompt.
var conversation = []string{
	initialize,
	`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`,
	`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"sess-1","prompt":[{"type":"text","text":"hi"}]}}`,
}

// client is the test's side of a connection.
type client struct {
	t    *testing.T
	tr   jsonrpc.Transport
	wait func() error
}

func connect(t *testing.T, scenario string, opts *Options) *client {
	t.Helper()
	s, err := Parse("test", []byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	return clientOf(t, s, opts)
}

func clientOf(t *testing.T, s *Scenario, opts *Options) *client {
	t.Helper()
	tr, wait := Connect(s, opts)
	t.Cleanup(func() {
		_ = tr.Close()
		_ = wait()
	})
	return &client{t, tr, wait}
}

func (c *client) send(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		if err := c.tr.WriteFrame(context.Background(), []byte(line)); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *client) get() string {
	c.t.Helper()
	line, err := c.tr.ReadFrame()
	if err != nil {
		c.t.Fatal(err)
	}
	return string(line)
}

// want reads frames and compares them with what they contain.
func (c *client) want(docs ...string) {
	c.t.Helper()
	for _, doc := range docs {
		if line := c.get(); !contains([]byte(line), []byte(doc)) {
			c.t.Fatalf("got %s, want %s", line, doc)
		}
	}
}

func TestSendAndExpect(t *testing.T) {
	t.Parallel()
	c := connect(t, `
# Prose, and a frame over two lines.
> initialize {"protocolVersion":1}
< {"jsonrpc":"2.0","id":${initialize},
   "result":{"echo":${initialize:protocolVersion}}}
> session/prompt {"prompt":[{"text":"hi"}]}
session other
update {"sessionUpdate":"x","text":${session/prompt:prompt.0.text}}
notify _ext {"a":1}
request "q-1" session/request_permission {"options":[]}
> response "q-1" {"outcome":{"outcome":"selected"}}
request 7 fs/read_text_file {}
> error 7 {"code":-32601}
line not a frame
flood 2 5
fail session/prompt -32603 it "broke"
reply session/prompt {"late":true}
`, nil)
	c.send(initialize)
	c.want(`{"jsonrpc":"2.0","id":0,"result":{"echo":1}}`)
	c.send(conversation[2])
	c.want(`{"method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"x","text":"hi"}}}`,
		`{"method":"_ext","params":{"a":1}}`, `{"id":"q-1","method":"session/request_permission"}`)
	c.send(`{"jsonrpc":"2.0","id":"q-1","result":{"outcome":{"outcome":"selected","optionId":"a"}}}`)
	c.want(`{"id":7,"method":"fs/read_text_file"}`)
	c.send(`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}}`)
	if got := c.get(); got != "not a frame" {
		t.Errorf("got %q", got)
	}
	chunk := `{"params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"the q"}}}}`
	c.want(chunk, chunk, `{"id":2,"error":{"code":-32603,"message":"it \"broke\""}}`, `{"id":2,"result":{"late":true}}`)
	c.send(`{"jsonrpc":"2.0","id":8,"method":"session/close","params":{}}`, `{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":{}}`)
	c.want(`{"id":8,"result":{}}`, `{"id":9,"error":{"code":-32601}}`)
	_ = c.tr.Close()
	if err := c.wait(); err != nil {
		t.Errorf("the agent ended with %v", err)
	}
}

func TestMismatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, scenario, sent, want string }{
		{"method", "> session/new", initialize, "test:1"},
		{"params", "# prose\n\n> initialize {\"protocolVersion\":2}", initialize, "test:3"},
		{"missing member", "> initialize {\"new\":null}", initialize, "test:1"},
		{"answer to another request", "> response 1", `{"jsonrpc":"2.0","id":2,"result":{}}`, "test:1"},
		{"open", "open", conversation[2], "want initialize"},
		{"input ends", "> initialize", "", "the input ended"},
		{"placeholder", "reply initialize {}", "", "no initialize"},
		{"member", "> initialize\n< ${initialize:a.b}", initialize, "have no a.b"},
		{"not JSON", "> initialize", "log", "the client sent"},
		{"process", "ignore term", "", "process of its own"},
		{"child", "spawn f sleep 1", "", "process of its own"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, tt.scenario, nil)
			if tt.sent != "" {
				c.send(tt.sent)
			} else {
				_ = c.tr.(*clientEnd).Transport.Close()
			}
			if err := c.wait(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"# prose\nnonsense 1", "s:2: unknown instruction \"nonsense\""},
		{">", "> takes 1 to 2"},
		{"open now", "open takes"},
		{"reply initialize", "reply takes"},
		{"reply initialize {", "not JSON"},
		{"> initialize {", "not JSON"},
		{"> response 1 {", "not JSON"},
		{"> response", "response"},
		{"update {\"a\":${x:y.z}, }", "not JSON"},
		{"flood many 5", "many"},
		{"flood 5 many", "not a number"},
		{"exit now", "not a number"},
		{"wait long", "invalid duration"},
		{"ignore all", "eof or term"},
		{"polite very", "plain or nothing"},
	} {
		s, err := Parse("s", []byte(tt.text))
		if tt.text == "> response" { // a method may have that name; it is no answer
			if err != nil || len(s.steps) != 1 {
				t.Errorf("%q: %v", tt.text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "s:") {
			t.Errorf("%q: got %v, want %q in it", tt.text, err, tt.want)
		}
	}
}

func TestAuto(t *testing.T) {
	t.Parallel()
	c := connect(t, `
auto session/cancel
auto session/load {"a":1}
auto response
> initialize
reply initialize {}
`, nil)
	c.send(`{"jsonrpc":"2.0","method":"session/cancel"}`, `{"jsonrpc":"2.0","id":4,"method":"session/load"}`,
		`{"jsonrpc":"2.0","id":"x","result":{}}`, initialize)
	c.want(`{"id":4,"result":{"a":1}}`, `{"id":0,"result":{}}`)
}

func TestOpenAnswersConfig(t *testing.T) {
	t.Parallel()
	c := connect(t, "open\n> session/prompt\nreply session/prompt {}", nil)
	c.send(conversation[0], conversation[1],
		`{"jsonrpc":"2.0","id":5,"method":"session/set_config_option","params":{"sessionId":"sess-1","configId":"model","value":"m-large"}}`,
		`{"jsonrpc":"2.0","id":6,"method":"session/set_config_option","params":{"sessionId":"sess-1","configId":"model","value":"none"}}`,
		conversation[2])
	c.want(`{"id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"close":{}}}}}`,
		`{"id":1,"result":{"sessionId":"sess-1"}}`)
	if line := c.get(); !strings.Contains(line, `"currentValue":"m-large"`) || !strings.Contains(line, `"currentValue":"low"`) {
		t.Errorf("got %s", line)
	}
	c.want(`{"id":6,"error":{"code":-32602}}`, `{"id":2,"result":{}}`)
}

func TestPolite(t *testing.T) {
	t.Parallel()
	outcome := func(option string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"ask-1","result":{"outcome":{"outcome":"selected","optionId":%q}}}`, option)
	}
	update := func(kind, more string) string {
		return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"sess-1","update":{"sessionUpdate":%q%s}}}`, kind, more)
	}
	said := func(text string) []string {
		return []string{
			update("agent_message_chunk", fmt.Sprintf(`,"messageId":"msg-1","content":{"type":"text","text":%q}`, text[:4])),
			update("agent_message_chunk", fmt.Sprintf(`,"messageId":"msg-1","content":{"type":"text","text":%q}`, text[4:])),
			update("usage_update", ""), `{"id":2,"result":{"stopReason":"end_turn"}}`,
		}
	}
	for _, tt := range []struct {
		name   string
		answer []string
		want   []string
	}{
		{"allowed", []string{outcome("allow")}, append([]string{update("tool_call_update", `,"status":"in_progress"`), update("tool_call_update", `,"status":"completed"`)}, said("Done: hi")...)},
		{"rejected", []string{outcome("reject")}, append([]string{update("tool_call_update", `,"status":"failed"`)}, said("Not allowed.")...)},
		{"answered cancelled", []string{`{"jsonrpc":"2.0","id":"ask-1","result":{"outcome":{"outcome":"cancelled"}}}`, `{"jsonrpc":"2.0","method":"session/cancel"}`}, []string{`{"id":2,"result":{"stopReason":"cancelled"}}`}},
		{"cancelled first", []string{`{"jsonrpc":"2.0","method":"session/cancel"}`, outcome("allow")}, []string{`{"id":2,"result":{"stopReason":"cancelled"}}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := clientOf(t, Polite(false), nil)
			c.send(conversation...)
			c.want(`{"id":0}`, `{"id":1}`, update("agent_thought_chunk", ""), update("tool_call", `,"status":"pending","kind":"execute"`),
				`{"id":"ask-1","method":"session/request_permission","params":{"sessionId":"sess-1"}}`)
			c.send(tt.answer...)
			c.want(tt.want...)
			c.send(`{"jsonrpc":"2.0","id":3,"method":"session/close"}`, `{"jsonrpc":"2.0","id":4,"method":"no/such"}`)
			c.want(`{"id":3,"result":{}}`, `{"id":4,"error":{"code":-32601}}`)
		})
	}
}

func TestPoliteRefusesASecondPrompt(t *testing.T) {
	t.Parallel()
	c := clientOf(t, Polite(false), nil)
	c.send(append(conversation, conversation[2])...)
	if err := c.wait(); !errors.Is(err, errMismatch) {
		t.Errorf("got %v", err)
	}
}

func TestPartialEndsTheStream(t *testing.T) {
	t.Parallel()
	c := connect(t, `partial {"jsonrpc":"2.0","id":0,"resu`, nil)
	if got := c.get(); got != `{"jsonrpc":"2.0","id":0,"resu` {
		t.Errorf("got %q", got)
	}
	if _, err := c.tr.ReadFrame(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want the end", err)
	}
}

func TestExitHangAndEOF(t *testing.T) {
	t.Parallel()
	c := connect(t, "exit 7\nline never", nil)
	if _, err := c.tr.ReadFrame(); !errors.Is(err, io.EOF) || c.wait() != nil {
		t.Errorf("exit: got %v", err)
	}
	for _, scenario := range []string{"hang", "ignore eof\n> initialize", "ignore eof"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			client, agent := jsonrpc.Pipe()
			s, err := Parse("s", []byte(scenario))
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- s.Serve(ctx, agent, nil) }()
			_ = client.Close()
			synctest.Wait()
			select {
			case err := <-ended:
				t.Errorf("%q ended with %v", scenario, err)
			default:
			}
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("%q: %v", scenario, err)
			}
		})
	}
}

func TestWaitAndStderr(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var stderr bytes.Buffer
		c := connect(t, "wait 1h\nstderr a b\nnoise 2\nline done", &Options{Stderr: &stderr})
		began := time.Now()
		if c.get() != "done" || time.Since(began) != time.Hour {
			t.Errorf("waited %s", time.Since(began))
		}
		if got := strings.Split(stderr.String(), "\n"); len(got) != 4 || got[0] != "a b" {
			t.Errorf("stderr is %q", got)
		}
	})
	var waited time.Duration
	c := connect(t, "wait 5s\nline done", &Options{Wait: func(_ context.Context, d time.Duration) error {
		waited = d
		return nil
	}})
	if c.get() != "done" || waited != 5*time.Second {
		t.Errorf("waited %s", waited)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"open\n> session/prompt {\"a\":[1]}\nreply session/prompt {}", "> response 1 {}\n  x", "flood 3 4\nexit 1\n#\n\n\tx", "auto a\nauto b {}", "${x",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse("s", text)
		if err != nil {
			return
		}
		for _, st := range s.steps {
			again, err := parseStep(strings.TrimSpace(st.verb + " " + strings.Join(st.args, " ")))
			if again.line = st.line; err != nil || !cmp.Equal(again, st, cmp.AllowUnexported(step{})) {
				t.Fatalf("%#v became %#v: %v", st, again, err)
			}
		}
	})
}
