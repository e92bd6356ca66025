package offline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// decoder reads YAML nodes strictly and collects every problem with its place.
type decoder struct {
	name       string
	match      func(string) (func(any) (any, error), error)
	problems   []problem
	modelNames []*yaml.Node // where turns name a model; checked when all models are known
}

// fields are the keys of a mapping and what reads their values.
type fields map[string]func(*yaml.Node)

// problem is one thing wrong with the script.
type problem struct {
	line, column int
	message      string
}

func (d *decoder) errorf(n *yaml.Node, format string, args ...any) {
	d.problems = append(d.problems, problem{n.Line, n.Column, fmt.Sprintf(format, args...)})
}

// err is all problems in the order of their places; none gives nil.
func (d *decoder) err() error {
	if len(d.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(d.problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	lines := make([]string, len(d.problems))
	for i, p := range d.problems {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", d.name, p.line, p.column, p.message)
	}
	return errors.New(strings.Join(lines, "\n"))
}

// mapping reads every value by its key. Unknown and repeated keys are problems,
// and so is a required one that is missing.
func (d *decoder) mapping(n *yaml.Node, known fields, required ...string) {
	if n.Kind != yaml.MappingNode {
		d.errorf(n, "must be a mapping")
		return
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := known[key.Value]
		switch {
		case !ok:
			d.errorf(key, "unknown key %q; there are %s", key.Value, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case seen[key.Value]:
			d.errorf(key, "key %q is given twice", key.Value)
		default:
			read(value)
		}
		seen[key.Value] = true
	}
	for _, key := range required {
		if !seen[key] {
			d.errorf(n, "key %q is missing", key)
		}
	}
}

func (d *decoder) list(n *yaml.Node, read func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		d.errorf(n, "must be a list")
		return
	}
	for _, item := range n.Content {
		read(item)
	}
}

// text reads a string; other scalars are refused rather than written out, since
// "no" or "1.10" would not come back as they were typed.
func (d *decoder) text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		d.errorf(n, "must be a string; put it in quotes")
		return ""
	}
	return n.Value
}

func (d *decoder) texts(n *yaml.Node) []string {
	var list []string
	d.list(n, func(n *yaml.Node) { list = append(list, d.text(n)) })
	return list
}

// chunks reads a string, or a list of the pieces that it is streamed in.
func (d *decoder) chunks(n *yaml.Node) []string {
	if n.Kind == yaml.SequenceNode {
		return d.texts(n)
	}
	return []string{d.text(n)}
}

func (d *decoder) boolean(n *yaml.Node) bool {
	var v bool
	d.decode(n, &v, "true or false")
	return v
}

func (d *decoder) count(n *yaml.Node) int {
	var v int
	if d.decode(n, &v, "a whole number") && v < 0 {
		d.errorf(n, "must not be negative")
	}
	return v
}

func (d *decoder) decode(n *yaml.Node, v any, want string) bool {
	err := n.Decode(v)
	if err != nil || n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		d.errorf(n, "must be %s", want)
		return false
	}
	return true
}

func (d *decoder) expression(n *yaml.Node) expression {
	text := d.text(n)
	switch {
	case text == "":
		return nil
	case d.match == nil:
		d.errorf(n, "expressions are not available here")
		return nil
	}
	e, err := d.match(text)
	if err != nil {
		d.errorf(n, "%v", err)
	}
	return e
}

// json turns a node into JSON with the keys in the order of the script.
func (d *decoder) json(n *yaml.Node) json.RawMessage {
	var b bytes.Buffer
	d.writeJSON(&b, n)
	return b.Bytes()
}

func (d *decoder) writeJSON(b *bytes.Buffer, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			d.writeValue(b, n.Content[i], d.text(n.Content[i]))
			b.WriteByte(':')
			d.writeJSON(b, n.Content[i+1])
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			d.writeJSON(b, item)
		}
		b.WriteByte(']')
	case yaml.ScalarNode:
		d.writeValue(b, n, d.scalar(n))
	default: // an alias could lead back to where it stands
		d.errorf(n, "anchors and aliases are not supported")
	}
}

// scalar is the value of a scalar as JSON knows it; what JSON does not know, such
// as a date, is the text that was written.
func (d *decoder) scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!bool", "!!null", "!!int", "!!float":
		var v any
		if err := n.Decode(&v); err != nil {
			d.errorf(n, "%v", err)
		}
		return v
	}
	return n.Value
}

func (d *decoder) writeValue(b *bytes.Buffer, n *yaml.Node, v any) {
	if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
		d.errorf(n, "JSON has no such number")
		v = 0
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		d.errorf(n, "%v", err)
		return
	}
	b.Truncate(b.Len() - 1) // the encoder's line end
}
