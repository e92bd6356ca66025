package recipes

import (
	"net/url"
	"slices"
	"strings"
)

// bindAgent finds which agent is meant.
func (b *binder) bindAgent() {
	if b.over.Agent != nil {
		b.plan.Agent = *b.over.Agent
		return
	}
	a := b.r.agent
	if a == nil {
		b.plan.Agent = AgentSpec{Core: true}
		return
	}
	switch {
	case a.line != nil:
		b.agentLine(a.line)
	case a.url != nil:
		b.agentURL(a)
	case len(a.command) == 0:
		b.plan.Agent.Core = true
		if a.script != nil {
			b.plan.Agent.Script = b.named(a.script)
		}
	default:
		b.agentCommand(a)
	}
}

// agentLine reads the short form: core, a name, or a command line. A value that
// is put into a longer line could change where its words end, so it is refused.
func (b *binder) agentLine(t *text) {
	if len(t.pieces) > 1 {
		b.at(t.src, t.node, "values cannot be put into a command line; write agent: {command: [...]}")
		return
	}
	line := b.string(t)
	words, err := SplitCommand(line)
	switch {
	case err != nil:
		b.at(t.src, t.node, "agent: %v", err)
	case len(words) == 0:
		if !b.incomplete {
			b.at(t.src, t.node, "agent is empty")
		}
	case line == "core":
		b.plan.Agent.Core = true
	case strings.Contains(words[0], "://"):
		b.remote(t, line)
	case len(words) == 1 && !programPath(words[0]):
		b.at(t.src, t.node, "unknown agent %q; the one name there is: core", words[0])
	default:
		b.plan.Agent.Argv = b.argv(words)
	}
}

// agentURL reads a remote agent.
func (b *binder) agentURL(a *agentDecl) {
	b.remote(a.url, b.string(a.url))
	b.plan.Agent.Headers = b.variables(a.headers)
	for _, h := range b.plan.Agent.Headers {
		b.maskHeader(h.Value)
	}
	if a.caFile != nil {
		b.plan.Agent.CAFile = b.named(a.caFile)
	}
}

func (b *binder) remote(t *text, address string) {
	u, err := url.Parse(address)
	if !b.incomplete && (err != nil || u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "") {
		b.at(t.src, t.node, "the address of a remote agent is ws://HOST... or wss://HOST...")
	}
	b.maskURL(address)
	b.plan.Agent.URL = address
}

func (b *binder) agentCommand(a *agentDecl) {
	var words []string
	before := len(b.problems)
	for _, t := range a.command {
		words = append(words, b.string(t))
	}
	if a.oneLine {
		t := a.command[0]
		if len(t.pieces) > 1 {
			b.at(t.src, t.node, "values cannot be put into a command line; write a list of words")
			return
		}
		var err error
		if words, err = SplitCommand(words[0]); err != nil {
			b.at(t.src, t.node, "command: %v", err)
			return
		}
	}
	if (len(words) == 0 || words[0] == "") && !b.incomplete && len(b.problems) == before {
		b.at(a.command[0].src, a.command[0].node, "command is empty")
		return
	}
	b.plan.Agent.Argv = b.argv(words)
	if len(a.env) > 0 {
		b.plan.Agent.Env = make(map[string]string, len(a.env))
	}
	for _, e := range a.env {
		b.plan.Agent.Env[e.name] = b.string(e.value)
	}
}

// argv makes a program that is named by a path absolute.
func (b *binder) argv(words []string) []string {
	if len(words) > 0 && programPath(words[0]) {
		words[0] = absolute(b.opts.RecipeDir, words[0])
	}
	return words
}

// bindServers binds the MCP servers of the recipe and of files.
func (b *binder) bindServers() {
	list := slices.Clone(b.r.servers)
	for _, t := range b.r.mcpFiles {
		list = append(list, b.serverFile(t, b.named(t))...)
	}
	for _, path := range b.over.MCPFiles {
		list = append(list, b.serverFile(literalText(path), path)...)
	}
	seen := map[string]bool{}
	for _, d := range list {
		if seen[d.name] {
			b.at(d.src, d.node, "MCP server %q is declared twice", d.name)
			continue
		}
		seen[d.name] = true
		b.plan.MCPServers = append(b.plan.MCPServers, b.server(d))
	}
}

// serverFile reads the servers of a file. Expressions have no names there: it is
// not part of the recipe.
func (b *binder) serverFile(t *text, path string) []*serverDecl {
	src := b.readFile(t, path)
	if src == nil {
		return nil
	}
	p := newParser(src, path, &b.problems)
	return p.serverFile(src, &scope{names: &names{}})
}

func (b *binder) server(d *serverDecl) MCPServer {
	m := MCPServer{Name: d.name, Type: "stdio", Required: d.required}
	if d.url != nil {
		m.Type, m.URL = "http", b.string(d.url)
		b.maskURL(m.URL)
		m.Headers = b.variables(d.headers)
		for _, h := range m.Headers {
			b.maskHeader(h.Value)
		}
		return m
	}
	m.Command = b.string(d.command)
	if programPath(m.Command) {
		m.Command = absolute(b.opts.RecipeDir, m.Command)
	}
	for _, t := range d.args {
		m.Args = append(m.Args, b.string(t))
	}
	m.Env = b.variables(d.env)
	return m
}

func (b *binder) variables(list []variableDecl) []Variable {
	var out []Variable
	for _, d := range list {
		value := b.string(d.value)
		b.maskURL(value)
		out = append(out, Variable{d.name, value})
	}
	return out
}

// maskHeader masks a header's value and the word behind its scheme.
func (b *binder) maskHeader(value string) {
	b.mask(value)
	if _, credentials, ok := strings.Cut(value, " "); ok {
		b.mask(strings.TrimSpace(credentials))
	}
}

// maskURL masks an address that holds a user's password, and the password.
func (b *binder) maskURL(value string) {
	if !strings.Contains(value, "@") {
		return
	}
	u, err := url.Parse(value)
	if err != nil || u.User == nil {
		return
	}
	b.mask(value)
	if password, ok := u.User.Password(); ok {
		b.mask(password)
	}
}
