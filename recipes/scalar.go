package recipes

import (
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// jsonNumber is how JSON writes a number.
var jsonNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
})

var errNumber = errors.New("numbers are written as in JSON; quote it if it is meant as text")

// plainScalar is the value of a scalar as JSON would have it. Numbers keep their
// spelling and must be JSON's: 0123 is one number to one reader of YAML and
// another to the next. Dates are strings.
func plainScalar(n *yaml.Node) (any, error) {
	switch n.Tag {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int", "!!float":
		if !jsonNumber().MatchString(n.Value) {
			return nil, errNumber
		}
		return number(json.Number(n.Value)), nil
	case "!!binary":
		return nil, errors.New("binary values are not supported")
	default:
		return n.Value, nil
	}
}

// number gives expressions the number type that prints as it was written: an int,
// a big integer, or the float.
func number(n json.Number) any {
	if i, err := strconv.Atoi(n.String()); err == nil {
		return i
	}
	if i, ok := new(big.Int).SetString(n.String(), 10); ok {
		return i
	}
	if f, err := n.Float64(); err == nil {
		return f
	}
	return n
}

// decodeJSON reads one JSON value into what expressions take.
func decodeJSON(text []byte) (any, error) {
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, errors.New("more than one JSON value")
	}
	if _, err := dec.Token(); err == nil {
		return nil, errors.New("text behind the JSON value")
	}
	return numbers(v), nil
}

// numbers replaces the numbers in a decoded value.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		return number(v)
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return v
}

// asValue turns a Go value into what expressions take, through its JSON.
func asValue(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	out, err := decodeJSON(text)
	if err != nil {
		return nil
	}
	return out
}

// plainValue is the value of a node without ${{ }}; the form was checked.
func plainValue(n *yaml.Node) any {
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for _, e := range entries(n) {
			m[e.key.Value] = plainValue(e.value)
		}
		return m
	case n.Kind == yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, e := range n.Content {
			list[i] = plainValue(e)
		}
		return list
	case n.Kind != yaml.ScalarNode:
		return nil
	}
	v, _ := plainScalar(n) // a number that is none was reported by the check
	return v
}
