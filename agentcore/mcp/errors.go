package mcp

import (
	"errors"
	"fmt"
)

var errConnectTimeout = errors.New("no answer within the time limit")

// InvalidError is a declaration that breaks a rule. ACP error -32602, reason
// mcp_invalid with data.server and data.field.
type InvalidError struct {
	Server  string // its name, or its position as "#1" when it has none
	Field   string // name, command, args, env, url, headers, type; mcpServers for the list
	Message string
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("MCP server %q: %s: %s", e.Server, e.Field, e.Message)
}

// TransportError is a declaration with a transport that is not offered. ACP error
// -32602, reason mcp_transport_unsupported with data.server.
type TransportError struct {
	Server string
	Type   string // the raw type
}

func (e *TransportError) Error() string {
	return fmt.Sprintf("MCP server %q: transport %q is not supported", e.Server, e.Type)
}

// ConnectError is a server that could not be started, reached or listed. ACP
// error -32603, reason mcp_connect_failed with data.server.
type ConnectError struct {
	Server string
	Err    error
	Stderr string // the end of what a stdio server wrote to stderr; may be empty
}

func (e *ConnectError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("MCP server %q: %v", e.Server, e.Err)
	}
	return fmt.Sprintf("MCP server %q: %v; stderr: %s", e.Server, e.Err, e.Stderr)
}

func (e *ConnectError) Unwrap() error { return e.Err }
