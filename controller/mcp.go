package controller

import "github.com/acpctl/acpctl/controller/event"

// MCPServer declares one MCP server for the agent to mount.
//
// ACP: McpServer.
type MCPServer struct {
	Name    string      // Required.
	Type    string      // empty for stdio, http, sse
	Command string      // of a stdio server
	Args    []string    // of a stdio server
	Env     []NameValue // of a stdio server
	URL     string      // of an http or sse server
	Headers []NameValue // of an http or sse server
}

// NameValue is an environment variable or a header.
type NameValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// wireServers gives the declarations the form of the wire: lists are always
// there, as strict agents demand, and never null.
func (c *Conn) wireServers(list []MCPServer) ([]map[string]any, *event.Failure) {
	caps := &c.info.Capabilities
	out := make([]map[string]any, 0, len(list))
	for i := range list {
		m := &list[i]
		switch {
		case m.Type == "http" && !caps.MCPHTTP:
			return nil, unsupported("MCP server "+m.Name+" over http", "mcpCapabilities.http")
		case m.Type == "sse" && !caps.MCPSSE:
			return nil, unsupported("MCP server "+m.Name+" over sse", "mcpCapabilities.sse")
		case m.Type == "http" || m.Type == "sse":
			out = append(out, map[string]any{"type": m.Type, "name": m.Name, "url": m.URL, "headers": pairs(m.Headers)})
		case m.Type == "" || m.Type == "stdio":
			out = append(out, map[string]any{"name": m.Name, "command": m.Command, "args": append([]string{}, m.Args...), "env": pairs(m.Env)})
		default:
			return nil, failf(event.ClassUsage, "invalid_mcp_server", "MCP server %s: unknown type %q", m.Name, m.Type)
		}
	}
	return out, nil
}

func pairs(list []NameValue) []NameValue { return append([]NameValue{}, list...) }
