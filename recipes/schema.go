package recipes

import (
	"bytes"
	"encoding/json"
)

// Schema returns the JSON Schema (2020-12) of recipes, indented. It is made of
// the table of keys that the parser reads by, so the two cannot differ. What only
// the parser can tell, such as the names in an expression, is not in it.
func Schema() ([]byte, error) {
	g := &schemaWriter{defs: map[string]any{}}
	root := g.object(recipeObject())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Recipe of acpctl"
	root["$defs"] = g.defs
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(root)
	return out.Bytes(), err
}

// schemaWriter makes schemas of forms. Objects become definitions.
type schemaWriter struct{ defs map[string]any }

func (g *schemaWriter) object(o *object) map[string]any {
	properties := map[string]any{}
	var required, one []any
	for _, k := range o.keys {
		if k.later || k.form == nil {
			continue
		}
		s := g.form(k.form)
		s["description"] = k.doc
		properties[k.name] = s
		if k.required {
			required = append(required, k.name)
		}
	}
	for _, name := range o.oneOf {
		one = append(one, map[string]any{"required": []string{name}})
	}
	out := filled(map[string]any{
		"type": "object", "description": o.doc, "properties": properties, "required": required, "oneOf": one,
	})
	out["additionalProperties"] = false
	return out
}

// form is the schema of a value, with one way for each kind of node.
func (g *schemaWriter) form(f *form) map[string]any {
	var ways []any
	if f.scalar != none {
		ways = append(ways, f.scalarSchema())
	}
	if f.tree {
		ways = append(ways, map[string]any{"type": []string{"object", "array"}})
	}
	if f.list != nil {
		ways = append(ways, map[string]any{"type": "array", "items": g.form(f.list)})
	}
	if f.object != nil && len(f.object.names()) > 0 {
		if _, known := g.defs[f.object.name]; !known {
			g.defs[f.object.name] = g.object(f.object)
		}
		ways = append(ways, map[string]any{"$ref": "#/$defs/" + f.object.name})
	}
	if f.entries != nil {
		way := map[string]any{"type": "object", "additionalProperties": g.form(f.entries)}
		if f.keys != word {
			way["propertyNames"] = map[string]any{"pattern": namePattern}
		}
		ways = append(ways, way)
	}
	if way, ok := ways[0].(map[string]any); ok && len(ways) == 1 {
		return way
	}
	return map[string]any{"anyOf": ways}
}

// namePattern is what isName accepts.
const namePattern = "^[A-Za-z_][A-Za-z0-9_]*$"

func (f *form) scalarSchema() map[string]any {
	switch {
	case f.words != nil:
		return map[string]any{"enum": f.words}
	case f.exactly > 0:
		return map[string]any{"const": f.exactly}
	}
	switch f.scalar {
	case boolean:
		return map[string]any{"type": "boolean"}
	case count:
		return map[string]any{"type": "integer", "minimum": 0}
	case duration:
		return map[string]any{"anyOf": []any{
			map[string]any{"const": 0},
			map[string]any{"type": "string", "pattern": `^(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`},
		}}
	case anything:
		return map[string]any{"type": []string{"string", "number", "boolean", "null"}}
	case variables, expression:
		return map[string]any{"type": []string{"string", "number", "boolean"}}
	case identifier, variableName:
		return map[string]any{"type": "string", "pattern": namePattern}
	default:
		return map[string]any{"type": "string"}
	}
}
