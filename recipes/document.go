package recipes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxSource bounds a file: a recipe of more bytes is a mistake.
const maxSource = 4 << 20

// parser reads one file and collects what is wrong with it instead of stopping at
// the first problem. Parsers of the files that a recipe names share the list.
type parser struct {
	src      *source
	problems *[]Problem
}

func newParser(text []byte, file string, problems *[]Problem) *parser {
	return &parser{src: newSource(text, file), problems: problems}
}

// errorf reports a problem at a node; the result is valid until the next one.
func (p *parser) errorf(n *yaml.Node, format string, args ...any) *Problem {
	return p.add(max(n.Line, 1), max(n.Column, 1), fmt.Sprintf(format, args...))
}

// errorIn reports a problem at a byte of a scalar's value.
func (p *parser) errorIn(n *yaml.Node, offset int, message string) *Problem {
	line, column := p.src.place(n, offset)
	return p.add(line, column, message)
}

func (p *parser) add(line, column int, message string) *Problem {
	*p.problems = append(*p.problems, p.src.problem(line, column, message))
	return &(*p.problems)[len(*p.problems)-1]
}

// document returns the root of the only document, nil if there is none.
func (p *parser) document(text []byte, what string) *yaml.Node {
	if len(text) > maxSource {
		p.add(1, 1, fmt.Sprintf("%s of more than %d MiB", what, maxSource>>20))
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		p.add(1, 1, what+" is empty")
		return nil
	case err != nil:
		p.syntax(err)
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		p.errorf(&second, "%s is one YAML document, this is a second one", what)
	case !errors.Is(err, io.EOF):
		p.syntax(err)
	}
	if len(doc.Content) != 1 {
		return nil
	}
	return doc.Content[0]
}

// syntax puts the line of a YAML error where all our messages have it.
func (p *parser) syntax(err error) {
	line, message := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, found := strings.CutPrefix(message, "line "); found {
		if number, text, found := strings.Cut(rest, ": "); found {
			if n, err := strconv.Atoi(number); err == nil {
				line, message = max(n, 1), text
			}
		}
	}
	shown := p.src.line(line)
	p.add(line, len(shown)-len(strings.TrimLeft(shown, " \t"))+1, "YAML: "+message)
}

// field is the value of a key in a mapping, nil if it is not there.
func field(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// entry is a key of a mapping with its value.
type entry struct{ key, value *yaml.Node }

// entries are those of a mapping in their order; none for other nodes.
func entries(n *yaml.Node) []entry {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	list := make([]entry, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		list = append(list, entry{n.Content[i], n.Content[i+1]})
	}
	return list
}

// elements are those of a list; another node is a list of itself, nil of none.
func elements(n *yaml.Node) []*yaml.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.SequenceNode:
		return n.Content
	default:
		return []*yaml.Node{n}
	}
}

// scalarOf is the value of a scalar as it is written, "" for other nodes.
func scalarOf(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// nodeName says what a node is, for "must be ..., not ...".
func nodeName(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "empty"
	case n.Tag == "!!str":
		return strconv.Quote(preview(n.Value))
	default:
		return preview(n.Value)
	}
}
