package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpctl/acpctl/agentcore/mcp"
)

// serverMode is the variable that makes the test binary an MCP server; its value
// says what kind of server.
const serverMode = "TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(serverMode); mode != "" {
		os.Exit(serve(mode))
	}
	os.Exit(m.Run())
}

// serve is a server as the mode says: words separated by commas.
func serve(mode string) int {
	words := strings.Split(mode, ",")
	for _, word := range words {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "exit":
			fmt.Fprintln(os.Stderr, "cannot read configuration")
			return 3
		case "silent":
			<-time.NewTimer(time.Hour).C
		case "once": // works in its first life, later it does not start
			if _, err := os.Stat(value); err == nil {
				return 4
			}
			_ = os.WriteFile(value, nil, 0o600)
		case "noisy":
			fmt.Println("Starting server v1.0 ...\n\n" + strings.Repeat("=", 100_000))
			fmt.Fprintln(os.Stderr, strings.Repeat("log line\n", 10_000))
		case "stubborn":
			signal.Ignore(syscall.SIGTERM)
			defer func() { <-time.NewTimer(time.Hour).C }()
		case "child":
			child := exec.Command("sleep", "300")
			if err := child.Start(); err != nil {
				return 5
			}
			_ = os.WriteFile(value, []byte(strconv.Itoa(child.Process.Pid)), 0o600)
		}
	}
	if err := newServer(words).Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		return 6
	}
	return 0
}

// testServer declares the test binary as a stdio server.
func testServer(name, mode string) mcp.Server {
	return mcp.Server{Name: name, Transport: mcp.Stdio, Command: os.Args[0], Env: []mcp.Pair{{Name: serverMode, Value: mode}, {Name: "DECLARED", Value: "yes"}}}
}

func testOptions(t *testing.T) *mcp.Options {
	t.Helper()
	return &mcp.Options{Cwd: t.TempDir(), Environ: append(os.Environ(), "OPENAI_API_KEY=k", "EDITOR=vi"), Timeout: 20 * time.Second, Logf: t.Logf}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// newServer is the server proper, for both transports.
func newServer(words []string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ServerOptions{PageSize: 10, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}}})
	for _, word := range words {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "many":
			n, _ := strconv.Atoi(value)
			for i := range n {
				addTool(s, fmt.Sprintf("tool%04d", i), textResult("many"))
			}
		case "names":
			for _, name := range []string{"a.b", "a/b", strings.Repeat("long", 30) + "1", strings.Repeat("long", 30) + "2"} {
				addTool(s, name, textResult(name))
			}
		}
	}
	addTool(s, "echo", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return textResult(string(req.Params.Arguments))(nil, nil)
	})
	addTool(s, "where", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		cwd, _ := os.Getwd()
		state, _ := json.Marshal(map[string]any{"cwd": cwd, "env": os.Environ(), "pid": os.Getpid()})
		return textResult(string(state))(nil, nil)
	})
	addTool(s, "fail", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "no such table"}}}, nil
	})
	addTool(s, "broken", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return nil, fmt.Errorf("internal trouble")
	})
	addTool(s, "mixed", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{StructuredContent: map[string]any{"n": 1}, Content: []sdk.Content{
			&sdk.TextContent{Text: "text"}, &sdk.ImageContent{MIMEType: "image/png", Data: []byte("12345")}, &sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("1")},
			&sdk.ResourceLink{URI: "file:///x", Name: "x"}, &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///y", Text: "inner"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///z", Blob: []byte("123")}},
		}}, nil
	})
	addTool(s, "structured", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{}, StructuredContent: map[string]any{"n": 1}}, nil
	})
	addTool(s, "wait", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	addTool(s, "die", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "panic: out of cheese")
		os.Exit(7)
		return nil, nil
	})
	addTool(s, "grow", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		addTool(s, "grown", textResult("grown"))
		return textResult("ok")(nil, nil)
	})
	return s
}

func addTool(s *sdk.Server, name string, handler sdk.ToolHandler) {
	s.AddTool(&sdk.Tool{Name: name, Description: "does " + name, InputSchema: map[string]any{"type": "object"}}, handler)
}

func textResult(text string) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	}
}
