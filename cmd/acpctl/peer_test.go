package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"
)

// stockClient is a client of the SDK that this project did not write: it answers
// permissions by choosing the first allow_once and keeps what it is told.
type stockClient struct {
	mu      sync.Mutex // guards what follows
	text    strings.Builder
	calls   map[acp.ToolCallId]acp.ToolCallStatus
	asked   int
	pending chan struct{} // closed at the first permission request when it is to hang
}

func (c *stockClient) RequestPermission(ctx context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	c.mu.Lock()
	c.asked++ // the SDK may hand out the request before the update that announces it
	c.mu.Unlock()
	if c.pending != nil {
		close(c.pending)
		<-ctx.Done()
		return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
	}
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
	u := n.Update
	switch {
	case u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Text != nil:
		c.text.WriteString(u.AgentMessageChunk.Content.Text.Text)
	case u.ToolCall != nil:
		c.calls[u.ToolCall.ToolCallId] = u.ToolCall.Status
	case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil:
		c.calls[u.ToolCallUpdate.ToolCallId] = *u.ToolCallUpdate.Status
	}
	return nil
}

func (c *stockClient) ReadTextFile(context.Context, acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	return acp.ReadTextFileResponse{}, acp.NewMethodNotFound("fs/read_text_file")
}

func (c *stockClient) WriteTextFile(context.Context, acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, acp.NewMethodNotFound("fs/write_text_file")
}

func (c *stockClient) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, acp.NewMethodNotFound("terminal/create")
}

func (c *stockClient) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, acp.NewMethodNotFound("terminal/kill")
}

func (c *stockClient) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, acp.NewMethodNotFound("terminal/output")
}

func (c *stockClient) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, acp.NewMethodNotFound("terminal/release")
}

func (c *stockClient) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, acp.NewMethodNotFound("terminal/wait_for_exit")
}

const peerScript = `turns:
  - when: test("write")
    steps:
      - calls: [{tool: write_file, args: {path: out.txt, content: "written\n"}}]
      - text: It is written.
  - when: test("again")
    steps:
      - calls: [{tool: write_file, args: {path: other.txt, content: "no\n"}}]
      - text: not reached
`

// startAgent runs acpctl agent as a process of its own.
func startAgent(t *testing.T, c *stockClient, dir string) *acp.ClientSideConnection {
	t.Helper()
	if err := os.WriteFile(dir+"/script.yaml", []byte(peerScript), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), self, // ends when its stdin does, in the clean-up
		"agent", "--model", "offline/scripted", "--script", dir+"/script.yaml")
	cmd.Env = append(os.Environ(), runAsAcpctl+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("acpctl agent: %v", err)
		}
	})
	return acp.NewClientSideConnection(c, in, out)
}

// TestStockClientDrivesAgent drives acpctl agent with the SDK's own client
// through initialize, new, set option, prompt with permission, and cancel.
func TestStockClientDrivesAgent(t *testing.T) {
	dir := t.TempDir()
	c := &stockClient{calls: map[acp.ToolCallId]acp.ToolCallStatus{}}
	conn := startAgent(t, c, dir)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()

	init, err := conn.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	if err != nil || init.ProtocolVersion != acp.ProtocolVersionNumber {
		t.Fatalf("initialize: %+v, %v", init, err)
	}
	s, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{}})
	if err != nil || s.SessionId == "" || len(s.ConfigOptions) < 3 {
		t.Fatalf("session/new: %+v, %v", s, err)
	}
	set, err := conn.SetSessionConfigOption(ctx, acp.SetSessionConfigOptionRequest{ValueId: &acp.SetSessionConfigOptionValueId{
		SessionId: s.SessionId, ConfigId: "reasoning_effort", Value: "high",
	}})
	if err != nil || len(set.ConfigOptions) != len(s.ConfigOptions) {
		t.Fatalf("set option: %+v, %v", set, err)
	}
	res, err := conn.Prompt(ctx, acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("write it")}})
	if err != nil || res.StopReason != acp.StopReasonEndTurn {
		t.Fatalf("prompt: %+v, %v", res, err)
	}
	text, err := os.ReadFile(dir + "/out.txt")
	if err != nil || string(text) != "written\n" {
		t.Errorf("out.txt: %q, %v", text, err)
	}
	c.mu.Lock()
	if c.asked != 1 || len(c.calls) != 1 {
		t.Errorf("asked %d times for %d calls", c.asked, len(c.calls))
	}
	for id, status := range c.calls {
		if status != acp.ToolCallStatusCompleted {
			t.Errorf("call %s ended %s", id, status)
		}
	}
	c.pending = make(chan struct{})
	c.mu.Unlock()
	cancelTurn(ctx, t, conn, c, s.SessionId)
	if _, err := os.Stat(dir + "/other.txt"); err == nil {
		t.Error("the cancelled call wrote its file")
	}
}

// cancelTurn cancels a turn while its permission request is open.
func cancelTurn(ctx context.Context, t *testing.T, conn *acp.ClientSideConnection, c *stockClient, id acp.SessionId) {
	t.Helper()
	go func() {
		<-c.pending
		if err := conn.Cancel(ctx, acp.CancelNotification{SessionId: id}); err != nil {
			t.Errorf("cancel: %v", err)
		}
	}()
	res, err := conn.Prompt(ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("again")}})
	if err != nil || res.StopReason != acp.StopReasonCancelled {
		t.Errorf("cancelled prompt: %+v, %v", res, err)
	}
}
