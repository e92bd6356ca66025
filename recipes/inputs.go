package recipes

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/recipes/expr"
)

// input is a declared input.
type input struct {
	node     *yaml.Node
	name     string
	kind     string // its JSON Schema type
	schema   *jsonschema.Schema
	fallback *yaml.Node // nil: must be given
}

// readInputs reads the declarations and holds the defaults against them.
func (r *Recipe) readInputs(p *parser, n *yaml.Node) {
	for _, e := range entries(n) {
		if e.value.Kind != yaml.MappingNode {
			continue
		}
		in := &input{node: e.value, name: e.key.Value, kind: scalarOf(field(e.value, "type")), fallback: field(e.value, "default")}
		if in.kind == "" {
			in.kind = "string"
		}
		r.inputs = append(r.inputs, in)
		r.names.inputs = append(r.names.inputs, in.name)
		if slices.Contains(inputObject.key("type").form.words, in.kind) {
			p.compileInput(in)
		}
	}
}

func (p *parser) compileInput(in *input) {
	schema, _ := plainValue(in.node).(map[string]any)
	delete(schema, "default")
	schema["type"] = in.kind
	var err error
	if in.schema, err = compileSchema(expr.JSON(schema), "/input.json", nil); err != nil {
		p.errorf(in.node, "input %q: %v", in.name, err)
		return
	}
	if in.fallback == nil {
		return
	}
	if err := validate(in.schema, plainValue(in.fallback)); err != nil {
		p.errorf(in.fallback, "default of input %q: %s", in.name, strings.Join(reasons(err), "; "))
	}
}

// ParseInputs reads a file of inputs: one mapping, as YAML or JSON. The error is a
// *[ParseError].
func ParseInputs(src []byte, file string) (map[string]any, error) {
	var problems []Problem
	p := newParser(src, file, &problems)
	root := p.document(src, "a file of inputs")
	if root != nil {
		p.check(root, &form{entries: anyTree, keys: word}, "the file", 0)
	}
	if err := asError(problems); err != nil {
		return nil, err
	}
	values, _ := plainValue(root).(map[string]any)
	return values, nil
}

// bindInputs gives every input its value.
func (b *binder) bindInputs(given Inputs) map[string]any {
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(given.Flags)), slices.Sorted(maps.Keys(given.File))) {
		if message, hint := unknown("input", name, b.r.names.inputs); message != "" {
			b.add(Problem{Message: message, Hint: hint})
		}
	}
	b.unusedVariables(given)
	out := make(map[string]any, len(b.r.inputs))
	for _, in := range b.r.inputs {
		value, err := b.inputValue(in, given)
		if err != nil {
			b.add(Problem{Message: fmt.Sprintf("input %q: %v", in.name, err)})
			continue
		}
		out[in.name] = value
	}
	return out
}

// variable is the value that the environment gives to an input: under its name,
// else under that in upper case.
func (i Inputs) variable(name string) (string, bool) {
	if text, ok := i.Env[name]; ok {
		return text, true
	}
	text, ok := i.Env[strings.ToUpper(name)]
	return text, ok
}

// unusedVariables warns of variables that look like inputs and are none: a
// misspelt one would be passed over without a word.
func (b *binder) unusedVariables(given Inputs) {
	for _, name := range slices.Sorted(maps.Keys(given.Env)) {
		fits := func(input string) bool { return name == input || name == strings.ToUpper(input) }
		if slices.ContainsFunc(b.r.names.inputs, fits) {
			continue
		}
		message, hint := unknown("input", name, b.r.names.inputs)
		b.warn("unused_variable", "the variable ACPCTL_INPUT_%s is not used: %s", name, strings.TrimSuffix(message+"; "+hint, "; "))
	}
}

func (b *binder) inputValue(in *input, given Inputs) (any, error) {
	if text, ok := given.Flags[in.name]; ok {
		return in.read(text)
	}
	if v, ok := given.File[in.name]; ok {
		return in.accept(v)
	}
	if text, ok := given.variable(in.name); ok {
		return in.read(text)
	}
	if in.fallback != nil {
		return plainValue(in.fallback), nil
	}
	if b.lenient {
		b.incomplete = true
		return map[string]any{"integer": 0, "number": 0, "boolean": false, "array": []any{}, "object": map[string]any{}, "string": ""}[in.kind], nil
	}
	return nil, fmt.Errorf("not given, and it has no default; use -i %s=VALUE", in.name)
}

// read takes text as the input's type. A string is taken as it is.
func (in *input) read(text string) (any, error) {
	switch in.kind {
	case "string":
		return in.accept(text)
	case "boolean":
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("%q is neither true nor false", preview(text))
		}
		return in.accept(text == "true")
	case "integer", "number":
		if !jsonNumber().MatchString(text) {
			return nil, fmt.Errorf("%q is no number", preview(text))
		}
		return in.accept(number(json.Number(text)))
	default:
		v, err := decodeJSON([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("%q is no JSON: %w", preview(text), err)
		}
		return in.accept(v)
	}
}

func (in *input) accept(v any) (any, error) {
	if err := validate(in.schema, v); err != nil {
		return nil, errors.New(strings.Join(reasons(err), "; "))
	}
	return v, nil
}
