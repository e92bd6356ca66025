package agentcore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/acpctl/acpctl/agentcore/store"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// reopening is a stored session on its way to being active again.
type reopening struct {
	*opening
	handle store.Handle
	replay bool // session/load: the client is told what was said
}

// resumeSession makes a stored session active.
func (c *conn) resumeSession(r *jsonrpc.Request) { c.reopen(r, false) }

// loadSession does the same and replays the conversation ahead of the response.
func (c *conn) loadSession(r *jsonrpc.Request) { c.reopen(r, true) }

// reopen takes the session in wire order, so that the first of two requests gets
// it, and restores it beside the handler.
func (c *conn) reopen(r *jsonrpc.Request, replay bool) {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if err := decode(r, &p); err != nil {
		c.refuse(r, err)
		return
	}
	if s := c.session(p.SessionID); s != nil {
		c.reload(r, s, replay)
		return
	}
	re, err := c.take(r, p.SessionID)
	if err != nil {
		c.refuse(r, err)
		return
	}
	re.replay = replay
	r.Detach()
	r.LatchCancel()
	if !c.detach(func() { c.restore(r, re) }) {
		c.refuse(r, errors.Join(cancelledError(), re.handle.Close()))
	}
}

// take checks the request against what is stored and opens the log.
func (c *conn) take(r *jsonrpc.Request, id string) (*reopening, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	info, err := c.core.opts.Store.Stat(c.ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, noSession("unknown_session", id)
	case err != nil:
		return nil, storageError(err)
	case info.InUse:
		return nil, invalid("session_active", "the session is in use", "sessionId", id)
	case info.Parent != "":
		return nil, invalid("not_top_level", "the session belongs to another one", "sessionId", id)
	}
	o, err := readOpening(r)
	if err != nil {
		return nil, err
	}
	if canonical(o.place.Cwd) != canonical(info.Cwd) {
		return nil, invalid("cwd_mismatch", "the session belongs to the directory "+info.Cwd, "cwd", info.Cwd)
	}
	if o.keepDirs {
		o.place.Dirs = info.Roots
	}
	h, err := c.core.opts.Store.Open(c.ctx, id)
	switch {
	case errors.Is(err, store.ErrInUse):
		return nil, invalid("session_active", "the session is in use", "sessionId", id)
	case err != nil:
		return nil, storageError(err)
	}
	return &reopening{opening: o, handle: h}, nil
}

// restore answers with the session as it was left, or leaves it stored.
func (c *conn) restore(r *jsonrpc.Request, re *reopening) {
	s, err := c.rebuild(r.Context(), re)
	if err == nil && !c.add(s) {
		err = errors.Join(cancelledError(), s.release())
	}
	switch {
	case err != nil && r.Context().Err() != nil:
		c.refuse(r, cancelledError())
		return
	case err != nil:
		c.refuse(r, err)
		return
	}
	err = s.chain.open(func() error { return r.Reply(s.opened("")) }, s.planUpdates)
	if err == nil {
		return
	}
	c.shut(s)
	if errors.Is(err, jsonrpc.ErrPeerCancelled) {
		c.refuse(r, cancelledError())
		return
	}
	c.lost(err)
}

// rebuild makes a session of what is stored. It owns the handle from the start.
func (c *conn) rebuild(ctx context.Context, re *reopening) (*session, error) {
	h := re.handle.Header()
	s := c.makeSession(h.ID)
	s.handle = re.handle
	err := s.choose(&h)
	if err == nil {
		err = s.furnish(ctx, re.opening)
	}
	var log []record
	if err == nil {
		log, err = s.readLog(ctx)
	}
	if err == nil {
		err = s.recall(log)
	}
	if err == nil {
		err = s.editHeader(func(h *store.Header) {
			h.Roots, h.Model, h.Effort, h.Mode = re.place.Dirs, s.selection.entry.Value(), s.selection.effort, s.mode
		})
	}
	if err != nil {
		return nil, errors.Join(err, s.release())
	}
	if re.replay {
		s.replay(log)
	}
	return s, nil
}

// choose takes the stored selections, as far as they are still on offer.
func (s *session) choose(h *store.Header) error {
	for _, m := range offeredModes() {
		if m.ID == h.Mode {
			s.mode = m.ID
		}
	}
	entry, ok := s.conn.core.opts.Models.Find(h.Model)
	if !ok {
		var err error
		s.selection, err = s.conn.core.defaultSelection()
		return err
	}
	s.selection = selection{entry, entry.DefaultEffort}
	for _, c := range s.selection.efforts() {
		if effort := effortOf(c.Value); effort == h.Effort {
			s.selection.effort = effort
		}
	}
	return nil
}

func (s *session) readLog(ctx context.Context) ([]record, error) {
	var log []record
	for raw, err := range s.handle.Read(ctx) {
		if err != nil {
			return nil, storageError(err)
		}
		var r record
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, storageError(err)
		}
		log = append(log, r)
	}
	return log, nil
}
