package agentcore

import (
	"encoding/json"
	"slices"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// protocolVersion is the only version that is spoken.
const protocolVersion = 1

// Names of the extension.
const (
	requestInputMethod     = "_chrys/request_input"
	attemptDiscardedMethod = "_chrys/attempt_discarded"
	retryAttemptMethod     = "_chrys/retry_attempt"
)

// client is what the client said of itself.
type client struct {
	form         bool // answers elicitation/create in form mode
	requestInput bool // answers _chrys/request_input
	preferInput  bool // wants the latter although it has the former
	discards     bool // takes _chrys/attempt_discarded
	retries      bool // takes _chrys/retry_attempt
}

// ACP: InitializeResponse.
type initializeResult struct {
	ProtocolVersion   int            `json:"protocolVersion"`
	AgentCapabilities capabilities   `json:"agentCapabilities"`
	AuthMethods       []struct{}     `json:"authMethods"`
	AgentInfo         implementation `json:"agentInfo"`
}

// ACP: Implementation.
type implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

// ACP: AgentCapabilities.
type capabilities struct {
	LoadSession         bool                `json:"loadSession"`
	PromptCapabilities  map[string]bool     `json:"promptCapabilities"`
	MCPCapabilities     map[string]bool     `json:"mcpCapabilities"`
	SessionCapabilities map[string]struct{} `json:"sessionCapabilities"`
	Auth                struct{}            `json:"auth"`
	Meta                map[string]any      `json:"_meta,omitempty"`
}

// initialize opens the connection.
func (c *conn) initialize(r *jsonrpc.Request) {
	if c.initialized.Load() {
		c.refuse(r, fail(jsonrpc.CodeInvalidRequest, "already_initialized", "the connection is initialized already"))
		return
	}
	var p struct {
		ProtocolVersion    *int            `json:"protocolVersion"`
		ClientCapabilities json.RawMessage `json:"clientCapabilities"`
	}
	err := decode(r, &p)
	if err == nil && p.ProtocolVersion == nil {
		err = invalid("invalid_params", "protocolVersion is missing")
	}
	if err != nil {
		c.refuse(r, err)
		return
	}
	c.client = readClient(p.ClientCapabilities)
	if c.core.opts.StandardOnly {
		c.client.requestInput, c.client.preferInput, c.client.discards = false, false, false
	}
	c.initialized.Store(true)
	c.reply(r, initializeResult{
		ProtocolVersion: protocolVersion, AgentCapabilities: c.core.capabilities(), AuthMethods: []struct{}{},
		AgentInfo: implementation{c.core.opts.Name, c.core.opts.Title, c.core.opts.Version},
	})
}

// capabilities are exactly what works.
func (c *Core) capabilities() capabilities {
	caps := capabilities{
		LoadSession:         true,
		PromptCapabilities:  map[string]bool{"image": c.opts.Models.Vision(), "audio": false, "embeddedContext": true},
		MCPCapabilities:     map[string]bool{"http": true, "sse": false},
		SessionCapabilities: map[string]struct{}{"list": {}, "delete": {}, "resume": {}, "close": {}, "additionalDirectories": {}},
	}
	if !c.opts.StandardOnly {
		caps.Meta = map[string]any{"chrys": map[string]any{
			"version": 1, "methods": []string{}, "notifications": []string{attemptDiscardedMethod, retryAttemptMethod},
			"callbacks": []string{requestInputMethod}, "legacyNames": false,
		}}
	}
	return caps
}

// readClient reads the client's capabilities. What has not the type that it should
// have counts as absent: a capability is never taken for granted.
func readClient(raw json.RawMessage) client {
	root := object(raw)
	chrys := object(object(root["_meta"])["chrys"])
	opted := number(chrys["version"]) >= 1
	notes := texts(chrys["notifications"])
	return client{
		form:         present(object(root["elicitation"])["form"]),
		requestInput: opted && slices.Contains(texts(chrys["callbacks"]), requestInputMethod),
		preferInput:  opted && string(chrys["preferRequestInput"]) == "true",
		retries:      opted && (slices.Contains(notes, retryAttemptMethod) || slices.Contains(notes, "*")),
		discards:     opted && (slices.Contains(notes, attemptDiscardedMethod) || slices.Contains(notes, "*")),
	}
}

// authenticate refuses: there is nothing to authenticate to.
func (c *conn) authenticate(r *jsonrpc.Request) {
	c.refuse(r, invalid("unknown_auth_method", "this agent has no authentication methods"))
}
