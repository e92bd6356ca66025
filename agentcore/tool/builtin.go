package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Builtin returns the tools of the bundled agent in the order in which the model
// sees them.
func Builtin() []Tool {
	return []Tool{
		readFile(), listDir(), globFiles(), grepFiles(),
		writeFile(), editFile(), deleteFile(), moveFile(),
		runShell(), writeTodos(),
	}
}

// builtin is a tool with arguments of type A.
type builtin[A any] struct {
	spec   Spec
	schema func() (*jsonschema.Schema, error)
	plan   func(ws *Workspace, args A) (*Plan, error)
}

// define makes a tool. Properties is the JSON text of the schema's properties,
// required the names of those that a call must have.
func define[A any](spec Spec, properties string, required []string, plan func(*Workspace, A) (*Plan, error)) Tool {
	spec.Schema = schemaOf(properties, required)
	return &builtin[A]{spec: spec, plan: plan, schema: sync.OnceValues(func() (*jsonschema.Schema, error) { return compile(spec.Schema) })}
}

func (b *builtin[A]) Spec() Spec { return b.spec }

// Plan checks the arguments against the schema. The schema is exact about names,
// where encoding/json also takes "PATH" for "path": what reaches a tool is what
// permission rules see.
func (b *builtin[A]) Plan(ws *Workspace, raw json.RawMessage) (*Plan, error) {
	schema, err := b.schema()
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}") // how some providers write "no arguments"
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("the arguments of %s are not valid JSON: %w", b.spec.Name, err)
	}
	if err := schema.Validate(value); err != nil {
		return nil, fmt.Errorf("the arguments of %s do not fit its schema:\n%s", b.spec.Name, reasons(err))
	}
	var args A
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("the arguments of %s cannot be read: %w", b.spec.Name, err)
	}
	p, err := b.plan(ws, args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.spec.Name, err)
	}
	p.Title, p.Kind, p.RawInput = b.spec.Name, b.spec.Kind, raw
	return p, nil
}

func schemaOf(properties string, required []string) json.RawMessage {
	names, _ := json.Marshal(append([]string{}, required...)) // strings always encode
	text := fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":%s,"additionalProperties":false}`, properties, names)
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return text // told when the schema is compiled
	}
	return b.Bytes()
}

func compile(schema json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("arguments.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("arguments.json")
}

// reasons is the list of what is wrong, one line each, without the heading that
// names our schema's address.
func reasons(err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	_, list, found := strings.Cut(invalid.Error(), "\n")
	if !found {
		return invalid.Error()
	}
	return list
}
