package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// crowd is an agent that runs any number of sessions at once: each turn asks for
// one permission, waits for the cancel where the prompt says so, and ends.
type crowd struct {
	ready    chan struct{} // closed once conn is set
	conn     *jsonrpc.Conn
	sessions atomic.Int64
	cancels  sync.Map // session to a channel that is closed by its cancel
}

func (a *crowd) serve(_ context.Context, t jsonrpc.Transport) error {
	a.conn = jsonrpc.NewConn(t, &jsonrpc.Options{Handler: a})
	close(a.ready)
	<-a.conn.Done()
	return a.conn.Close()
}

func (a *crowd) HandleNotification(_ context.Context, n *jsonrpc.Notification) {
	if c, ok := a.cancels.LoadAndDelete(jsonString(members(n.Params)["sessionId"])); ok && n.Method == "session/cancel" {
		close(c.(chan struct{}))
	}
}

func (a *crowd) HandleRequest(_ context.Context, r *jsonrpc.Request) {
	r.Detach()
	switch r.Method {
	case "initialize":
		go func() {
			_ = r.Reply(json.RawMessage(`{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"close":{}}}}`))
		}()
	case "session/new":
		id := fmt.Sprintf("s-%d", a.sessions.Add(1))
		a.cancels.Store(id, make(chan struct{}))
		go func() { _ = r.Reply(map[string]any{"sessionId": id}) }()
	case "session/prompt":
		go a.turn(r)
	default:
		go func() { _ = r.Reply(map[string]any{}) }()
	}
}

func (a *crowd) turn(r *jsonrpc.Request) {
	<-a.ready
	ctx := context.Background()
	id := jsonString(members(r.Params)["sessionId"])
	cancelled, _ := a.cancels.Load(id)
	_ = a.conn.Notify(ctx, "session/update", json.RawMessage(`{"sessionId":"`+id+`","update":{"sessionUpdate":"tool_call","toolCallId":"t","kind":"execute","title":"x","rawInput":{"command":"make"}}}`))
	_, _ = a.conn.Call(ctx, "session/request_permission", json.RawMessage(`{"sessionId":"`+id+`","toolCall":{"toolCallId":"t"},"options":`+standardOptions+`}`), nil)
	stop := "end_turn"
	var prompt struct{ Prompt []struct{ Text string } }
	if json.Unmarshal(r.Params, &prompt) == nil && prompt.Prompt[0].Text == "wait" && cancelled != nil {
		<-cancelled.(chan struct{})
		stop = "cancelled"
	}
	_ = r.Reply(map[string]any{"stopReason": stop})
}

func TestManySessionsAtOnce(t *testing.T) {
	t.Parallel()
	const sessions, turns = 60, 4
	opts, rec := options()
	opts.Decide = deciding(policy.Allow)
	agent := &crowd{ready: make(chan struct{})}
	c, err := Connect(t.Context(), &InProcess{Name: "crowd", Serve: agent.serve}, opts)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() {
			s, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
			if err != nil {
				t.Error(err)
				return
			}
			for range turns {
				if turn, err := s.Prompt(t.Context(), say("go")); err != nil || len(turn.ToolCalls) != 1 {
					t.Errorf("%+v: %v", turn, err)
				}
			}
			if i%2 == 0 {
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, timeLimit())
				defer cancel()
				if _, err := s.Prompt(ctx, say("wait")); event.AsFailure(err) == nil || event.AsFailure(err).Reason != "time" {
					t.Errorf("a cancelled turn ended with %v", err)
				}
			}
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	_ = c.Close(t.Context())
	starts := map[string]int{}
	for _, e := range rec.all() {
		starts[e.Type()]++
	}
	for _, pair := range [][2]string{{"turn.start", "turn.end"}, {"tool.start", "tool.end"}, {"session.start", "session.end"}, {"agent.start", "agent.end"}} {
		if starts[pair[0]] != starts[pair[1]] || starts[pair[0]] == 0 {
			t.Errorf("%d %s and %d %s", starts[pair[0]], pair[0], starts[pair[1]], pair[1])
		}
	}
	if n := starts["session.start"]; n != sessions {
		t.Errorf("%d sessions, want %d", n, sessions)
	}
}

// BenchmarkSessions200 opens 200 sessions on one connection and runs a turn with a
// permission in each, all at once.
func BenchmarkSessions200(b *testing.B) {
	for b.Loop() {
		opts, _ := options()
		opts.Decide = deciding(policy.Allow)
		agent := &crowd{ready: make(chan struct{})}
		c, err := Connect(b.Context(), &InProcess{Name: "crowd", Serve: agent.serve}, opts)
		if err != nil {
			b.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				s, err := c.NewSession(b.Context(), SessionParams{Cwd: "/work"})
				if err == nil {
					_, err = s.Prompt(b.Context(), say("go"))
				}
				if err != nil {
					b.Error(err)
				}
			})
		}
		wg.Wait()
		_ = c.Close(b.Context())
	}
}
