package controller

import (
	"context"
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
		fails(t, err, event.ClassStart, "no_answer")
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
			fails(t, err, event.ClassUsage, tc.reason)
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
	if len(warnings) != 7 || warnings[0].Code != "junk" || !strings.Contains(warnings[0].Message, "Welcome to peer 9!") {
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
