package event

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// ToolCallState is a tool call as its updates built it so far.
type ToolCallState struct {
	ToolCall
	RawOutput   json.RawMessage `json:"rawOutput,omitempty"`
	Locations   json.RawMessage `json:"locations,omitempty"`
	FullContent json.RawMessage `json:"fullContent,omitempty"` // content as last sent, diff texts included
	// Meta is the last _meta, and Fields holds the members that ACP does not define,
	// each with its last value, null included.
	Meta   json.RawMessage            `json:"meta,omitempty"`
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
	// Raw is what a decision about the call needs, as one ACP tool call: of each
	// member the last value that was not empty, and as locations every path that
	// any update named, so that nothing can be hidden by a later update.
	Raw json.RawMessage `json:"-"`
}

// field is one member of an object as it stands on the wire.
type field struct {
	key   string
	value json.RawMessage
}

// call is one tool call. Its raw values are own copies and are replaced, never
// changed, since events show them.
type call struct {
	id     string
	turn   int // the epoch in which it is shown
	replay bool
	began  time.Time

	title, kind, name, status               string
	rawInput, rawOutput, content, locations json.RawMessage
	meta                                    json.RawMessage
	fields                                  []field

	facts []field  // last non-empty values
	named []string // every path that an update named
	raw   json.RawMessage

	command string   // of the facts
	paths   []string // of the facts
	diffs   []Change // of the last content that had any

	started, ended bool
	cancelled      bool // shown as cancelled until an update has a status
}

// apply merges a tool_call, a tool_call_update or the toolCall of a permission
// request: what is omitted keeps, null clears, the rest replaces.
func (c *call) apply(patch []byte, cwd string) {
	var content []byte // last: what its diffs mean depends on the kind
	for it := members(patch); it.next(); {
		key, value := it.key, it.value
		switch string(key) {
		case "sessionUpdate", "toolCallId":
			continue
		case "title":
			patchText(&c.title, value)
		case "kind":
			patchText(&c.kind, value)
		case "name":
			patchText(&c.name, value)
		case "status":
			patchText(&c.status, value)
			c.cancelled = false
			continue
		case "rawInput":
			c.rawInput = patchRaw(value)
		case "rawOutput":
			c.rawOutput = patchRaw(value)
			continue
		case "content":
			content = value
			continue
		case "locations":
			c.setLocations(value)
			continue
		case "_meta":
			c.meta = patchRaw(value)
		default:
			c.fields = setField(c.fields, string(key), value)
		}
		c.note(string(key), value)
	}
	c.setContent(content, cwd)
}

// note keeps a member for the decisions about the call.
func (c *call) note(key string, value []byte) {
	if !isEmpty(value) {
		c.facts, c.raw = setField(c.facts, key, value), nil
	}
}

// notePath keeps a path for the decisions about the call.
func (c *call) notePath(path string) {
	if path != "" && !slices.Contains(c.named, path) {
		c.named, c.raw = append(c.named, path), nil
	}
}

// setContent replaces the content. Diffs outlive a content without any: agents
// show the diff when they ask and the output when they are done.
func (c *call) setContent(value []byte, cwd string) {
	if isNull(value) {
		c.content = nil
		return
	}
	if !isArray(value) || bytes.Equal(value, c.content) {
		return
	}
	c.content = bytes.Clone(value)
	var diffs []Change
	items, _ := elements(c.content)
	for _, item := range items {
		if d, ok := readDiff(item); ok {
			c.notePath(d.path)
			diffs = mergeChange(diffs, d.change(c.kind, cwd))
		}
	}
	if diffs != nil {
		c.diffs = diffs
	}
}

// setLocations replaces the locations; those without a path are skipped.
func (c *call) setLocations(value []byte) {
	if isNull(value) {
		c.locations = nil
		return
	}
	items, ok := elements(value)
	if !ok {
		return
	}
	c.locations = bytes.Clone(value)
	for _, item := range items {
		if path, ok := text(member(item, "path")); ok {
			c.notePath(path)
		}
	}
}

// patchRaw copies a value; null clears.
func patchRaw(value []byte) json.RawMessage {
	if isNull(value) {
		return nil
	}
	return bytes.Clone(value)
}

// isEmpty says whether a value says nothing: null, or an empty text, list or
// object.
func isEmpty(value []byte) bool {
	if len(value) == 0 || isNull(value) {
		return true
	}
	switch value[0] {
	case '"':
		return len(value) == 2
	case '{', '[':
		return skipSpace(value, 1) == len(value)-1
	default:
		return false
	}
}

// setField sets a member and keeps the order in which members were first seen.
func setField(fields []field, key string, value []byte) []field {
	i := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return append(fields, field{key, bytes.Clone(value)})
	}
	fields[i].value = bytes.Clone(value)
	return fields
}

// factsRaw is the Raw of the state.
func (c *call) factsRaw() json.RawMessage {
	if c.raw != nil {
		return c.raw
	}
	raw := appendString(json.RawMessage(`{"toolCallId":`), c.id)
	for _, f := range c.facts {
		raw = append(append(append(append(raw, `,"`...), f.key...), `":`...), f.value...)
	}
	for i, path := range c.named {
		raw = append(raw, [2]string{`,"locations":[{"path":`, `},{"path":`}[min(i, 1)]...)
		raw = appendString(raw, path)
	}
	if len(c.named) > 0 {
		raw = append(raw, `}]`...)
	}
	raw = append(raw, '}')
	c.raw = raw
	return raw
}

// state shows the call. The result shares its raw values with the call.
func (c *call) state() ToolCallState {
	s := ToolCallState{
		ToolCall: c.event(), RawOutput: c.rawOutput, Locations: c.locations,
		FullContent: c.content, Meta: c.meta, Raw: c.factsRaw(),
	}
	if c.cancelled {
		s.Status = "cancelled"
	}
	for _, f := range c.fields {
		if s.Fields == nil {
			s.Fields = make(map[string]json.RawMessage, len(c.fields))
		}
		s.Fields[string(appendUnquoted(nil, []byte(f.key)))] = f.value
	}
	return s
}

// event is what events show of the call.
func (c *call) event() ToolCall {
	t := c.summary()
	t.Content = shownContent(c.content)
	t.Output, t.OutputCut = c.output()
	return t
}

// summary is event without what takes work.
func (c *call) summary() ToolCall {
	return ToolCall{
		ToolCallID: c.id, Title: c.title, Kind: c.kind, Name: c.toolName(), Status: c.status,
		Command: c.command, Paths: c.paths, RawInput: c.rawInput, Diffs: c.diffs, Replay: c.replay,
	}
}

// toolName is the programmatic name of the tool where the agent sends one, in ACP's
// field or in the _meta that agents used before there was one.
func (c *call) toolName() string {
	if c.name != "" {
		return c.name
	}
	name, _ := text(member(c.meta, "toolName"))
	return name
}
