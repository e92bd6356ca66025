package policy

import "strings"

// aliases are the tool names of Claude Code that stand for a kind.
var aliases = map[string]kindSet{
	"Bash": kindExecute, "Read": kindRead, "Edit": kindEdit, "Write": kindEdit, "MultiEdit": kindEdit,
	"NotebookEdit": kindEdit, "WebFetch": kindFetch, "WebSearch": kindFetch, "Glob": kindSearch, "Grep": kindSearch,
}

// aliasKind reads a name as an alias. The pattern is rewritten where the other
// spelling differs: Bash(x:*), WebFetch(domain:h), mcp__server__tool.
func aliasKind(name string, pattern *ruleText) (kindSet, *ruleText, bool, *patternError) {
	if strings.HasPrefix(name, mcpPrefix) {
		if pattern != nil {
			return 0, nil, false, faultf(len(name), "%s takes no pattern; use mcp(server/tool)", preview(name))
		}
		raw := ruleText{s: name, mark: make([]byte, len(name))}
		return kindMCP, &raw, true, nil
	}
	kind, ok := aliases[name]
	if !ok || pattern == nil {
		return kind, pattern, ok, nil
	}
	p := *pattern
	switch name {
	case "Bash":
		p = prefixMark(p)
	case "WebFetch":
		if rest, ok := strings.CutPrefix(p.s, "domain:"); ok && p.slice(0, len(p.s)-len(rest)).allPlain() {
			p = p.slice(len(p.s)-len(rest), len(p.s))
		}
	}
	return kind, &p, true, nil
}

// prefixMark turns x:* into x *.
func prefixMark(p ruleText) ruleText {
	n := len(p.s)
	if n < 3 || !p.slice(n-2, n).plain(":*") {
		return p
	}
	return ruleText{s: p.s[:n-2] + " *", mark: p.mark}
}
