package recipes

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// agentDecl says which agent a recipe wants. With neither line nor command it is
// the bundled one.
type agentDecl struct {
	line    *text   // core, or a command line
	command []*text // exact words
	oneLine bool    // command is a single line to split
	script  *text   // of the bundled agent's scripted model
	env     []variableDecl

	url     *text // of a remote agent
	headers []variableDecl
	caFile  *text
}

// agent reads the key agent; nil without it.
func (p *parser) agent(n *yaml.Node, s *scope) *agentDecl {
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		return &agentDecl{line: p.text(n, s, true)}
	}
	command, core, url := field(n, "command"), field(n, "core"), field(n, "url")
	given := 0
	for _, way := range []*yaml.Node{command, core, url} {
		if way != nil {
			given++
		}
	}
	switch {
	case given > 1:
		p.errorf(n, "agent takes one of core, command and url")
	case given == 0 && n.Kind == yaml.MappingNode:
		p.errorf(n, "agent needs core, command or url").Hint = "agent: core, or agent: {command: [my-agent, --acp]}"
	}
	for _, of := range []struct {
		key string
		way *yaml.Node
	}{{"env", command}, {"headers", url}, {"caFile", url}} {
		if v := field(n, of.key); v != nil && of.way == nil && given == 1 {
			p.errorf(v, "%s does not fit this agent", of.key).Hint = "env is for command, headers and caFile are for url"
		}
	}
	a := &agentDecl{
		command: p.texts(command, s, true), oneLine: command != nil && command.Kind == yaml.ScalarNode,
		script: p.text(field(core, "script"), s, true), env: p.variables(field(n, "env"), s),
		url: p.text(url, s, true), headers: p.variables(field(n, "headers"), s), caFile: p.text(field(n, "caFile"), s, false),
	}
	if command != nil && command.Kind == yaml.SequenceNode && len(command.Content) == 0 {
		p.errorf(command, "command is empty")
	}
	return a
}

// serverDecl is one MCP server as declared.
type serverDecl struct {
	src      *source
	node     *yaml.Node
	name     string
	command  *text
	args     []*text
	env      []variableDecl
	url      *text
	headers  []variableDecl
	required bool
}

// servers reads mcpServers in its order.
func (p *parser) servers(n *yaml.Node, s *scope) []*serverDecl {
	var list []*serverDecl
	for _, e := range entries(n) {
		if e.value.Kind == yaml.MappingNode {
			list = append(list, p.server(e.key.Value, e.value, s))
		}
	}
	return list
}

func (p *parser) server(name string, n *yaml.Node, s *scope) *serverDecl {
	m := &serverDecl{
		src: p.src, node: n, name: name,
		command: p.text(field(n, "command"), s, true), args: p.texts(field(n, "args"), s, true),
		env: p.variables(field(n, "env"), s), url: p.text(field(n, "url"), s, true),
		headers: p.variables(field(n, "headers"), s), required: scalarOf(field(n, "required")) == "true",
	}
	kind := scalarOf(field(n, "type"))
	switch {
	case m.command != nil && m.url != nil:
		p.errorf(n, "MCP server %q has command and url; it takes one of them", name)
	case m.command == nil && m.url == nil:
		p.errorf(n, "MCP server %q needs command (stdio) or url (http)", name)
	case m.url != nil && kind == "stdio", m.command != nil && kind == "http":
		p.errorf(field(n, "type"), "type %s does not fit the other keys of MCP server %q", kind, name)
	}
	misplaced, needs := []string{"args", "env"}, "command"
	if m.url == nil {
		misplaced, needs = []string{"headers"}, "url"
	}
	for _, key := range misplaced {
		if v := field(n, key); v != nil && (m.url == nil) != (m.command == nil) {
			p.errorf(v, "%s does not fit MCP server %q, which has no %s", key, name, needs)
		}
	}
	return m
}

// serverFile reads the servers of a file in the shape of .mcp.json.
func (p *parser) serverFile(text []byte, s *scope) []*serverDecl {
	root := p.document(text, "a file of MCP servers")
	if root == nil {
		return nil
	}
	p.check(root, &form{object: &object{keys: []key{{name: "mcpServers", form: serversForm(), required: true}}}}, "", 0)
	return p.servers(field(root, "mcpServers"), s)
}

// programPath says whether a program is named by a path, which is relative to the
// file that names it.
func programPath(name string) bool { return strings.ContainsAny(name, `/\`) }
