package event

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
)

// Schema returns the JSON Schema (2020-12) of one line of the stream. It allows
// fields that it does not know, as newer streams of the same version have them.
func Schema() ([]byte, error) {
	s := schema{defs: make(map[string]any)}
	var types []any
	for _, b := range Bodies() {
		t := reflect.TypeOf(b)
		s.defs[b.Type()] = s.event(t, b.Type())
		types = append(types, ref(b.Type()))
	}
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "One line of the event stream of acpctl",
		"oneOf":   types,
		"$defs":   s.defs,
	})
	return doc.Bytes(), err
}

// schema collects the definitions that the types refer to.
type schema struct{ defs map[string]any }

func ref(name string) map[string]any { return map[string]any{"$ref": "#/$defs/" + name} }

// event is the schema of a line of one type: the envelope and the body's fields.
func (s *schema) event(t reflect.Type, name string) map[string]any {
	properties := map[string]any{
		"v":    map[string]any{"const": Version},
		"seq":  map[string]any{"type": "integer", "minimum": 1},
		"time": map[string]any{"type": "string", "format": "date-time"},
		"type": map[string]any{"const": name},
	}
	for _, text := range []string{"run", "step", "sessionId"} {
		properties[text] = map[string]any{"type": "string"}
	}
	for number, least := range map[string]int{"item": 0, "index": 0, "turn": 1} {
		properties[number] = map[string]any{"type": "integer", "minimum": least}
	}
	for field, doc := range reference()["envelope"].fields {
		properties[field].(map[string]any)["description"] = doc.meaning
	}
	own := s.object(t, name)
	maps.Copy(properties, own["properties"].(map[string]any))
	own["properties"] = properties
	own["required"] = append([]string{"v", "seq", "time", "type"}, own["required"].([]string)...)
	return own
}

// object is the schema of a struct.
func (s *schema) object(t reflect.Type, name string) map[string]any {
	properties := make(map[string]any)
	required := []string{}
	for _, f := range refFields(t, name) {
		value := s.value(f.goType, f.doc.form)
		if f.doc.values != nil {
			value["enum"] = f.doc.values
		}
		value["description"] = f.doc.meaning
		properties[f.name] = value
		if f.always {
			required = append(required, f.name)
		}
	}
	return map[string]any{
		"type": "object", "description": reference()[name].meaning,
		"properties": properties, "required": required,
	}
}

// value is the schema of a field's type.
func (s *schema) value(t reflect.Type, form string) map[string]any {
	switch {
	case t == rawType && form == "":
		return map[string]any{}
	case t == rawType:
		return map[string]any{"type": form}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.value(t.Elem(), form)
	case reflect.Struct:
		if _, known := s.defs[t.Name()]; !known {
			s.defs[t.Name()] = nil // it may refer to itself
			s.defs[t.Name()] = s.object(t, refName(t))
		}
		return ref(t.Name())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.value(t.Elem(), "")}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.value(t.Elem(), "")}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	default: // any
		return map[string]any{}
	}
}
