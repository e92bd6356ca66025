package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Call is what is known of one tool call. Its zero value is a call of which
// nothing is known. Merge the updates of a call oldest first.
//
// ACP: tool_call, tool_call_update, session/request_permission.
type Call struct {
	// ToolCallID, Kind, Title and Name are as in ACP; Name is the programmatic
	// name of the tool where the agent sends one.
	ToolCallID, Kind, Title, Name string
	// Server and Tool are the MCP server and its tool where they are known for
	// certain.
	Server, Tool string
	// RawInput is the merged rawInput, an object in the common case.
	RawInput json.RawMessage
	// Paths are the locations and the paths of diffs of all updates.
	Paths []string
	// Command is short for rawInput.command; empty means none.
	Command string
	// Cwd is the folder that the call itself names; empty means none.
	Cwd string

	earlier []string // paths in raw inputs that were replaced since
}

// wireCall is the part of a tool call that matters here.
type wireCall struct {
	ToolCallID *string         `json:"toolCallId"`
	Kind       *string         `json:"kind"`
	Title      *string         `json:"title"`
	Name       *string         `json:"name"`
	RawInput   json.RawMessage `json:"rawInput"`
	Locations  []struct {
		Path string `json:"path"`
	} `json:"locations"`
	Content []struct {
		Type string `json:"type"`
		Path string `json:"path"`
	} `json:"content"`
}

// Merge folds a tool_call, a tool_call_update or the toolCall of a permission
// request into the call. Later values that are not empty replace earlier ones;
// null, absent and empty ones keep them; rawInput is merged member by member.
// Paths add up. On an error, malformed JSON, the call is unchanged.
func (c *Call) Merge(update json.RawMessage) error {
	var w wireCall
	if err := json.Unmarshal(update, &w); err != nil {
		return fmt.Errorf("reading tool call: %w", err)
	}
	replace(&c.ToolCallID, w.ToolCallID)
	replace(&c.Kind, w.Kind)
	replace(&c.Title, w.Title)
	replace(&c.Name, w.Name)
	for _, l := range w.Locations {
		c.addPath(l.Path)
	}
	for _, content := range w.Content {
		if content.Type == "diff" {
			c.addPath(content.Path)
		}
	}
	c.mergeRaw(w.RawInput)
	return nil
}

func replace(old *string, value *string) {
	if value != nil && *value != "" {
		*old = *value
	}
}

func (c *Call) addPath(p string) {
	if p != "" && !slices.Contains(c.Paths, p) {
		c.Paths = append(c.Paths, p)
	}
}

// mergeRaw replaces members of the raw input. Paths that are replaced are kept
// aside, since every path that the call ever named counts.
func (c *Call) mergeRaw(raw json.RawMessage) {
	if emptyJSON(raw) {
		return
	}
	old, later := rawObject(c.RawInput), rawObject(raw)
	if old == nil || later == nil {
		c.earlier = append(c.earlier, rawPaths(c.RawInput).all()...)
		c.RawInput = slices.Clone(raw)
		return
	}
	c.earlier = append(c.earlier, rawPaths(c.RawInput).all()...)
	for key, value := range later {
		if !emptyJSON(value) {
			old[key] = value
		}
	}
	if merged, err := json.Marshal(old); err == nil {
		c.RawInput = merged
	}
}

// rawObject reads an object, nil for everything else.
func rawObject(raw json.RawMessage) map[string]json.RawMessage {
	if t := bytes.TrimLeft(raw, " \t\r\n"); len(t) == 0 || t[0] != '{' {
		return nil
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// emptyJSON tells whether a value is absent, null, or an empty string, list or
// object.
func emptyJSON(raw json.RawMessage) bool {
	switch string(bytes.Join(bytes.Fields(raw[:min(len(raw), 64)]), nil)) {
	case "", "null", `""`, "[]", "{}":
		return len(raw) <= 64
	}
	return false
}

// ParsedCall is one line of policy check: a call and the world it names.
type ParsedCall struct {
	Call *Call
	// Cwd and Roots replace those of the environment; empty means not given.
	Cwd   string
	Roots []string
}

// checkLine is the form of such a line.
type checkLine struct {
	Kind       string          `json:"kind"`
	Title      string          `json:"title"`
	Name       string          `json:"name"`
	ToolCallID string          `json:"toolCallId"`
	Command    string          `json:"command"`
	RawInput   json.RawMessage `json:"rawInput"`
	Paths      []string        `json:"paths"`
	Diffs      []string        `json:"diffs"`
	Server     string          `json:"server"`
	Tool       string          `json:"tool"`
	MCP        *struct {
		Server string `json:"server"`
		Tool   string `json:"tool"`
	} `json:"mcp"`
	Cwd     string            `json:"cwd"`
	Roots   []string          `json:"roots"`
	Updates []json.RawMessage `json:"updates"`
}

// ParseCall reads one call as JSON: {kind, command?, rawInput?, paths?, title?,
// cwd?, roots?, name?, server?, tool?, mcp?, diffs?, toolCallId?, updates?}.
// Updates are the earlier updates of the call, merged first. Cwd and roots are
// those of the session. Members of other names are ignored.
func ParseCall(line []byte) (*ParsedCall, error) {
	var in checkLine
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, fmt.Errorf("reading call: %w", err)
	}
	c := &Call{}
	var faults []error
	for _, u := range in.Updates {
		faults = append(faults, c.Merge(u), c.mergeShort(u))
	}
	faults = append(faults, c.Merge(line))
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	replace(&c.Command, &in.Command)
	replace(&c.Server, &in.Server)
	replace(&c.Tool, &in.Tool)
	if in.MCP != nil {
		c.Server, c.Tool = in.MCP.Server, in.MCP.Tool
	}
	for _, p := range slices.Concat(in.Paths, in.Diffs) {
		c.addPath(p)
	}
	return &ParsedCall{Call: c, Cwd: in.Cwd, Roots: in.Roots}, nil
}

// mergeShort takes the short forms of a check line out of an update.
func (c *Call) mergeShort(update json.RawMessage) error {
	var in checkLine
	if err := json.Unmarshal(update, &in); err != nil {
		return fmt.Errorf("reading update: %w", err)
	}
	replace(&c.Command, &in.Command)
	for _, p := range slices.Concat(in.Paths, in.Diffs) {
		c.addPath(p)
	}
	return nil
}
