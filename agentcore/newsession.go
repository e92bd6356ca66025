package agentcore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/acpctl/acpctl/agentcore/mcp"
	"github.com/acpctl/acpctl/agentcore/store"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// opening is the params of what makes a session active.
type opening struct {
	place   place
	servers []mcp.Server
	ask     []string
	// keepDirs says to keep the stored further roots, where the request names none.
	keepDirs bool
}

// ACP: NewSessionResponse.
type newSessionResult struct {
	SessionID     string         `json:"sessionId,omitempty"`
	ConfigOptions []configOption `json:"configOptions"`
	Modes         modeState      `json:"modes"`
}

// newSession makes a session, beside the handler since MCP servers may be slow.
func (c *conn) newSession(r *jsonrpc.Request) {
	o, err := readOpening(r)
	if err != nil {
		c.refuse(r, err)
		return
	}
	r.Detach()
	r.LatchCancel()
	if !c.detach(func() { c.create(r, o) }) {
		c.refuse(r, cancelledError())
	}
}

func readOpening(r *jsonrpc.Request) (*opening, error) {
	var p struct {
		Cwd        *string         `json:"cwd"`
		MCPServers json.RawMessage `json:"mcpServers"`
		Dirs       json.RawMessage `json:"additionalDirectories"`
		Meta       json.RawMessage `json:"_meta"`
	}
	if err := decode(r, &p); err != nil {
		return nil, err
	}
	at, err := readPlace(p.Cwd, p.Dirs)
	if err != nil {
		return nil, err
	}
	if !present(p.MCPServers) && r.Method != "session/resume" {
		return nil, invalid("mcp_invalid", "mcpServers is missing", "field", "mcpServers")
	}
	var servers []mcp.Server
	if present(p.MCPServers) {
		if servers, err = mcp.Parse(p.MCPServers); err != nil {
			return nil, mountError(err)
		}
	}
	chrys := object(object(p.Meta)["chrys"])
	keep := string(chrys["keepAdditionalDirectories"]) == "true" && !present(p.Dirs)
	return &opening{place: at, servers: servers, ask: texts(chrys["ask"]), keepDirs: keep}, nil
}

// create answers with a new session, or leaves nothing behind.
func (c *conn) create(r *jsonrpc.Request, o *opening) {
	s, err := c.compose(r.Context(), o)
	switch {
	case err != nil && r.Context().Err() != nil:
		c.refuse(r, cancelledError())
		return
	case err != nil:
		c.refuse(r, err)
		return
	}
	err = s.chain.open(func() error { return r.Reply(s.opened(s.id)) }, s.planUpdates)
	if err != nil {
		c.undo(r, s, err)
	}
}

// compose builds the session and makes it durable and active.
func (c *conn) compose(ctx context.Context, o *opening) (*session, error) {
	sel, err := c.core.defaultSelection()
	if err != nil {
		return nil, err
	}
	s := c.makeSession(c.core.opts.NewID("sess_"))
	s.selection = sel
	if err := s.furnish(ctx, o); err != nil {
		return nil, err
	}
	now := c.core.opts.Clock()
	s.handle, err = c.core.opts.Store.Create(ctx, store.Header{
		ID: s.id, Cwd: o.place.Cwd, Roots: o.place.Dirs, Created: now, Updated: now,
		Model: sel.entry.Value(), Effort: sel.effort, Mode: s.mode,
	})
	if err == nil {
		if err = ctx.Err(); err == nil {
			err = s.handle.Flush(ctx)
		}
	}
	if err != nil {
		return nil, errors.Join(storageError(err), s.release())
	}
	if !c.add(s) {
		c.erase(s)
		return nil, cancelledError()
	}
	return s, nil
}

// furnish gives a session its place and its MCP servers.
func (s *session) furnish(ctx context.Context, o *opening) error {
	s.ws.Cwd, s.ws.Roots, s.ask = o.place.Cwd, o.place.roots(), o.ask
	opts := &s.conn.core.opts
	mount, err := mcp.Connect(ctx, o.servers, &mcp.Options{
		Cwd: s.ws.Cwd, Environ: opts.Environ, Name: opts.Name, Version: opts.Version, Logf: opts.Logf,
	})
	if err != nil {
		return mountError(err)
	}
	s.mount = mount
	return nil
}

// undo removes a session whose response was not written: the client does not know
// of it.
func (c *conn) undo(r *jsonrpc.Request, s *session, err error) {
	c.erase(s)
	if errors.Is(err, jsonrpc.ErrPeerCancelled) {
		c.refuse(r, cancelledError())
		return
	}
	c.lost(err)
}

func (c *conn) erase(s *session) {
	if err := errors.Join(s.close(), c.core.opts.Store.Delete(c.ctx, s.id)); err != nil {
		c.core.opts.Logf("undoing session %s: %v", s.id, err)
	}
}

// mountError is the response to declarations that are wrong or do not work.
func mountError(err error) error {
	var (
		bad       *mcp.InvalidError
		transport *mcp.TransportError
		connect   *mcp.ConnectError
	)
	switch {
	case errors.As(err, &bad):
		return invalid("mcp_invalid", err.Error(), "server", bad.Server, "field", bad.Field)
	case errors.As(err, &transport):
		return invalid("mcp_transport_unsupported", err.Error(), "server", transport.Server)
	case errors.As(err, &connect):
		return fail(jsonrpc.CodeInternal, "mcp_connect_failed", err.Error(), "server", connect.Server)
	}
	return err
}
