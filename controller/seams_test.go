package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// TestCT29_ObserversAreOffThePath has one observer that panics and one that
// sleeps for an hour: the answer comes at once, and the states that are seen come
// in order.
func TestCT29_ObserversAreOffThePath(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"plain", "panics", "sleeps"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				opts, rec := options()
				opts.Decide = deciding(policy.Allow)
				var mu sync.Mutex
				var seen []RequestState
				opts.Observe = func(s RequestStatus) {
					mu.Lock()
					seen = append(seen, s.State)
					mu.Unlock()
					if s.RequestID != "7" || s.Method != "session/request_permission" {
						t.Errorf("status %+v", s)
					}
					switch kind {
					case "panics":
						panic("observer")
					case "sleeps":
						time.Sleep(time.Hour)
					}
				}
				s := session(t, opts, func(p *peer) {
					prompt := p.prompted()
					p.toolCall("t", "make")
					p.permission("7", "t")
					p.expect("")
					p.endTurn(prompt)
				})
				begin := time.Now()
				if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
					t.Fatal(err)
				}
				if d := time.Since(begin); d != 0 {
					t.Errorf("the answer took %s", d)
				}
				time.Sleep(3 * time.Hour)
				mu.Lock()
				defer mu.Unlock()
				order := []RequestState{RequestPending, RequestPrepared, RequestSending, RequestSent}
				at := -1
				for _, state := range seen {
					next := slices.Index(order, state)
					if next <= at {
						t.Errorf("states %q", seen)
					}
					at = next
				}
				if at != 3 {
					t.Errorf("the last state is not sent: %q", seen)
				}
				_ = s.c.Close(t.Context())
				if warned(rec, "callback_panic") != (kind == "panics") {
					t.Error("the panic is not told once")
				}
			})
		})
	}
}

// TestCT58_CallbacksMayPanic has a logger and a handler of events that panic on
// first use.
func TestCT58_CallbacksMayPanic(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	opts.Decide = deciding(policy.Allow)
	var once, logged sync.Once
	emit := opts.Emit
	opts.Emit = func(e event.Event) {
		emit(e)
		once.Do(func() { panic("handler") })
	}
	opts.Logf = func(string, ...any) { logged.Do(func() { panic("logger") }) }
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.toolCall("t", "make")
		p.permission("7", "t")
		p.expect("")
		p.text("done")
		p.endTurn(prompt)
	})
	turn, err := s.Prompt(t.Context(), say("hi"))
	if err != nil || turn.Text != "done" {
		t.Fatalf("%q, %v", turn.Text, err)
	}
	s.c.opts.Logf("a line")
	_ = s.c.Close(t.Context())
	var told []string
	for _, w := range bodies[event.Warning](rec) {
		if w.Code == "callback_panic" {
			told = append(told, w.Message)
		}
	}
	if len(told) != 2 || !strings.Contains(strings.Join(told, " "), "Emit") || !strings.Contains(strings.Join(told, " "), "Logf") {
		t.Errorf("told %q", told)
	}
	for _, kind := range []string{"agent.start", "session.start", "turn.start", "tool.start", "permission", "message", "turn.end", "session.end", "agent.end"} {
		if !strings.Contains(" "+rec.types()+" ", " "+kind+" ") {
			t.Errorf("%s is missing: %s", kind, rec.types())
		}
	}
}

// twoArgs is a transport with nothing but what the interface asks for.
type twoArgs struct{ jsonrpc.Transport }

// withOptions is one that wants to know about the frames.
type withOptions struct {
	jsonrpc.Transport
	mu   sync.Mutex
	told []string
}

func (w *withOptions) WriteFrameWith(ctx context.Context, frame []byte, opts jsonrpc.SendOptions) error {
	var f struct{ Method string }
	_ = json.Unmarshal(frame, &f)
	w.mu.Lock()
	w.told = append(w.told, fmt.Sprintf("%s %v", f.Method, opts.DiagnosticOnly))
	w.mu.Unlock()
	return w.WriteFrame(ctx, frame)
}

// over is an agent in process behind another transport.
type over struct {
	*InProcess
	wrap func(jsonrpc.Transport) jsonrpc.Transport
}

func (o *over) Open(ctx context.Context) (Link, error) {
	l, err := o.InProcess.Open(ctx)
	return &overLink{l, o.wrap(l.Transport())}, err
}

type overLink struct {
	Link
	t jsonrpc.Transport
}

func (l *overLink) Transport() jsonrpc.Transport { return l.t }

// TestCT57_Transports runs the basic scenario over a transport with the two
// arguments alone, and looks at what a richer one is told.
func TestCT57_Transports(t *testing.T) {
	t.Parallel()
	rich := &withOptions{}
	for name, wrap := range map[string]func(jsonrpc.Transport) jsonrpc.Transport{
		"two arguments": func(t jsonrpc.Transport) jsonrpc.Transport { return twoArgs{t} },
		"options":       func(t jsonrpc.Transport) jsonrpc.Transport { rich.Transport = t; return rich },
	} {
		synctest.Test(t, func(t *testing.T) {
			opts, _ := options()
			agent := playing(t, func(p *peer) {
				p.prompted()
				p.expect("session/cancel")
				p.expect("$/cancel_request")
			})
			c, err := Connect(t.Context(), &over{agent, wrap}, opts)
			if err != nil {
				t.Fatal(name, err)
			}
			s, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
			if err != nil {
				t.Fatal(name, err)
			}
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, timeLimit())
			defer cancel()
			_, err = s.Prompt(ctx, say("hi"))
			fails(t, err, event.ClassTimeout, "time")
			_ = c.Close(t.Context())
		})
	}
	want := "initialize false, session/new false, session/prompt false, session/cancel true, $/cancel_request true"
	if got := strings.Join(rich.told, ", "); got != want {
		t.Errorf("told %q\nwant %q", got, want)
	}
}

func TestCT59_NothingIsShared(t *testing.T) {
	t.Parallel()
	opts, _ := options()
	given := SessionParams{
		Cwd: "/work", MCPServers: []MCPServer{{Name: "m", Command: "x", Args: []string{"a"}, Env: []NameValue{{"K", "v"}}}},
		Meta: map[string]any{"deep": map[string]any{"k": "v"}},
	}
	c := connect(t, opts, func(p *peer) {
		p.initialize(`{"loadSession":true}`)
		p.reply(p.expect("session/new"), `{"sessionId":"s-1"}`)
		again := p.expect("session/load")
		if !strings.Contains(again.raw, `"args":["a"]`) || !strings.Contains(again.raw, `"k":"v"`) {
			p.fail("the next frame is changed: %s", again.raw)
		}
		p.history()
		p.reply(again, `{}`)
	})
	s, err := c.NewSession(t.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	given.MCPServers[0].Args[0], given.Meta["deep"].(map[string]any)["k"] = "changed", "changed"
	got := s.Params()
	got.MCPServers[0].Args[0], got.MCPServers[0].Env[0].Value, got.Meta["deep"].(map[string]any)["k"] = "x", "x", "x"
	second := s.Params()
	if second.MCPServers[0].Args[0] != "a" || second.MCPServers[0].Env[0].Value != "v" || second.Meta["deep"].(map[string]any)["k"] != "v" {
		t.Errorf("a second read: %+v", second)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.LoadSession(t.Context(), "s-1", second); err != nil {
		t.Error(err)
	}
}
