package controller

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

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
	want := "authentication method login: with a browser (--auth login)|authentication method key: API key (--auth key)"
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
	fails(t, open("rel"), event.ClassUsage, "relative_cwd")
	fails(t, open("/work"), event.ClassProtocol, "invalid_response") // no id
	if err := open("/work"); err != nil {
		t.Error(err)
	}
	fails(t, open("/work"), event.ClassProtocol, "invalid_response") // an id twice
	_ = c.Close(t.Context())
	fails(t, open("/work"), event.ClassProtocol, "connection_lost")
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
		"connection": func(c *Conn, _ *Session) { _ = c.Close(context.WithoutCancel(t.Context())) },
		"session":    func(_ *Conn, s *Session) { _ = s.Close(context.WithoutCancel(t.Context())) },
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

func TestLateSessionIsSilentAndClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, rec := options()
		closed := make(chan string, 1)
		c := connect(t, opts, func(p *peer) {
			p.initialize(`{"sessionCapabilities":{"close":{}}}`)
			f := p.expect("session/new")
			p.expect("$/cancel_request")
			p.reply(f, `{"sessionId":"s-1"}`)
			p.update(`{"sessionUpdate":"future_kind"}`)
			f = p.expect("session/close")
			closed <- string(f.Params)
			p.reply(f, `{}`)
		})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, timeLimit())
		defer cancel()
		_, err := c.NewSession(ctx, SessionParams{Cwd: "/work"})
		fails(t, err, event.ClassTimeout, "time")
		synctest.Wait()
		_ = c.Close(t.Context())
		if got, want := <-closed, `{"sessionId":"s-1"}`; got != want {
			t.Errorf("closed %s, want %s", got, want)
		}
		if got, want := rec.types(), "agent.start agent.end"; got != want {
			t.Errorf("events %s, want %s", got, want)
		}
	})
}
