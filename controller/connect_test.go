package controller

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

func TestCT01_InitializeIsSentAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		frames := make(chan string, 8)
		opts, rec := options()
		opts.Tap = func(dir string, f []byte) {
			if dir == "out" {
				frames <- string(f)
			}
		}
		connect(t, opts, func(p *peer) {
			f := p.expect("initialize")
			time.Sleep(time.Second)
			if len(frames) != 1 {
				t.Errorf("%d frames before the answer to initialize, want 1", len(frames))
			}
			p.reply(f, `{"protocolVersion":1,"agentInfo":{"name":"peer","version":"9"},"authMethods":[{"id":"x"}]}`)
		})
		start := only[event.AgentStart](t, rec)
		if start.Name != "peer" || start.Version != "9" || start.ProtocolVersion != 1 || string(start.AuthMethods) != `[{"id":"x"}]` {
			t.Errorf("agent.start is %+v", start)
		}
	})
}

func TestCT02_OnlyVersion1IsAccepted(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, result, reason, message string }{
		{"newer", `{"protocolVersion":2}`, "unsupported_version", "version 2; version 1 was offered"},
		{"echo", `{"protocolVersion":99}`, "unsupported_version", "version 99"},
		{"missing", `{}`, "invalid_initialize", "no integer protocolVersion"},
		{"text", `{"protocolVersion":"1"}`, "invalid_initialize", "no integer protocolVersion"},
		{"fraction", `{"protocolVersion":1.5}`, "invalid_initialize", "no integer protocolVersion"},
		{"null", `null`, "invalid_initialize", "no integer protocolVersion"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts, rec := options()
			later := make(chan string, 1)
			_, err := Connect(t.Context(), playing(t, func(p *peer) {
				p.reply(p.expect("initialize"), tc.result)
				if f, err := p.read(); err == nil {
					later <- f.raw
				}
			}), opts)
			f := failure(t, err, event.ClassStart, tc.reason)
			if !strings.Contains(f.Message, tc.message) {
				t.Errorf("message %q does not contain %q", f.Message, tc.message)
			}
			if f.ExitCode() != event.ExitStart {
				t.Errorf("exit code %d", f.ExitCode())
			}
			select {
			case raw := <-later:
				t.Errorf("a frame was written afterwards: %s", raw)
			default:
			}
			if got := rec.types(); got != "" {
				t.Errorf("events %q of a connection that never was", got)
			}
		})
	}
}

func TestCT02_InitializeErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		code int
		want event.Class
	}{{"internal", -32603, event.ClassStart}, {"auth", -32000, event.ClassAuth}, {"not found", -32601, event.ClassStart}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := Connect(t.Context(), playing(t, func(p *peer) {
				p.replyError(p.expect("initialize"), tc.code, "no", `"why"`)
			}), nil)
			if f := event.AsFailure(err); f == nil || f.Class != tc.want || string(f.Data) != `"why"` {
				t.Errorf("got %+v, want class %s with the agent's data", f, tc.want)
			}
		})
	}
}

func TestCT02_InitializeDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		_, err := Connect(t.Context(), playing(t, func(p *peer) { p.expect("initialize") }), nil)
		failure(t, err, event.ClassStart, "no_answer")
		if d := time.Since(begin); d != 60*time.Second {
			t.Errorf("gave up after %s, want 60 s", d)
		}
	})
}

// spyAgent counts how often it is opened.
type spyAgent struct {
	Agent
	opened int
}

func (a *spyAgent) Open(ctx context.Context) (Link, error) {
	a.opened++
	return a.Agent.Open(ctx)
}

func TestCT03_DraftVersionNeedsTwoActs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name         string
		version      int
		experimental []int
		reason       string
	}{
		{"offer without admission", 2, nil, "experimental_version"},
		{"unknown experiment", 1, []int{3}, "unknown_version"},
		{"unknown offer", 3, []int{2}, "unknown_version"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			agent := &spyAgent{Agent: playing(t, func(*peer) {})}
			_, err := Connect(t.Context(), agent, &Options{ProtocolVersion: tc.version, Experimental: tc.experimental})
			failure(t, err, event.ClassUsage, tc.reason)
			if agent.opened != 0 {
				t.Error("the agent was opened")
			}
		})
	}
	t.Run("agent chooses 1", func(t *testing.T) {
		t.Parallel()
		c := connect(t, &Options{ProtocolVersion: 2, Experimental: []int{2}}, func(p *peer) {
			f := p.expect("initialize")
			if !strings.Contains(string(f.Params), `"protocolVersion":2`) {
				t.Errorf("offered %s", f.Params)
			}
			p.reply(f, `{"protocolVersion":1}`)
		})
		if c.info.Name != "" {
			t.Errorf("agent name %q out of nowhere", c.info.Name)
		}
	})
}

const goldenInitialize = `{"clientCapabilities":{` +
	`"_meta":{"chrys":{"callbacks":["_chrys/request_input"],"notifications":["_chrys/attempt_discarded"],"version":1}},` +
	`"elicitation":{"form":{}},"fs":{"readTextFile":false,"writeTextFile":false},` +
	`"session":{"configOptions":{"boolean":{}}},"terminal":false},` +
	`"clientInfo":{"name":"acpctl","version":"1"},"protocolVersion":1}`

func TestCT04_CapabilitiesNameWhatHasAHandler(t *testing.T) {
	t.Parallel()
	opts, _ := options()
	s := session(t, opts, func(p *peer) {
		f := p.expect("initialize")
		if string(f.Params) != goldenInitialize {
			t.Errorf("initialize params\n got %s\nwant %s", f.Params, goldenInitialize)
		}
		p.reply(f, `{"protocolVersion":1}`)
		p.reply(p.expect("session/new"), `{"sessionId":"s-1"}`)
		prompt := p.expect("session/prompt")
		for i, tc := range []struct {
			method string
			served bool
		}{
			{"elicitation/create", true},
			{"_chrys/request_input", true},
			{"session/request_permission", true},
			{"fs/read_text_file", false},
			{"fs/write_text_file", false},
			{"terminal/create", false},
			{"_x/y", false},
		} {
			p.request(string(rune('1'+i)), tc.method, `{"sessionId":"s-1"}`)
			answer := p.expect("")
			if answer.Error == nil || (answer.Error.Code != jsonrpc.CodeMethodNotFound) != tc.served {
				t.Errorf("%s: answered %s, served should be %v", tc.method, answer.raw, tc.served)
			}
		}
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Error(err)
	}
}

func TestCT05_NothingIsSentThatWasNotAnnounced(t *testing.T) {
	t.Parallel()
	block := func(raw string) Prompt { return Prompt{Blocks: []json.RawMessage{json.RawMessage(raw)}} }
	for _, tc := range []struct {
		name, capabilities, lacking string
		params                      SessionParams
		prompt                      Prompt
	}{
		{name: "directories", lacking: "additionalDirectories", params: SessionParams{AddDirs: []string{"/more"}}},
		{name: "http", lacking: "mcpCapabilities.http", params: SessionParams{MCPServers: []MCPServer{{Name: "d", Type: "http", URL: "http://h"}}}},
		{name: "sse", lacking: "mcpCapabilities.sse", capabilities: `{"mcpCapabilities":{"http":true}}`, params: SessionParams{MCPServers: []MCPServer{{Name: "d", Type: "sse"}}}},
		{name: "image", lacking: "promptCapabilities.image", capabilities: `{"promptCapabilities":{}}`, prompt: block(`{"type":"image","data":"QQ==","mimeType":"image/png"}`)},
		{name: "image null", lacking: "promptCapabilities.image", capabilities: `{"promptCapabilities":null}`, prompt: block(`{"type":"image"}`)},
		{name: "audio", lacking: "promptCapabilities.audio", capabilities: `{"promptCapabilities":{"image":true}}`, prompt: block(`{"type":"audio"}`)},
		{name: "resource", lacking: "promptCapabilities.embeddedContext", prompt: block(`{"type":"resource","resource":{}}`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var sent []string
			c := connect(t, &Options{Tap: func(dir string, f []byte) {
				if dir == "out" {
					sent = append(sent, string(f))
				}
			}}, func(p *peer) {
				p.initialize(orText(tc.capabilities, `{}`))
				if tc.prompt.Blocks != nil {
					p.reply(p.expect("session/new"), `{"sessionId":"s-1"}`)
				}
			})
			tc.params.Cwd = "/work"
			s, err := c.NewSession(t.Context(), tc.params)
			if tc.prompt.Blocks != nil {
				if err != nil {
					t.Fatal(err)
				}
				_, err = s.Prompt(t.Context(), tc.prompt)
			}
			f := failure(t, err, event.ClassStart, "unsupported_by_agent")
			if !strings.Contains(f.Message, tc.lacking) {
				t.Errorf("message %q does not name %s", f.Message, tc.lacking)
			}
			_ = c.Close(t.Context())
			for _, raw := range sent {
				if strings.Contains(raw, "session/prompt") || tc.prompt.Blocks == nil && strings.Contains(raw, "session/new") {
					t.Errorf("sent %s", raw)
				}
			}
		})
	}
}

func TestF25_PartlyFilledCapabilities(t *testing.T) {
	t.Parallel()
	caps := readCapabilities(json.RawMessage(`{"promptCapabilities":{"image":true},"mcpCapabilities":5,"sessionCapabilities":{"close":{},"list":null,"resume":false},"loadSession":true}`))
	if !caps.Image || caps.Audio || caps.MCPHTTP || !caps.CloseSession || caps.List || caps.Resume || !caps.LoadSession {
		t.Errorf("got %+v", caps)
	}
}

func TestF13_ServersOnTheWire(t *testing.T) {
	t.Parallel()
	c := connect(t, nil, func(p *peer) {
		p.initialize(`{"mcpCapabilities":{"http":true}}`)
		f := p.expect("session/new")
		want := `{"cwd":"/work","mcpServers":[` +
			`{"args":["-x"],"command":"/bin/a","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"name":"one"},` +
			`{"args":[],"command":"/bin/b","env":[],"name":"two"},` +
			`{"headers":[{"name":"H","value":"v"}],"name":"three","type":"http","url":"http://h"}]}`
		if string(f.Params) != want {
			t.Errorf("session/new params\n got %s\nwant %s", f.Params, want)
		}
		p.reply(f, `{"sessionId":"s-1"}`)
		f = p.expect("session/new")
		if want := `{"cwd":"/work","mcpServers":[]}`; string(f.Params) != want {
			t.Errorf("session/new params %s, want %s", f.Params, want)
		}
		p.reply(f, `{"sessionId":"s-2"}`)
	})
	for _, servers := range [][]MCPServer{{
		{Name: "one", Command: "/bin/a", Args: []string{"-x"}, Env: []NameValue{{"A", "1"}, {"B", "2"}}},
		{Name: "two", Command: "/bin/b"},
		{Name: "three", Type: "http", URL: "http://h", Headers: []NameValue{{"H", "v"}}},
	}, nil} {
		if _, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work", MCPServers: servers}); err != nil {
			t.Error(err)
		}
	}
}

func TestAuthenticationIsNamed(t *testing.T) {
	t.Parallel()
	c := connect(t, nil, func(p *peer) {
		p.reply(p.expect("initialize"), `{"protocolVersion":1,"authMethods":[{"id":"login","name":"Log in","description":"with a browser"},{"id":"key","name":"API key"}]}`)
		p.replyError(p.expect("session/new"), -32000, "Authentication required", `null`)
	})
	_, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
	f := failure(t, err, event.ClassAuth, "auth_required")
	want := "authentication method login: with a browser|authentication method key: API key"
	if got := strings.Join(f.Hints, "|"); got != want || f.ExitCode() != event.ExitAuth {
		t.Errorf("hints %q, exit %d", f.Hints, f.ExitCode())
	}
}

func TestNewSessionRefusals(t *testing.T) {
	t.Parallel()
	c := connect(t, nil, func(p *peer) {
		p.initialize(`{"loadSession":true}`)
		p.reply(p.expect("session/new"), `{}`)
		p.reply(p.expect("session/new"), `{"sessionId":"s-1"}`)
		p.reply(p.expect("session/new"), `{"sessionId":"s-1"}`)
	})
	if !c.Capabilities().LoadSession {
		t.Errorf("capabilities %+v", c.Capabilities())
	}
	open := func(cwd string) error {
		_, err := c.NewSession(t.Context(), SessionParams{Cwd: cwd})
		return err
	}
	failure(t, open("rel"), event.ClassUsage, "relative_cwd")
	failure(t, open("/work"), event.ClassProtocol, "invalid_response") // no id
	if err := open("/work"); err != nil {
		t.Error(err)
	}
	failure(t, open("/work"), event.ClassProtocol, "invalid_response") // an id twice
	_ = c.Close(t.Context())
	failure(t, open("/work"), event.ClassProtocol, "connection_lost")
}

func TestSessionNewDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, nil, func(p *peer) {
			p.initialize(`{}`)
			p.expect("session/new")
			p.expect("$/cancel_request")
		})
		begin := time.Now()
		_, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
		if f := failure(t, err, event.ClassProtocol, "no_answer"); f.ExitCode() != event.ExitFailure {
			t.Errorf("exit code %d", f.ExitCode())
		}
		if d := time.Since(begin); d != 120*time.Second {
			t.Errorf("gave up after %s", d)
		}
		synctest.Wait() // the agent is told
	})
}

func TestCloseWhileATurnRuns(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(c *Conn, s *Session){
		"connection": func(c *Conn, _ *Session) { _ = c.Close(context.Background()) },
		"session":    func(_ *Conn, s *Session) { _ = s.Close(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts, rec := options()
			inTurn := make(chan struct{})
			s := session(t, opts, func(p *peer) {
				prompt := p.prompted()
				close(inTurn)
				if f, err := p.read(); err == nil && f.Method == "session/cancel" {
					p.reply(prompt, `{"stopReason":"cancelled"}`)
				}
			})
			ended := make(chan error, 1)
			go func() { _, err := s.Prompt(t.Context(), say("hi")); ended <- err }()
			<-inTurn
			stop(s.c, s)
			if f := event.AsFailure(<-ended); f == nil || f.Class != event.ClassInternal {
				t.Errorf("the turn ended with %+v", f)
			}
			_, err := s.Prompt(t.Context(), say("again"))
			if err == nil {
				t.Error("a prompt on a closed session went through")
			}
			if got := rec.types(); !strings.HasPrefix(got, "agent.start session.start turn.start turn.end session.end") && !strings.HasPrefix(got, "agent.start session.start turn.start warning turn.end session.end") {
				t.Errorf("events %s", got)
			}
		})
	}
}

func TestAskKindsGoToAgentsThatAnnounceTheExtension(t *testing.T) {
	t.Parallel()
	for capabilities, want := range map[string]string{
		`{}`:                                `{"cwd":"/work","mcpServers":[]}`,
		`{"_meta":{"chrys":{"version":1}}}`: `{"_meta":{"chrys":{"ask":["edit"]}},"cwd":"/work","mcpServers":[]}`,
	} {
		c := connect(t, &Options{AskKinds: []string{"edit"}}, func(p *peer) {
			p.initialize(capabilities)
			f := p.expect("session/new")
			if string(f.Params) != want {
				t.Errorf("with %s: session/new params %s, want %s", capabilities, f.Params, want)
			}
			p.reply(f, `{"sessionId":"s-1"}`)
		})
		if _, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"}); err != nil {
			t.Error(err)
		}
	}
}

func TestCT08_BatchIsRefused(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.send(`[{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"no"}}}}]`)
		answer := p.expect("")
		if answer.Error == nil || answer.Error.Code != jsonrpc.CodeInvalidRequest || string(answer.ID) != "null" {
			t.Errorf("batch answered with %s", answer.raw)
		}
		p.endTurn(prompt)
	})
	turn, err := s.Prompt(t.Context(), say("hi"))
	if err != nil || turn.Text != "" {
		t.Errorf("turn %+v, error %v: the batch was acted on", turn, err)
	}
	if n := len(bodies[event.Message](rec)); n != 0 {
		t.Errorf("%d message events from a batch", n)
	}
}

func TestCT13_BannerIsAWarning(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	s := session(t, opts, func(p *peer) {
		p.send("Welcome to peer 9!")
		prompt := p.prompted()
		for _, noise := range []string{`"ready"`, `42`, `null`, `{}`, `{"level":"info","id":2}`, strings.Repeat("x", 500)} {
			p.send(noise)
		}
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	warnings := bodies[event.Warning](rec)
	if len(warnings) != 7 || warnings[0].Code != "stray_output" || !strings.Contains(warnings[0].Message, "Welcome to peer 9!") {
		t.Errorf("warnings %+v", warnings)
	}
	if n := strings.Count(warnings[len(warnings)-1].Message, "x"); n > 201 {
		t.Errorf("%d characters of a stray line are shown", n)
	}
}

func TestCT18_WaitsEndWithTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cause := failf(event.ClassTimeout, "time", "enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Second, cause)
		defer cancel()
		begin := time.Now()
		_, err := Connect(ctx, &testAgent{wrap: func(tr jsonrpc.Transport) jsonrpc.Transport {
			return &deafTransport{Transport: tr, closed: make(chan struct{})}
		}}, nil)
		if !errors.Is(err, cause) {
			t.Errorf("Connect: %v", err)
		}
		if d := time.Since(begin); d > 10*time.Second {
			t.Errorf("Connect took %s", d)
		}
	})
}
