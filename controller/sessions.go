package controller

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/acpctl/acpctl/controller/event"
)

// SessionInfo is a session as the agent lists it.
//
// ACP: SessionInfo.
type SessionInfo struct {
	ID        string          `json:"sessionId"`
	Cwd       string          `json:"cwd,omitempty"`
	Title     string          `json:"title,omitempty"`
	UpdatedAt string          `json:"updatedAt,omitempty"` // as the agent spells it, mostly RFC 3339
	Raw       json.RawMessage `json:"-"`                   // the whole entry, unchanged
}

// mostPages bounds a listing: an agent may answer the same page for ever.
const mostPages = 10_000

// Sessions iterates over the sessions that the agent has, page by page as they
// are asked for; cwd, when not empty, limits them to one folder. It ends at its
// first error. An agent that did not announce the list is refused before
// anything is sent.
//
// ACP: session/list.
func (c *Conn) Sessions(ctx context.Context, cwd string) iter.Seq2[SessionInfo, error] {
	return func(yield func(SessionInfo, error) bool) {
		if !c.info.Capabilities.List {
			yield(SessionInfo{}, unsupported("listing sessions", "sessionCapabilities.list"))
			return
		}
		seen := map[string]bool{}
		for cursor, page := "", 0; ; page++ {
			list, next, f := c.listPage(ctx, cwd, cursor)
			if f == nil && (seen[next] || page >= mostPages) {
				f = failf(event.ClassProtocol, "invalid_cursor", "session/list gave the cursor %q twice", next)
			}
			if f != nil {
				yield(SessionInfo{}, f)
				return
			}
			for _, s := range list {
				if !yield(s, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			seen[next] = true
			cursor = next
		}
	}
}

func (c *Conn) listPage(ctx context.Context, cwd, cursor string) (list []SessionInfo, next string, f *event.Failure) {
	params := map[string]any{}
	if cwd != "" {
		params["cwd"] = cwd
	}
	if cursor != "" {
		params["cursor"] = cursor
	}
	result, f := c.ask(ctx, "session/list", params)
	if c.loggedIn(ctx, f) {
		result, f = c.ask(ctx, "session/list", params)
	}
	if f != nil {
		return nil, "", f
	}
	var page struct {
		Sessions   []json.RawMessage `json:"sessions"`
		NextCursor *string           `json:"nextCursor"`
	}
	if json.Unmarshal(result, &page) != nil {
		return nil, "", failf(event.ClassProtocol, "invalid_response", "the answer to session/list is not readable: %s", preview(result))
	}
	for _, raw := range page.Sessions {
		m := members(raw)
		s := SessionInfo{
			ID: jsonString(m["sessionId"]), Cwd: jsonString(m["cwd"]),
			Title: jsonString(m["title"]), UpdatedAt: jsonString(m["updatedAt"]), Raw: raw,
		}
		if s.ID == "" {
			c.warnNoise("invalid_update", "session/list has an entry without sessionId: "+preview(raw))
			continue
		}
		list = append(list, s)
	}
	if page.NextCursor != nil {
		next = *page.NextCursor
	}
	return list, next, nil
}

// CloseSessionID closes a session that is not open here. Open ones have
// [Session.Close].
//
// ACP: session/close, where announced.
func (c *Conn) CloseSessionID(ctx context.Context, id string) error {
	if !c.info.Capabilities.CloseSession {
		return unsupported("closing sessions", "sessionCapabilities.close")
	}
	_, f := c.ask(ctx, "session/close", map[string]any{"sessionId": id})
	return asError(namedOrNil(f, id))
}

// DeleteSession makes the agent forget a session.
//
// ACP: session/delete, where announced.
func (c *Conn) DeleteSession(ctx context.Context, id string) error {
	if !c.info.Capabilities.DeleteSession {
		return unsupported("deleting sessions", "sessionCapabilities.delete")
	}
	_, f := c.ask(ctx, "session/delete", map[string]any{"sessionId": id})
	return asError(namedOrNil(f, id))
}

func namedOrNil(f *event.Failure, id string) *event.Failure {
	if f == nil {
		return nil
	}
	return named(f, id)
}

// ask is call with the result.
func (c *Conn) ask(ctx context.Context, method string, params any) (json.RawMessage, *event.Failure) {
	type answer struct{ result json.RawMessage }
	got := make(chan answer, 1)
	_, f := c.call(ctx, method, params, c.opts.Deadlines.Call, func(result json.RawMessage, err error) {
		if err == nil {
			got <- answer{result}
		}
	})
	if f != nil {
		return nil, f
	}
	return (<-got).result, nil
}
