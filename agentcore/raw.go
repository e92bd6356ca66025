package agentcore

import (
	"encoding/json"
	"unicode/utf8"
)

// object returns the members of a JSON object, nil for anything else.
func object(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// texts returns a list of strings, nil for anything else.
func texts(raw json.RawMessage) []string {
	var list []string
	if len(raw) == 0 || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// number returns a JSON number, 0 for anything else.
func number(raw json.RawMessage) float64 {
	var n float64
	if len(raw) == 0 || json.Unmarshal(raw, &n) != nil {
		return 0
	}
	return n
}

// present says that a member is there and not null.
func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// asJSON is text as a JSON value: itself where it is one, a string otherwise.
func asJSON(text string) json.RawMessage {
	if json.Valid([]byte(text)) && utf8.ValidString(text) {
		return json.RawMessage(text)
	}
	raw, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}
