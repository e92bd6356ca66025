package acptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// frame is what the client sent.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`

	raw []byte
}

func readFrame(raw []byte) (*frame, error) {
	f := &frame{raw: raw}
	if err := json.Unmarshal(raw, f); err != nil {
		return nil, fmt.Errorf("the client sent %.200q: %w", raw, err)
	}
	return f, nil
}

// name is the method, or what a scenario calls an answer.
func (f *frame) name() string {
	switch {
	case f.Method != "":
		return f.Method
	case f.Error != nil:
		return "error"
	default:
		return "response"
	}
}

// matches says whether the frame is what the arguments of > ask for.
func (f *frame) matches(args []string) bool {
	payload := f.Params
	switch name := f.name(); {
	case name != args[0]:
		return false
	case f.Method != "":
		args = args[1:]
	default:
		if string(f.ID) != args[1] {
			return false
		}
		if payload = f.Result; name == "error" {
			payload = f.Error
		}
		args = args[2:]
	}
	return len(args) == 0 || contains(payload, []byte(args[0]))
}

// contains says whether a document has all that want has: objects may have more
// members, everything else must be equal.
func contains(doc, want []byte) bool {
	var d, w any
	if decode(doc, &d) != nil || decode(want, &w) != nil {
		return false
	}
	return covers(d, w)
}

func decode(doc []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	return dec.Decode(v)
}

func covers(doc, want any) bool {
	switch w := want.(type) {
	case map[string]any:
		d, ok := doc.(map[string]any)
		for key, value := range w {
			member, has := d[key]
			ok = ok && has && covers(member, value)
		}
		return ok
	case []any:
		d, ok := doc.([]any)
		if !ok || len(d) != len(w) {
			return false
		}
		for i := range w {
			ok = ok && covers(d[i], w[i])
		}
		return ok
	default:
		return doc == want
	}
}

// lookup returns a member of the params by its path, such as prompt.0.text.
func (f *frame) lookup(path string) (json.RawMessage, error) {
	value := f.Params
	for name := range strings.SplitSeq(path, ".") {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		i, err := strconv.Atoi(name)
		switch {
		case json.Unmarshal(value, &object) == nil && object[name] != nil:
			value = object[name]
		case err == nil && json.Unmarshal(value, &list) == nil && i >= 0 && i < len(list):
			value = list[i]
		default:
			return nil, fmt.Errorf("the params of %s have no %s", f.Method, path)
		}
	}
	return value, nil
}
