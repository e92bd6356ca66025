package agentcore

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/acpctl/acpctl/agentcore/store"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// pageSize is the length of a full page.
const pageSize = 50

// ACP: SessionInfo.
type sessionInfo struct {
	SessionID string         `json:"sessionId"`
	Cwd       string         `json:"cwd"`
	Dirs      []string       `json:"additionalDirectories,omitempty"`
	Title     string         `json:"title,omitempty"`
	UpdatedAt string         `json:"updatedAt,omitempty"`
	Meta      map[string]any `json:"_meta,omitempty"`
}

// ACP: ListSessionsResponse.
type listResult struct {
	Sessions   []sessionInfo `json:"sessions"`
	NextCursor string        `json:"nextCursor,omitempty"`
}

// filter says which sessions are listed.
type filter struct {
	Cwd    string   `json:"cwd,omitempty"` // canonical; empty: any
	Dirs   []string `json:"dirs,omitempty"`
	Active bool     `json:"active,omitempty"` // those in use as well
}

// listSessions answers with one page of the stored sessions, newest first.
func (c *conn) listSessions(r *jsonrpc.Request) {
	result, err := c.list(r)
	c.answer(r, result, err)
}

func (c *conn) list(r *jsonrpc.Request) (*listResult, error) {
	f, at, err := readList(r)
	if err != nil {
		return nil, err
	}
	infos, err := c.core.opts.Store.List(r.Context())
	switch {
	case r.Context().Err() != nil:
		return nil, cancelledError()
	case err != nil:
		return nil, storageError(err)
	}
	var last *store.Info
	out := &listResult{Sessions: []sessionInfo{}}
	for i := range infos {
		info := &infos[i]
		if !f.matches(info) || !at.before(info) {
			continue
		}
		if len(out.Sessions) == pageSize {
			out.NextCursor = encodeCursor(last, f)
			break
		}
		out.Sessions = append(out.Sessions, c.core.describe(info, f))
		last = info
	}
	return out, nil
}

func readList(r *jsonrpc.Request) (filter, cursor, error) {
	var p struct {
		Cwd    *string         `json:"cwd"`
		Cursor *string         `json:"cursor"`
		Dirs   []string        `json:"additionalDirectories"`
		Meta   json.RawMessage `json:"_meta"`
	}
	if len(r.Params) > 0 {
		if err := decode(r, &p); err != nil {
			return filter{}, cursor{}, err
		}
	}
	var f filter
	if p.Cwd != nil {
		if !filepath.IsAbs(*p.Cwd) {
			return f, cursor{}, invalid("cwd_not_absolute", "cwd must be absolute")
		}
		f.Cwd = canonical(*p.Cwd)
	}
	for _, d := range p.Dirs {
		if !filepath.IsAbs(d) {
			return f, cursor{}, invalid("root_not_absolute", "additionalDirectories must be absolute")
		}
		f.Dirs = append(f.Dirs, filepath.Clean(d))
	}
	f.Active = string(object(object(p.Meta)["chrys"])["includeActive"]) == "true"
	at, err := decodeCursor(p.Cursor, f)
	return f, at, err
}

func (f *filter) matches(info *store.Info) bool {
	return info.Parent == "" && (f.Active || !info.InUse) &&
		(f.Cwd == "" || canonical(info.Cwd) == f.Cwd) &&
		(len(f.Dirs) == 0 || slices.Equal(info.Roots, f.Dirs))
}

// describe is one entry. A client that sees nothing but the standard gets no
// presentation data.
func (c *Core) describe(info *store.Info, f filter) sessionInfo {
	e := sessionInfo{SessionID: info.ID, Cwd: info.Cwd, Dirs: info.Roots}
	if c.opts.StandardOnly {
		return e
	}
	e.Title = info.Title
	if !info.Updated.IsZero() {
		e.UpdatedAt = info.Updated.UTC().Format(time.RFC3339)
	}
	if f.Active && info.InUse {
		e.Meta = map[string]any{"chrys": map[string]any{"active": true}}
	}
	return e
}
