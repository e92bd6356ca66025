package wire

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/acpctl/acpctl/agentcore/model"
)

// Calls collects tool calls whose parts come one by one.
type Calls struct{ list []*partial }

type partial struct {
	key, id, name string
	args          []byte
}

// Add takes a fragment. Key tells the call apart where the provider gives one; a
// fragment without a key belongs to the call before it, unless it brings an id
// that is another one. The first id and name that are not empty stay.
func (c *Calls) Add(key, id, name, args string) {
	p := c.find(key, id)
	if p == nil {
		p = &partial{key: key}
		c.list = append(c.list, p)
	}
	if p.id == "" {
		p.id = id
	}
	if p.name == "" {
		p.name = name
	}
	p.args = append(p.args, args...)
}

func (c *Calls) find(key, id string) *partial {
	if key == "" {
		if n := len(c.list); n > 0 && (id == "" || c.list[n-1].id == id) {
			return c.list[n-1]
		}
		return nil
	}
	for _, p := range c.list {
		if p.key == key {
			return p
		}
	}
	return nil
}

// Chunks gives the calls, whole, and forgets them. Arguments that are empty mean
// an empty object; those that are no JSON are passed on as they are, for the
// model to be told.
func (c *Calls) Chunks() []model.Chunk {
	var out []model.Chunk
	for _, p := range c.list {
		args := p.args
		if strings.TrimSpace(string(args)) == "" {
			args = []byte("{}")
		}
		if !utf8.Valid(args) {
			args = []byte(strings.ToValidUTF8(string(args), "\ufffd"))
		}
		args = wholeSurrogates(args)
		out = append(out, model.Chunk{Call: &model.Call{ID: p.id, Name: p.name, Args: json.RawMessage(args)}})
	}
	c.list = nil
	return out
}

// Any says whether a call has begun.
func (c *Calls) Any() bool { return len(c.list) > 0 }
