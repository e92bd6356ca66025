package policy

import (
	"slices"
	"strings"
)

const mcpPrefix = "mcp__"

// mcpPattern is server/tool with wildcards in both, or a joined name of which
// only the declared servers tell where it is split.
type mcpPattern struct {
	server, tool *glob
	joined       string // server__tool, or a server alone
}

func newMCPPattern(raw ruleText) (*mcpPattern, *patternError) {
	if joined, ok := strings.CutPrefix(raw.s, mcpPrefix); ok && raw.allPlain() && !strings.Contains(joined, "/") {
		return &mcpPattern{joined: joined}, nil
	}
	t, err := raw.unescape()
	if err != nil {
		return nil, err
	}
	slash := strings.IndexByte(t.s, '/')
	for slash >= 0 && t.mark[slash] == markLiteral {
		next := strings.IndexByte(t.s[slash+1:], '/')
		if next < 0 {
			slash = -1
			break
		}
		slash += 1 + next
	}
	if slash <= 0 || slash == len(t.s)-1 {
		return nil, faultf(0, "mcp takes server/tool; mcp(%s/*) is every tool of a server", strings.Trim(t.s, "/"))
	}
	server, tool := newGlob(t.slice(0, slash), globFull), newGlob(t.slice(slash+1, len(t.s)), globFull)
	return &mcpPattern{server: server, tool: tool}, nil
}

// mcpName is one reading of a call as a tool of a server.
type mcpName struct{ server, tool string }

// allows holds for a call whose server is known for certain.
func (p *mcpPattern) allows(w *world, n mcpName) bool {
	if p.joined == "" {
		return p.server.match(n.server) && p.tool.match(n.tool)
	}
	readings := splitJoined(p.joined, w.env.Servers)
	return len(readings) == 1 && readings[0].covers(n)
}

// forbids holds when one of the readings is met.
func (p *mcpPattern) forbids(names []mcpName) verdict {
	for _, n := range names {
		if p.joined == "" && p.server.matchFold(n.server, true) && p.tool.matchFold(n.tool, true) {
			return yes
		}
		if p.joined != "" && slices.ContainsFunc(allSplits(p.joined), func(r mcpName) bool { return r.covers(n) }) {
			return yes
		}
	}
	return no
}

// covers compares with a call; a reading without a tool is the whole server.
func (n mcpName) covers(call mcpName) bool {
	return n.server == call.server && (n.tool == "" || n.tool == call.tool)
}

// splitJoined reads server__tool. A declared server settles the split, the
// longest of them first; otherwise every place is possible.
func splitJoined(joined string, servers []string) []mcpName {
	best := ""
	for _, s := range servers {
		if len(s) > len(best) && (joined == s || strings.HasPrefix(joined, s+"__")) {
			best = s
		}
	}
	if best != "" {
		return []mcpName{{best, strings.TrimPrefix(strings.TrimPrefix(joined, best), "__")}}
	}
	return allSplits(joined)
}

func allSplits(joined string) []mcpName {
	var out []mcpName
	for i := 1; i+2 < len(joined); i++ {
		if joined[i:i+2] == "__" {
			out = append(out, mcpName{joined[:i], joined[i+2:]})
		}
	}
	if len(out) == 0 {
		out = append(out, mcpName{server: joined})
	}
	return out
}

// titleNames are the readings of a title as a tool of a declared server, in the
// forms that agents write which name no server: "server_tool", "server/tool",
// "tool (server MCP Server)" and the like. For denies only.
func titleNames(title string, servers []string) []mcpName {
	var out []mcpName
	for _, s := range servers {
		if rest, ok := strings.CutPrefix(title, s); ok && len(rest) > 1 && strings.ContainsRune("_/.:- ", rune(rest[0])) {
			out = append(out, mcpName{s, strings.TrimLeft(rest, "_/.:- ")})
		}
		tool, mark, ok := strings.Cut(title, " (")
		if ok && strings.HasPrefix(mark, s) && strings.HasPrefix(strings.TrimPrefix(mark, s), " MCP") {
			out = append(out, mcpName{s, tool})
		}
	}
	return out
}
