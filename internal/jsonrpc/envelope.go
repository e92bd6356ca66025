package jsonrpc

import (
	"bytes"
	"encoding/json"
)

// envelope holds the raw members of one frame as parts of it; nil is absent. Of a
// member that stands twice the last one counts, as in encoding/json.
type envelope struct {
	array                                       bool
	version, id, method, params, result, failed []byte
}

// scanFrame checks that frame is one JSON value and finds its members. The error
// is errCut for the beginning of JSON, else errSyntax.
func scanFrame(frame []byte) (envelope, error) {
	var e envelope
	s := scanner(frame)
	i := s.space(0)
	var err error
	switch {
	case i < len(s) && s[i] == '{':
		i, err = s.members(i, 0, e.set)
	default:
		e.array = i < len(s) && s[i] == '['
		i, err = s.value(i, 0)
	}
	if err == nil && s.space(i) != len(s) {
		err = errSyntax
	}
	return e, err
}

func (e *envelope) set(key, value []byte) {
	name := key[1 : len(key)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		var decoded string
		if json.Unmarshal(key, &decoded) != nil {
			return
		}
		name = []byte(decoded)
	}
	switch string(name) {
	case "jsonrpc":
		e.version = value
	case "id":
		e.id = value
	case "method":
		e.method = value
	case "params":
		e.params = value
	case "result":
		e.result = value
	case "error":
		e.failed = value
	}
}

// isFrame says whether the members are those of JSON-RPC 2.0; everything else is
// noise, whatever ids it may hold.
func (e *envelope) isFrame() bool {
	version, ok := text(e.version)
	return ok && version == "2.0" && (e.method != nil || e.id != nil || e.result != nil || e.failed != nil)
}

// text decodes a raw JSON string.
func text(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if body := raw[1 : len(raw)-1]; bytes.IndexByte(body, '\\') < 0 && isASCII(body) {
		return string(body), true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// methodNames decodes method names; most frames in a row have the same one.
type methodNames struct{ raw, last string }

func (m *methodNames) name(raw []byte) (string, bool) {
	if len(raw) > 0 && string(raw) == m.raw {
		return m.last, true
	}
	name, ok := text(raw)
	if ok {
		m.raw, m.last = string(raw), name
	}
	return name, ok
}

// outcome returns the result or the error of a response.
func (e *envelope) outcome() (json.RawMessage, error) {
	switch {
	case e.failed != nil && string(e.failed) != "null":
		return nil, readError(e.failed)
	case e.result != nil:
		return json.RawMessage(e.result), nil
	default:
		return nil, &Error{Code: CodeInternal, Message: "the response has neither result nor error"}
	}
}

// readError decodes an error member. One that is not what JSON-RPC asks for is
// kept as data, so that nothing of it is lost.
func readError(raw json.RawMessage) *Error {
	var e Error
	if raw[0] == '{' && json.Unmarshal(raw, &e) == nil {
		return &e
	}
	message, ok := text(raw)
	if !ok {
		message = "the response has a malformed error"
	}
	return &Error{Code: CodeInternal, Message: message, Data: raw}
}
