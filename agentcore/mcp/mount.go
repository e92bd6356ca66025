package mcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/acpctl/acpctl/agentcore/tool"
)

// Options say how servers are started. Environ is required for stdio servers.
type Options struct {
	Cwd     string                           // working directory of stdio servers; absolute
	Environ []string                         // the process environment; each server gets its clean selection
	Timeout time.Duration                    // of connecting and listing, per server; 0: 30 s
	Name    string                           // what the servers are told; default "acpctl"
	Version string                           // likewise; may be empty
	Logf    func(format string, args ...any) // nil: silent
}

// Parse reads the mcpServers of a request and checks every rule on them. The
// error is an [*InvalidError] or a [*TransportError] and names the first server
// that breaks one.
func Parse(raw json.RawMessage) ([]Server, error) { return nil, nil }

// Connect starts or reaches the servers and lists their tools, all at the same
// time. When one fails, or ctx ends, everything started is gone before Connect
// returns: a [*ConnectError], or the error of ctx.
func Connect(ctx context.Context, servers []Server, opts *Options) (*Mount, error) {
	return &Mount{}, nil
}

// Mount is the servers of one session.
type Mount struct{}

// Status is the state of one server.
type Status struct {
	Name      string
	Connected bool
	Tools     []string // names as the model sees them
	Err       string   // why it is not connected
}

// Tools returns the tools of all servers in order of declaration, named
// mcp__NAMESPACE__TOOL.
func (m *Mount) Tools() []tool.Tool { return nil }

// Servers returns the state of every server in order of declaration.
func (m *Mount) Servers() []Status { return nil }

// Close ends all servers and returns when their processes are gone: after a
// short grace the groups are killed. Closing again waits for the same end.
func (m *Mount) Close() error { return nil }
