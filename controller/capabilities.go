package controller

import (
	"bytes"
	"encoding/json"
)

// Capabilities are what the agent announced in initialize, read leniently: what
// is absent, null or of the wrong type is not offered. Raw is the whole
// agentCapabilities object, unchanged.
//
// ACP: agentCapabilities.
type Capabilities struct {
	LoadSession                   bool
	List, Resume, CloseSession    bool
	Fork                          bool
	DeleteSession, AdditionalDirs bool
	Image, Audio, EmbeddedContext bool
	MCPHTTP, MCPSSE               bool
	Logout                        bool
	Chrys                         bool     // announces the chrys extension
	ChrysMethods, ChrysCallbacks  []string // its canonical method names
	Raw                           json.RawMessage
}

// readCapabilities reads the agentCapabilities of an initialize result.
func readCapabilities(raw json.RawMessage) Capabilities {
	root := members(raw)
	prompt, mcp := members(root["promptCapabilities"]), members(root["mcpCapabilities"])
	session, auth := members(root["sessionCapabilities"]), members(root["auth"])
	chrys := members(members(root["_meta"])["chrys"])
	return Capabilities{
		LoadSession: offered(root["loadSession"]),
		List:        offered(session["list"]), Resume: offered(session["resume"]),
		Fork:         offered(session["fork"]),
		CloseSession: offered(session["close"]), DeleteSession: offered(session["delete"]),
		AdditionalDirs: offered(session["additionalDirectories"]),
		Image:          offered(prompt["image"]), Audio: offered(prompt["audio"]),
		EmbeddedContext: offered(prompt["embeddedContext"]),
		MCPHTTP:         offered(mcp["http"]), MCPSSE: offered(mcp["sse"]),
		Logout:         offered(auth["logout"]),
		Chrys:          chrys != nil,
		ChrysMethods:   stringList(chrys["methods"]),
		ChrysCallbacks: stringList(chrys["callbacks"]),
		Raw:            raw,
	}
}

// members returns the members of a JSON object, nil for anything else.
func members(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// offered says whether a capability is true or an object.
func offered(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && (raw[0] == '{' || string(raw) == "true")
}

func stringList(raw json.RawMessage) []string {
	var list []string
	if len(raw) == 0 || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// Names of the extension that the bundled core and its relatives speak.
const (
	requestInputMethod     = "_chrys/request_input"
	requestInputBare       = "chrys/request_input"
	attemptDiscardedMethod = "_chrys/attempt_discarded"
	retryAttemptMethod     = "_chrys/retry_attempt"
)

// clientCapabilities is the one authority on what this client offers: each item
// has a handler in [Conn.HandleRequest] or [Conn.HandleNotification].
func clientCapabilities(o *Options) map[string]any {
	modes := map[string]any{"form": map[string]any{}}
	if o.URLs {
		modes["url"] = map[string]any{}
	}
	caps := map[string]any{
		"fs":          map[string]any{"readTextFile": o.Client.FS, "writeTextFile": o.Client.FS},
		"terminal":    o.Client.Terminal,
		"elicitation": modes,
		"session":     map[string]any{"configOptions": map[string]any{"boolean": map[string]any{}}},
		"_meta": map[string]any{"chrys": map[string]any{
			"version":       1,
			"callbacks":     []string{requestInputMethod},
			"notifications": []string{attemptDiscardedMethod, retryAttemptMethod},
		}},
	}
	if o.TerminalAuth {
		caps["auth"] = map[string]any{"terminal": true}
	}
	return caps
}
