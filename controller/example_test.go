package controller_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/acpctl/acpctl/controller"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// greeter is the smallest agent: it says hello to every prompt.
type greeter struct {
	conn  *jsonrpc.Conn
	ready chan struct{} // closed once conn is set
}

func (g *greeter) HandleNotification(context.Context, *jsonrpc.Notification) {}

func (g *greeter) HandleRequest(ctx context.Context, r *jsonrpc.Request) {
	switch r.Method {
	case "initialize":
		_ = r.Reply(map[string]any{"protocolVersion": 1, "agentInfo": map[string]any{"name": "greeter", "version": "1"}})
	case "session/new":
		_ = r.Reply(map[string]any{"sessionId": "s-1"})
	case "session/prompt":
		<-g.ready
		_ = g.conn.Notify(ctx, "session/update", map[string]any{"sessionId": "s-1", "update": map[string]any{
			"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": "text", "text": "hello"},
		}})
		_ = r.Reply(map[string]any{"stopReason": "end_turn"})
	}
}

func serve(_ context.Context, t jsonrpc.Transport) error {
	g := &greeter{ready: make(chan struct{})}
	g.conn = jsonrpc.NewConn(t, &jsonrpc.Options{Handler: g})
	close(g.ready)
	<-g.conn.Done()
	return g.conn.Close()
}

func ExampleConnect() {
	ctx := context.Background()
	conn, err := controller.Connect(ctx, &controller.InProcess{Name: "greeter", Serve: serve}, &controller.Options{
		Emit: func(e event.Event) { fmt.Println("event:", e.Type()) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = conn.Close(ctx) }()

	session, err := conn.NewSession(ctx, controller.SessionParams{Cwd: "/work"})
	if err != nil {
		fmt.Println(err)
		return
	}
	turn, err := session.Prompt(ctx, controller.Prompt{Blocks: []json.RawMessage{json.RawMessage(`{"type":"text","text":"hi"}`)}})
	fmt.Println(turn.Text, turn.StopReason, err)
	// Output:
	// event: agent.start
	// event: session.start
	// event: turn.start
	// event: message
	// event: turn.end
	// hello end_turn <nil>
	// event: session.end
	// event: agent.end
}
