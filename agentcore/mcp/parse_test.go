package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/mcp"
)

func TestF13_Parse(t *testing.T) {
	t.Parallel()
	got, err := mcp.Parse(json.RawMessage(`[
		{"name":"a","command":"/bin/a","args":["-x",""],"env":[{"name":"K","value":"v=w"},{"name":"E","value":""}],"_meta":{},"other":1},
		{"name":"b","command":"b"},
		{"type":"stdio","name":"c","command":"c","args":[],"env":[]},
		{"type":"http","name":"d","url":"https://h:1/p?q","headers":[{"name":"Authorization","value":"Bearer t"}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []mcp.Server{
		{Name: "a", Transport: mcp.Stdio, Command: "/bin/a", Args: []string{"-x", ""}, Env: []mcp.Pair{{Name: "K", Value: "v=w"}, {Name: "E"}}},
		{Name: "b", Transport: mcp.Stdio, Command: "b", Env: []mcp.Pair{}},
		{Name: "c", Transport: mcp.Stdio, Command: "c", Args: []string{}, Env: []mcp.Pair{}},
		{Name: "d", Transport: mcp.HTTP, URL: "https://h:1/p?q", Headers: []mcp.Pair{{Name: "Authorization", Value: "Bearer t"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, none := range []string{`[]`, `null`} {
		if got, err := mcp.Parse(json.RawMessage(none)); err != nil || len(got) != 0 {
			t.Errorf("%s: got %v, %v", none, got, err)
		}
	}
}

func TestAC51_UnsupportedTransports(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sse", "acp", "ws", "HTTP", ""} {
		_, err := mcp.Parse(json.RawMessage(fmt.Sprintf(`[{"name":"x","command":"ok"},{"type":%q,"name":"y","url":"http://h"}]`, kind)))
		var unsupported *mcp.TransportError
		if !errors.As(err, &unsupported) || unsupported.Server != "y" || unsupported.Type != kind {
			t.Errorf("%q: got %v", kind, err)
		}
	}
}

func TestAC52_InvalidDeclarations(t *testing.T) {
	t.Parallel()
	tests := []struct{ servers, server, field string }{
		{`{}`, "", "mcpServers"},
		{`[7]`, "#1", "type"},
		{`[null]`, "#1", "type"},
		{`[{"name":"a","type":7}]`, "a", "type"},
		{`[{"command":"x"}]`, "#1", "name"},
		{`[{"name":7,"command":"x"}]`, "#1", "name"},
		{`[{"name":"a","command":"x"},{"name":"","command":"x"}]`, "#2", "name"},
		{`[{"name":"My Srv","command":"x"},{"name":"my_srv","command":"x"}]`, "my_srv", "name"},
		{`[{"name":"a-b","command":"x"},{"type":"http","name":"A.. B","url":"http://h"}]`, "A.. B", "name"},
		{`[{"name":"a"}]`, "a", "command"},
		{`[{"name":"a","command":""}]`, "a", "command"},
		{`[{"name":"a","command":"./x"}]`, "a", "command"},
		{`[{"name":"a","command":"x\u0000"}]`, "a", "command"},
		{`[{"name":"a","command":"x","args":"y"}]`, "a", "args"},
		{`[{"name":"a","command":"x","args":["\u0000"]}]`, "a", "args"},
		{`[{"name":"a","command":"x","env":{"K":"v"}}]`, "a", "env"},
		{`[{"name":"a","command":"x","env":[{"name":"K"}]}]`, "a", "env"},
		{`[{"name":"a","command":"x","env":[{"name":"","value":"v"}]}]`, "a", "env"},
		{`[{"name":"a","command":"x","env":[{"name":"A=B","value":"v"}]}]`, "a", "env"},
		{`[{"name":"a","command":"x","env":[{"name":"A","value":"\u0000"}]}]`, "a", "env"},
		{`[{"type":"http","name":"a"}]`, "a", "url"},
		{`[{"type":"http","name":"a","url":"h/p"}]`, "a", "url"},
		{`[{"type":"http","name":"a","url":"ftp://h"}]`, "a", "url"},
		{`[{"type":"http","name":"a","url":"http:///p"}]`, "a", "url"},
		{`[{"type":"http","name":"a","url":"http://:80/p"}]`, "a", "url"},
		{`[{"type":"http","name":"a","url":"http://u:p@h/%zz"}]`, "a", "url"},
		{`[{"type":"http","name":"a","url":"http://h","headers":[{"name":"A B","value":"v"}]}]`, "a", "headers"},
		{`[{"type":"http","name":"a","url":"http://h","headers":[{"name":"","value":"v"}]}]`, "a", "headers"},
		{`[{"type":"http","name":"a","url":"http://h","headers":[{"name":"A","value":"v\r\nB: c"}]}]`, "a", "headers"},
		{`[{"type":"http","name":"a","url":"http://h","headers":[{"name":"A","value":"\u0000"}]}]`, "a", "headers"},
	}
	for _, tt := range tests {
		_, err := mcp.Parse(json.RawMessage(tt.servers))
		var invalid *mcp.InvalidError
		if !errors.As(err, &invalid) || invalid.Server != tt.server || invalid.Field != tt.field || invalid.Message == "" {
			t.Errorf("%s:\n got %v\nwant server %q, field %q", tt.servers, err, tt.server, tt.field)
		}
	}
}

func TestAC52_InvalidServersAreNotStarted(t *testing.T) {
	t.Parallel()
	marker := t.TempDir() + "/started"
	good := testServer("good", "child="+marker)
	_, err := mcp.Connect(context.Background(), []mcp.Server{good, {Name: "GOOD", Transport: mcp.Stdio, Command: "x"}}, testOptions(t))
	var invalid *mcp.InvalidError
	if !errors.As(err, &invalid) || invalid.Field != "name" {
		t.Errorf("got %v", err)
	}
	if exists(marker) {
		t.Error("a server was started")
	}
}

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	for want, err := range map[string]error{
		`MCP server "a": env: must be x`:                   &mcp.InvalidError{Server: "a", Field: "env", Message: "must be x"},
		`MCP server "a": transport "sse" is not supported`: &mcp.TransportError{Server: "a", Type: "sse"},
		`MCP server "a": cause`:                            &mcp.ConnectError{Server: "a", Err: cause},
		`MCP server "a": cause; stderr: s`:                 &mcp.ConnectError{Server: "a", Err: cause, Stderr: "s"},
	} {
		if err.Error() != want {
			t.Errorf("got %s, want %s", err, want)
		}
	}
	if !errors.Is(&mcp.ConnectError{Err: cause}, cause) {
		t.Error("the cause is lost")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`[{"name":"a","command":"x","env":[{"name":"A","value":"b"}]}]`)
	f.Add(`[{"type":"http","name":"a","url":"http://h","headers":[{"name":"A","value":"v"}]}]`)
	f.Fuzz(func(t *testing.T, raw string) {
		servers, err := mcp.Parse(json.RawMessage(raw))
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, s := range servers {
			if s.Name == "" || seen[s.Name] {
				t.Errorf("empty or repeated name in %+v", servers)
			}
			seen[s.Name] = true
		}
	})
}
