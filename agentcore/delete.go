package agentcore

import (
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/acpctl/acpctl/agentcore/store"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// deleteSession removes a session; an active one is closed first. An unknown id is
// no error: what was asked for is so.
func (c *conn) deleteSession(r *jsonrpc.Request) {
	var p struct {
		SessionID string          `json:"sessionId"`
		Cwd       *string         `json:"cwd"`
		Meta      json.RawMessage `json:"_meta"`
	}
	err := decode(r, &p)
	if err == nil {
		err = checkID(p.SessionID)
	}
	if err != nil {
		c.refuse(r, err)
		return
	}
	scope := p.Cwd
	if raw := object(object(p.Meta)["chrys"])["cwd"]; scope == nil && present(raw) {
		if json.Unmarshal(raw, &scope) != nil {
			c.refuse(r, invalid("invalid_params", "cwd must be a path"))
			return
		}
	}
	if err := c.inScope(p.SessionID, scope); err != nil {
		c.refuse(r, err)
		return
	}
	s := c.session(p.SessionID)
	if s != nil {
		s.stopAdmission()
	}
	r.Detach()
	if !c.detach(func() { c.answer(r, struct{}{}, c.destroy(p.SessionID, s)) }) {
		c.refuse(r, cancelledError())
	}
}

// inScope refuses a session of another directory than the client works in.
func (c *conn) inScope(id string, scope *string) error {
	if scope == nil {
		return nil
	}
	if !filepath.IsAbs(*scope) {
		return invalid("cwd_not_absolute", "cwd must be absolute")
	}
	info, err := c.core.opts.Store.Stat(c.ctx, id)
	if err == nil && canonical(info.Cwd) != canonical(*scope) {
		return invalid("cwd_mismatch", "the session belongs to another directory", "cwd", info.Cwd)
	}
	return nil
}

func (c *conn) destroy(id string, s *session) error {
	if s != nil {
		if err := s.close(); err != nil {
			return storageError(err)
		}
	}
	err := c.core.opts.Store.Delete(c.ctx, id)
	switch {
	case errors.Is(err, store.ErrInUse):
		return invalid("session_active", "the session is in use by another client", "sessionId", id)
	case err != nil:
		return storageError(err)
	}
	return nil
}
