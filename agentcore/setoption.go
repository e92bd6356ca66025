package agentcore

import (
	"encoding/json"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// setOption changes one config option and answers with all of them.
func (c *conn) setOption(r *jsonrpc.Request) {
	s, err := c.changeOption(r)
	if err != nil {
		c.refuse(r, err)
		return
	}
	c.reply(r, map[string]any{"configOptions": s.configOptions()})
}

func (c *conn) changeOption(r *jsonrpc.Request) (*session, error) {
	var p struct {
		SessionID string          `json:"sessionId"`
		ConfigID  string          `json:"configId"`
		Value     json.RawMessage `json:"value"`
	}
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	s, err := c.active(p.SessionID)
	if err != nil {
		return nil, err
	}
	var value string
	if !present(p.Value) || json.Unmarshal(p.Value, &value) != nil {
		return nil, invalid("unknown_value", "the value must be one of the option's strings", "configId", p.ConfigID)
	}
	if p.ConfigID == optionMode {
		return s, s.changeMode(value)
	}
	return s, s.update(func(s *session) error { return s.selectLocked(p.ConfigID, value) })
}

// selectLocked changes model or effort; the mutex must be held.
func (s *session) selectLocked(id, value string) error {
	unknown := invalid("unknown_value", "the option "+id+" has no value "+value, "configId", id, "value", value)
	switch id {
	case optionModel:
		entry, ok := s.conn.core.opts.Models.Find(value)
		if !ok {
			return unknown
		}
		s.selection = s.selection.with(entry)
		return nil
	case optionEffort:
		for _, c := range s.selection.efforts() {
			if c.Value == value {
				s.selection.effort = effortOf(value)
				return nil
			}
		}
		if len(s.selection.entry.Efforts) > 0 {
			return unknown
		}
	}
	return invalid("unknown_option", "there is no option "+id, "configId", id)
}

// effortOf is the effort that a value of the option stands for.
func effortOf(value string) string {
	if value == providerDefault {
		return ""
	}
	return value
}

// setModel is the retired way to set the option model. It is still answered, and not
// announced.
func (c *conn) setModel(r *jsonrpc.Request) {
	var p struct {
		SessionID string `json:"sessionId"`
		ModelID   string `json:"modelId"`
	}
	err := decode(r, &p)
	if err != nil {
		c.refuse(r, err)
		return
	}
	s, err := c.active(p.SessionID)
	if err == nil {
		err = s.update(func(s *session) error { return s.selectLocked(optionModel, p.ModelID) })
	}
	c.answer(r, struct{}{}, err)
}
