package event

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

//go:embed fields.txt
var fieldsText string

// typeDoc is what the reference says of a type.
type typeDoc struct {
	meaning string
	fields  map[string]fieldDoc
}

// fieldDoc is what the reference says of a field.
type fieldDoc struct {
	meaning string
	values  []string // the closed set, nil for others
	form    string   // of the agent's JSON: array, object, or "" for any
}

// reference reads fields.txt. Types are named as on the line, parts of events as
// in Go.
var reference = sync.OnceValue(func() map[string]typeDoc {
	types := make(map[string]typeDoc)
	var fields map[string]fieldDoc
	for line := range strings.Lines(fieldsText) {
		line = strings.TrimSpace(line)
		if name, meaning, ok := strings.Cut(strings.TrimPrefix(line, "["), "] "); ok && line[0] == '[' {
			fields = make(map[string]fieldDoc)
			types[name] = typeDoc{meaning, fields}
			continue
		}
		if name, meaning, ok := strings.Cut(line, " = "); ok && line[0] != '#' {
			name, mark, _ := strings.Cut(name, " ")
			fields[name] = readMark(mark, meaning)
		}
	}
	return types
})

func readMark(mark, meaning string) fieldDoc {
	d := fieldDoc{meaning: strings.TrimSpace(meaning)}
	switch inner := strings.Trim(mark, "{}()"); {
	case strings.HasPrefix(mark, "{"):
		d.values = strings.Split(inner, "|")
	case strings.HasPrefix(mark, "("):
		d.form = inner
	}
	return d
}

// refField is one field of a type as it stands on the line.
type refField struct {
	name   string
	goType reflect.Type
	always bool // stands on the line though it is empty
	doc    fieldDoc
}

// refFields lists the fields of a struct under the name the reference has for it;
// embedded structs are flat, as on the line.
func refFields(t reflect.Type, name string) []refField {
	var list []refField
	for f := range t.Fields() {
		if f.Anonymous {
			list = append(list, refFields(f.Type, f.Type.Name())...)
			continue
		}
		tag, flags, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" {
			continue
		}
		list = append(list, refField{tag, f.Type, flags != "omitempty", reference()[name].fields[tag]})
	}
	return list
}

// refName is the name that the reference has for a struct.
func refName(t reflect.Type) string {
	if b, ok := reflect.TypeAssert[Body](reflect.Zero(t)); ok {
		return b.Type()
	}
	return t.Name()
}

var rawType = reflect.TypeFor[json.RawMessage]()
