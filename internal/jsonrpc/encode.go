package jsonrpc

import (
	"bytes"
	"encoding/json"
)

// encode returns v as JSON on one line. A json.RawMessage is taken as it is.
func encode(v any) ([]byte, error) {
	if raw, ok := v.(json.RawMessage); ok && !bytes.ContainsAny(raw, "\r\n") {
		return raw, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// encodeParams returns nil for params that are not there.
func encodeParams(params any) ([]byte, error) {
	if raw, ok := params.(json.RawMessage); params == nil || ok && len(raw) == 0 {
		return nil, nil
	}
	return encode(params)
}

// encodeResult returns null for a result that is not there.
func encodeResult(result any) ([]byte, error) {
	if raw, ok := result.(json.RawMessage); result == nil || ok && len(raw) == 0 {
		return []byte("null"), nil
	}
	return encode(result)
}

// quote appends s as a JSON string.
func quote(to []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(to, '"'), s...), '"')
	}
	b, err := encode(s)
	if err != nil { // a string can always be encoded
		b = []byte(`""`)
	}
	return append(to, b...)
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// frameParts is an outbound frame before it is put together, which the writer
// does: what waits to be written holds its params once.
type frameParts struct{ head, body []byte }

func (f frameParts) join() []byte {
	frame := make([]byte, 0, len(f.head)+len(f.body)+1)
	return append(append(append(frame, f.head...), f.body...), '}')
}

// headRoom is enough for the head of nearly every frame.
const headRoom = 96

func newHead() []byte { return append(make([]byte, 0, headRoom), `{"jsonrpc":"2.0",`...) }

// callParts is a request, or a notification when id is the zero one.
func callParts(id ID, method string, params []byte) frameParts {
	head := newHead()
	if !id.IsZero() {
		head = append(append(append(head, `"id":`...), id.raw...), ',')
	}
	head = quote(append(head, `"method":`...), method)
	if params != nil {
		head = append(head, `,"params":`...)
	}
	return frameParts{head, params}
}

// answerParts is a response to the request with the raw id; member is result or
// error.
func answerParts(id []byte, member string, value []byte) frameParts {
	head := append(append(newHead(), `"id":`...), id...)
	head = append(append(append(head, `,"`...), member...), `":`...)
	return frameParts{head, value}
}
