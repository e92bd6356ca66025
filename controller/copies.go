package controller

import (
	"encoding/json"
	"slices"
)

// copied returns params that share nothing with the caller's.
func (p *SessionParams) copied() SessionParams {
	out := SessionParams{Cwd: p.Cwd, AddDirs: slices.Clone(p.AddDirs), Meta: copyMeta(p.Meta)}
	for _, m := range p.MCPServers {
		m.Args, m.Env, m.Headers = slices.Clone(m.Args), slices.Clone(m.Env), slices.Clone(m.Headers)
		out.MCPServers = append(out.MCPServers, m)
	}
	return out
}

// copyMeta copies metadata, which is JSON, to any depth. What is no JSON is left
// out: it could not be sent either.
func copyMeta(meta map[string]any) map[string]any {
	if meta == nil {
		return nil
	}
	raw, err := json.Marshal(meta)
	if err != nil {
		return nil
	}
	var out map[string]any
	if json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// Params returns what the session was opened with. It shares nothing with the
// session.
func (s *Session) Params() SessionParams { return s.params.copied() }
