package event

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares a text with a file, or rewrites the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

func TestSchemaGolden(t *testing.T) {
	t.Parallel()
	got, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "schema.json", string(got))
}

// TestSchemaFitsLines holds the lines of the golden files against the properties,
// the required fields and the closed sets of the schema.
func TestSchemaFitsLines(t *testing.T) {
	t.Parallel()
	var schema struct {
		Defs map[string]struct {
			Properties map[string]struct{ Enum []string }
			Required   []string
		} `json:"$defs"`
	}
	doc, err := Schema()
	if err != nil || json.Unmarshal(doc, &schema) != nil {
		t.Fatal(err)
	}
	for name, ar := range goldenArchives(t) {
		for line := range strings.Lines(string(ar.Files[1].Data)) {
			var members map[string]any
			if err := json.Unmarshal([]byte(line), &members); err != nil {
				t.Fatal(err)
			}
			def := schema.Defs[members["type"].(string)]
			for _, field := range def.Required {
				if _, ok := members[field]; !ok {
					t.Errorf("%s: no %s in %s", name, field, line)
				}
			}
			for field, value := range members {
				p, ok := def.Properties[field]
				if text, isText := value.(string); !ok || p.Enum != nil && isText && !slices.Contains(p.Enum, text) {
					t.Errorf("%s: the schema has no %s %v: %s", name, field, value, line)
				}
			}
		}
	}
}

// TestReferenceIsComplete holds the reference against the Go types, both ways.
func TestReferenceIsComplete(t *testing.T) {
	t.Parallel()
	left := make(map[string]bool)
	for name, doc := range reference() {
		if left[name] = true; doc.meaning == "" {
			t.Errorf("%s has no meaning", name)
		}
		for field := range doc.fields {
			left[name+"."+field] = true
		}
	}
	delete(left, "envelope")
	for field := range reference()["envelope"].fields {
		delete(left, "envelope."+field)
	}
	for _, typ := range referenceTypes() {
		if !left[typ.name] {
			t.Errorf("the reference has no type %s", typ.name)
		}
		delete(left, typ.name)
		for _, f := range refFields(typ.goType, typ.name) {
			if owner := typ.owner(); f.doc.meaning == "" {
				t.Errorf("the reference has no field %s.%s", owner, f.name)
			} else {
				delete(left, owner+"."+f.name)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("no Go type has %v", left)
	}
}

// refType is a type of the reference: an event, or a part of events.
type refType struct {
	name   string
	goType reflect.Type
	event  bool
}

// owner is the type whose entry in the reference has the fields.
func (r *refType) owner() string {
	if strings.HasPrefix(r.name, "tool.") {
		return "ToolCall"
	}
	return r.name
}

// referenceTypes lists the events and the parts that they refer to, in the order
// in which they are first met.
func referenceTypes() []refType {
	var events, parts []refType
	seen := map[reflect.Type]bool{}
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t != rawType || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] {
			return
		}
		seen[t] = true
		parts = append(parts, refType{t.Name(), t, false})
		for _, f := range refFields(t, t.Name()) {
			visit(f.goType)
		}
	}
	for _, b := range Bodies() {
		t := reflect.TypeOf(b)
		events = append(events, refType{b.Type(), t, true})
		seen[t] = true
	}
	for _, e := range events {
		if strings.HasPrefix(e.name, "tool.") {
			visit(reflect.TypeFor[ToolCall]())
		}
		for _, f := range refFields(e.goType, e.name) {
			visit(f.goType)
		}
	}
	return append(events, parts...)
}

const docsFile = "../../docs/events.md"

// TestSchemaDocs writes the reference of docs/events.md between its two marks.
func TestSchemaDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- The reference below is generated from controller/event/fields.txt: make gen. -->\n", "<!-- End of the reference. -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has lost its marks", docsFile)
	}
	golden(t, docsFile, before+begin+markdown()+end+after)
}

// markdown is the reference as it stands in the documentation.
func markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Envelope\n\n%s\n\n| field | meaning |\n|---|---|\n", reference()["envelope"].meaning)
	for _, name := range []string{"v", "seq", "time", "type", "run", "step", "item", "index", "sessionId", "turn"} {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, reference()["envelope"].fields[name].meaning)
	}
	b.WriteString("\n## Types\n\nFields marked with * are always there.\n")
	inParts := false
	for _, typ := range referenceTypes() {
		if !typ.event && !inParts {
			inParts = true
			b.WriteString("\n## Parts of events\n")
		}
		title := "`" + typ.name + "`"
		if !typ.event {
			title = typ.name
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", title, reference()[typ.name].meaning)
		if typ.owner() != typ.name {
			b.WriteString("\nIts fields are those of [ToolCall](#toolcall).\n")
			continue
		}
		b.WriteString("\n| field | value | meaning |\n|---|---|---|\n")
		for _, f := range refFields(typ.goType, typ.name) {
			mark := ""
			if f.always {
				mark = " *"
			}
			fmt.Fprintf(&b, "| `%s`%s | %s | %s |\n", f.name, mark, valueText(f), f.doc.meaning)
		}
	}
	b.WriteByte('\n')
	return b.String()
}

// valueText says what a field holds.
func valueText(f refField) string {
	if f.doc.values != nil {
		return "`" + strings.Join(f.doc.values, "` `") + "`"
	}
	if f.goType == rawType && f.doc.form != "" {
		return "JSON " + f.doc.form
	}
	return typeText(f.goType)
}

func typeText(t reflect.Type) string {
	if t == rawType {
		return "JSON"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeText(t.Elem())
	case reflect.Slice:
		return "list of " + typeText(t.Elem())
	case reflect.Map:
		return "map of " + typeText(t.Elem())
	case reflect.Struct:
		return fmt.Sprintf("[%s](#%s)", refName(t), strings.ToLower(refName(t)))
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true, false"
	case reflect.Float64:
		return "number"
	case reflect.Interface:
		return "JSON"
	default:
		return "integer"
	}
}
