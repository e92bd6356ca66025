package recipes

import (
	"bytes"
	"encoding/json"
)

// Schema returns the JSON Schema (2020-12) of recipes, indented. It is made of
// the table of keys that the parser reads by, so the two cannot differ.
func Schema() ([]byte, error) {
	g := &schemaWriter{defs: map[string]any{}}
	root := g.object(recipeObject())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "acpctl recipe"
	root["$defs"] = g.defs
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// schemaWriter makes schemas of forms; objects that occur become definitions.
type schemaWriter struct{ defs map[string]any }

func (g *schemaWriter) object(o *object) map[string]any {
	properties := map[string]any{}
	var required []string
	for i := range o.keys {
		k := &o.keys[i]
		if k.later || k.form == nil {
			continue
		}
		s := g.form(k.form)
		if k.doc != "" {
			s["description"] = k.doc
		}
		properties[k.name] = s
		if k.required {
			required = append(required, k.name)
		}
	}
	out := map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	if o.doc != "" {
		out["description"] = o.doc
	}
	if required != nil {
		out["required"] = required
	}
	return out
}

// form is the schema of a value: one way for each kind of node.
func (g *schemaWriter) form(f *form) map[string]any {
	var ways []any
	if f.words != nil || f.scalar != none {
		ways = append(ways, g.scalar(f))
	}
	if f.tree {
		ways = append(ways, map[string]any{"type": []string{"object", "array"}})
	}
	if f.list != nil {
		ways = append(ways, map[string]any{"type": "array", "items": g.form(f.list)})
	}
	if f.object != nil {
		ways = append(ways, g.reference(f.object))
	}
	if f.entries != nil {
		way := map[string]any{"type": "object", "additionalProperties": g.form(f.entries)}
		if p := namePattern(f.keys); p != "" {
			way["propertyNames"] = map[string]any{"pattern": p}
		}
		ways = append(ways, way)
	}
	if len(ways) == 1 {
		return ways[0].(map[string]any) //nolint:errcheck,forcetypeassert // every way is made above
	}
	return map[string]any{"anyOf": ways}
}

// reference names a definition and makes it at its first use.
func (g *schemaWriter) reference(o *object) map[string]any {
	if _, known := g.defs[o.name]; !known {
		g.defs[o.name] = true // the place is taken, should the object hold itself
		g.defs[o.name] = g.object(o)
	}
	return map[string]any{"$ref": "#/$defs/" + o.name}
}

func (g *schemaWriter) scalar(f *form) map[string]any {
	switch {
	case f.words != nil:
		return map[string]any{"enum": f.words}
	case f.scalar == boolean:
		return map[string]any{"type": "boolean"}
	case f.scalar == count:
		return map[string]any{"type": "integer", "minimum": 0}
	case f.scalar == duration:
		return map[string]any{"type": []string{"string", "integer"}, "pattern": `^(0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$`}
	case f.scalar == anything:
		return map[string]any{"type": []string{"string", "number", "boolean", "null"}}
	case f.scalar == variables || f.scalar == expression:
		return map[string]any{"type": []string{"string", "number", "boolean"}}
	}
	out := map[string]any{"type": "string"}
	if p := namePattern(f.scalar); p != "" {
		out["pattern"] = p
	}
	return out
}

// namePattern is what the names of a scalar look like, empty for any.
func namePattern(s scalar) string {
	if s == identifier || s == variableName {
		return "^[A-Za-z_][A-Za-z0-9_]*$"
	}
	return ""
}
