package mcp

import (
	"encoding/json"
	"fmt"
)

// Parse reads the mcpServers of a request and checks every rule on them. The
// error is an [*InvalidError] or a [*TransportError] and names the first server
// that breaks one. Null and an empty list give no servers.
//
// Unknown fields are ignored, as everywhere in ACP. ACP: McpServer.
func Parse(raw json.RawMessage) ([]Server, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, &InvalidError{Field: "mcpServers", Message: "must be a list of servers"}
	}
	servers := make([]Server, len(entries))
	for i, entry := range entries {
		s, err := parseServer(entry, fmt.Sprintf("#%d", i+1))
		if err != nil {
			return nil, err
		}
		servers[i] = s
	}
	return servers, check(servers)
}

// parseServer reads one declaration; label names it until its name is known.
func parseServer(raw json.RawMessage, label string) (Server, error) {
	var obj map[string]json.RawMessage
	if err := json.Unmarshal(raw, &obj); err != nil || obj == nil {
		return Server{}, &InvalidError{Server: label, Field: "type", Message: "must be an object"}
	}
	f := fields{values: obj, server: label}
	var s Server
	f.read("name", &s.Name, "a string")
	if s.Name != "" {
		f.server = s.Name
	}
	kind := string(Stdio) // a stdio server has no type
	f.read("type", &kind, "a string")
	s.Transport = Transport(kind)
	switch s.Transport {
	case Stdio:
		f.read("command", &s.Command, "a string")
		f.read("args", &s.Args, "a list of strings")
		s.Env = f.pairs("env")
	case HTTP:
		f.read("url", &s.URL, "a string")
		s.Headers = f.pairs("headers")
	default:
		return Server{}, &TransportError{Server: f.server, Type: kind}
	}
	return s, f.err
}

// fields reads the values of one declaration and keeps the first problem.
type fields struct {
	values map[string]json.RawMessage
	server string
	err    error
}

// read leaves v alone when the field is absent or null.
func (f *fields) read(name string, v any, want string) {
	raw, present := f.values[name]
	if !present || f.err != nil {
		return
	}
	if err := json.Unmarshal(raw, v); err != nil {
		f.err = &InvalidError{Server: f.server, Field: name, Message: "must be " + want}
	}
}

func (f *fields) pairs(name string) []Pair {
	const want = `a list of {"name", "value"} with string values`
	var list []struct{ Name, Value *string }
	f.read(name, &list, want)
	pairs := make([]Pair, 0, len(list))
	for _, p := range list {
		if (p.Name == nil || p.Value == nil) && f.err == nil {
			f.err = &InvalidError{Server: f.server, Field: name, Message: "must be " + want}
		}
		if f.err != nil {
			return nil
		}
		pairs = append(pairs, Pair{Name: *p.Name, Value: *p.Value})
	}
	return pairs
}
