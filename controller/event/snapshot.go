package event

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Snapshot is what the updates of a session add up to: what is omitted keeps,
// null clears, lists replace, chunks append. It shares nothing with the session.
type Snapshot struct {
	Messages  []MessageState  `json:"messages"`  // first-seen order, thoughts among them
	ToolCalls []ToolCallState `json:"toolCalls"` // first-seen order, one per toolCallId
	Plan      json.RawMessage `json:"plan,omitempty"`
	Usage     *ContextUsage   `json:"usage,omitempty"`
	Info      *Info           `json:"info,omitempty"`
	ModeID    string          `json:"modeId,omitempty"`
	// HasOptions tells an empty list of config options from none reported.
	HasOptions bool            `json:"hasConfigOptions"`
	Options    json.RawMessage `json:"configOptions,omitempty"`
	Commands   json.RawMessage `json:"commands,omitempty"`
	// Unknown holds the recent updates of unknown kinds, at most 64 and 262,144
	// bytes; OmittedCount says how many more there were.
	Unknown      []json.RawMessage `json:"unknown,omitempty"`
	OmittedCount int               `json:"omittedCount,omitempty"`
}

// MessageState is one message of a session: its chunks joined.
type MessageState struct {
	Role      string            `json:"role"` // agent, user or thought
	MessageID string            `json:"messageId,omitempty"`
	Text      string            `json:"text,omitempty"`
	Content   []json.RawMessage `json:"content,omitempty"`   // its content blocks that are no text
	ChunkMeta json.RawMessage   `json:"chunkMeta,omitempty"` // _meta of its last chunk that had one
}

// Snapshot returns the state of the session.
func (p *Projector) Snapshot() Snapshot {
	s := Snapshot{
		Messages: []MessageState{}, ToolCalls: []ToolCallState{},
		Plan: bytes.Clone(p.plan), ModeID: p.session.mode,
		HasOptions: p.session.options != nil, Options: bytes.Clone(p.session.options),
		Commands: bytes.Clone(p.session.commands),
		Unknown:  cloneAll(p.unknown.list), OmittedCount: p.unknown.omitted,
	}
	for _, m := range p.messages {
		s.Messages = append(s.Messages, p.messageState(m))
	}
	for _, c := range p.calls {
		s.ToolCalls = append(s.ToolCalls, detached(c.state()))
	}
	if u := p.session.usage; u != nil {
		s.Usage = &ContextUsage{Used: u.Used, Size: u.Size}
		if u.Cost != nil {
			cost := *u.Cost
			s.Usage.Cost = &cost
		}
	}
	if p.session.info != nil {
		info := *p.session.info
		s.Info = &info
	}
	return s
}

func (p *Projector) messageState(m *message) MessageState {
	said := strings.Join(m.parts, "")
	if p.block != nil && p.block.msg == m {
		said += p.block.text.join()
	}
	return MessageState{
		Role: string(m.speaker), MessageID: m.id, Text: said,
		Content: cloneAll(m.content), ChunkMeta: bytes.Clone(m.meta),
	}
}

// detached copies a state out of the projector.
func detached(s ToolCallState) ToolCallState {
	for _, raw := range []*json.RawMessage{
		&s.RawInput, &s.RawOutput, &s.Content, &s.FullContent, &s.Locations, &s.Meta, &s.Raw,
	} {
		*raw = bytes.Clone(*raw)
	}
	s.Paths, s.Diffs, s.Fields = slices.Clone(s.Paths), slices.Clone(s.Diffs), maps.Clone(s.Fields)
	for key, value := range s.Fields {
		s.Fields[key] = bytes.Clone(value)
	}
	return s
}

func cloneAll(list []json.RawMessage) []json.RawMessage {
	var out []json.RawMessage
	for _, raw := range list {
		out = append(out, bytes.Clone(raw))
	}
	return out
}
