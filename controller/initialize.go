package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// Protocol versions: the one that is spoken, and the draft that may be offered.
const (
	protocolVersion = 1
	draftVersion    = 2
)

// agentInfo is what initialize told about the agent.
type agentInfo struct {
	Name, Version string
	Capabilities  Capabilities
	AuthMethods   json.RawMessage
}

func (i *agentInfo) started(link Link) event.AgentStart {
	return event.AgentStart{
		Name: i.Name, Version: i.Version, Command: link.Command(), URL: addressOf(link), ProtocolVersion: protocolVersion,
		Capabilities: i.Capabilities.Raw, AuthMethods: i.AuthMethods,
	}
}

// initialize negotiates. Nothing else is written before the answer.
//
// ACP: initialize.
func (c *Conn) initialize(ctx context.Context) *event.Failure {
	limit := c.opts.Deadlines.Initialize
	ctx, cancel := context.WithTimeoutCause(ctx, limit, noAnswer(event.ClassStart, "initialize", limit))
	defer cancel()
	result, err := c.rpc.Call(ctx, "initialize", c.initializeParams(), nil)
	if err != nil {
		return c.initializeFailure(err)
	}
	return c.accept(result)
}

func (c *Conn) initializeParams() any {
	params := map[string]any{"protocolVersion": c.opts.ProtocolVersion, "clientCapabilities": clientCapabilities(&c.opts)}
	if c.opts.ClientName != "" {
		params["clientInfo"] = map[string]any{"name": c.opts.ClientName, "version": c.opts.ClientVersion}
	}
	return params
}

// accept reads the answer. A version other than the offered one is never a
// reason to go on.
func (c *Conn) accept(result json.RawMessage) *event.Failure {
	m := members(result)
	version, err := strconv.Atoi(string(m["protocolVersion"]))
	if err != nil {
		return failf(event.ClassStart, "invalid_initialize", "the answer to initialize has no integer protocolVersion: %s", preview(result))
	}
	if version != protocolVersion {
		return failf(event.ClassStart, "unsupported_version", "the agent chose protocol version %d; version %d was offered and version %d is spoken here",
			version, c.opts.ProtocolVersion, protocolVersion)
	}
	agent := members(m["agentInfo"])
	c.info = agentInfo{
		Name: jsonString(agent["name"]), Version: jsonString(agent["version"]),
		Capabilities: readCapabilities(m["agentCapabilities"]), AuthMethods: m["authMethods"],
	}
	return nil
}

// initializeFailure says why there is no answer. An agent that ended is named
// with its command, its exit status and what it last said on stderr.
func (c *Conn) initializeFailure(err error) *event.Failure {
	var lost *jsonrpc.ConnError
	if !errors.As(err, &lost) {
		f := c.callFailure("initialize", err)
		if f.Class == event.ClassAgent || f.Class == event.ClassSession {
			f.Class = event.ClassStart
		}
		return f
	}
	f := c.lostFailure("initialize", lost)
	exit := c.link.Exit()
	f.Class, f.Reason = event.ClassStart, "agent_exited"
	f.Message = c.describeAgent() + " ended before it answered initialize"
	if how := exit.describe(); how != "" {
		f.Message += ": " + how
	}
	return f
}

func (c *Conn) describeAgent() string {
	if argv := c.link.Command(); len(argv) > 0 {
		return fmt.Sprintf("agent %q", argv[0])
	}
	if address := addressOf(c.link); address != "" {
		return "agent " + address
	}
	return "the agent"
}

// addressOf is where a remote agent is, empty for any other.
func addressOf(l Link) string {
	if a, ok := l.(interface{ Address() string }); ok {
		return a.Address()
	}
	return ""
}

// preview shortens JSON for a message, to 64 bytes.
func preview(raw json.RawMessage) string {
	const width = 64
	if len(raw) <= width {
		return string(raw)
	}
	return string(raw[:width]) + "..."
}
