package agentcore

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// stockClient is a client that knows nothing but the public library.
type stockClient struct {
	acp.Client // nil: what it has beyond these methods is not announced

	mu    sync.Mutex
	kinds []string
	text  string
	asked []acp.RequestPermissionRequest
}

func (c *stockClient) RequestPermission(_ context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, p)
	for _, o := range p.Options {
		if o.Kind == acp.PermissionOptionKindAllowOnce {
			return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(o.OptionId)}, nil
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

func (c *stockClient) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	raw, err := json.Marshal(n.Update)
	if err != nil {
		return err
	}
	var kind struct{ SessionUpdate string }
	if err := json.Unmarshal(raw, &kind); err != nil {
		return err
	}
	c.kinds = append(c.kinds, kind.SessionUpdate)
	if m := n.Update.AgentMessageChunk; m != nil && m.Content.Text != nil {
		c.text += m.Content.Text.Text
	}
	return nil
}

// stock connects the library's client to a core over byte pipes.
func stock(t *testing.T, core *Core, client acp.Client) *acp.ClientSideConnection {
	t.Helper()
	agentIn, clientOut := io.Pipe()
	clientIn, agentOut := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- core.Serve(context.Background(), jsonrpc.NewStream(agentIn, agentOut, nil)) }()
	t.Cleanup(func() {
		_ = clientOut.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		_ = clientIn.Close()
	})
	return acp.NewClientSideConnection(client, clientOut, clientIn)
}

// optionValues are the current values of select options by id.
func optionValues(list []acp.SessionConfigOption) map[string]string {
	values := map[string]string{}
	for _, o := range list {
		if o.Select != nil {
			values[string(o.Select.Id)] = string(o.Select.CurrentValue)
		}
	}
	return values
}

func TestStockClient(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	f := &fake{stream: func(ctx context.Context, n int, _ *model.Request, yield func(model.Chunk, error) bool) {
		switch n {
		case 1:
			call := fileCall("write_file", "a.txt")
			yield(model.Chunk{Thought: "hm", Call: &call, End: model.EndToolCalls}, nil)
		case 2:
			yield(model.Chunk{Text: "written", End: model.EndStop, Usage: &model.Usage{ContextUsed: 10, ContextSize: 100}}, nil)
		default:
			close(begun)
			<-ctx.Done()
			yield(model.Chunk{}, ctx.Err())
		}
	}}
	client := new(stockClient)
	conn, ctx := stock(t, newCore(t, &setup{Options: fakeOptions(f)}), client), t.Context()
	init, err := conn.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	if err != nil || init.ProtocolVersion != 1 || !init.AgentCapabilities.LoadSession {
		t.Fatalf("initialize: %+v, %v", init, err)
	}
	made, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: t.TempDir(), McpServers: []acp.McpServer{}})
	if err != nil || made.Modes == nil || made.Modes.CurrentModeId != "manual" {
		t.Fatalf("session/new: %+v, %v", made, err)
	}
	if got := optionValues(made.ConfigOptions); got["model"] != "test/fake" || got["mode"] != "manual" {
		t.Errorf("options %v", got)
	}
	changed, err := conn.SetSessionConfigOption(ctx, acp.SetSessionConfigOptionRequest{ValueId: &acp.SetSessionConfigOptionValueId{
		SessionId: made.SessionId, ConfigId: "reasoning_effort", Value: "high",
	}})
	if err != nil || optionValues(changed.ConfigOptions)["reasoning_effort"] != "high" {
		t.Errorf("session/set_config_option: %v, %v", optionValues(changed.ConfigOptions), err)
	}
	prompt := acp.PromptRequest{SessionId: made.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("go")}}
	answer, err := conn.Prompt(ctx, prompt)
	if err != nil || answer.StopReason != acp.StopReasonEndTurn || f.seen()[0].Effort != "high" {
		t.Errorf("session/prompt: %+v, %v", answer, err)
	}
	client.check(t)
	ended := make(chan acp.StopReason)
	go func() {
		answer, err := conn.Prompt(context.WithoutCancel(ctx), prompt)
		if err != nil {
			t.Error(err)
		}
		ended <- answer.StopReason
	}()
	<-begun
	if err := conn.Cancel(ctx, acp.CancelNotification{SessionId: made.SessionId}); err != nil {
		t.Error(err)
	}
	if got := <-ended; got != acp.StopReasonCancelled {
		t.Errorf("stop reason %q after session/cancel", got)
	}
	if _, err := conn.CloseSession(ctx, acp.CloseSessionRequest{SessionId: made.SessionId}); err != nil {
		t.Error(err)
	}
	if list, err := conn.ListSessions(ctx, acp.ListSessionsRequest{}); err != nil || len(list.Sessions) != 1 || list.Sessions[0].SessionId != made.SessionId {
		t.Errorf("session/list: %+v, %v", list, err)
	}
}

// check looks at what the first turn showed.
func (c *stockClient) check(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.text != "written" {
		t.Errorf("text %q", c.text)
	}
	if len(c.asked) != 1 || c.asked[0].ToolCall.Title == nil || *c.asked[0].ToolCall.Title != "write_file" {
		t.Errorf("asked %+v", c.asked)
	}
	for _, kind := range []string{"plan", "agent_thought_chunk", "tool_call", "tool_call_update", "agent_message_chunk"} {
		if !strings.Contains(strings.Join(c.kinds, " "), kind) {
			t.Errorf("no %s among the updates %v", kind, c.kinds)
		}
	}
}
