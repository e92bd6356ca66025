package jsonrpc

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// ID is the id of a request. Two are equal when type and value are: 1 is not
// "1", but 1 is 1.0. The zero value is no id.
type ID struct{ raw string }

// NumberID returns the id n.
func NumberID(n int64) ID { return ID{strconv.FormatInt(n, 10)} }

// StringID returns the id s.
func StringID(s string) ID { return ID{string(quote(nil, s))} }

// String returns the id as JSON text, "" for none.
func (id ID) String() string { return id.raw }

// IsZero says whether there is no id.
func (id ID) IsZero() bool { return id.raw == "" }

// parseID reads a scanned JSON value: a number, a string or null.
func parseID(raw []byte) (ID, bool) {
	switch c := raw[0]; {
	case c == '"':
		return parseStringID(raw)
	case c == 'n':
		return ID{"null"}, true
	case c == '-' || '0' <= c && c <= '9':
		return ID{canonicalNumber(string(raw))}, true
	default:
		return ID{}, false
	}
}

func parseStringID(raw []byte) (ID, bool) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return ID{string(raw)}, true
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return ID{}, false
	}
	return StringID(s), true
}

// exactFloat is where float64 stops holding every integer.
const exactFloat = 1 << 53

// canonicalNumber writes whole numbers in one way, since peers whose numbers are
// floats send 1 back as 1.0.
func canonicalNumber(text string) string {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil && text != "-0" {
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= exactFloat {
		return text
	}
	return strconv.FormatInt(int64(f), 10)
}
