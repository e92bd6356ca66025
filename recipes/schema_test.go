package recipes

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/recipes/expr"
)

func TestSchemaGolden(t *testing.T) {
	t.Parallel()
	got, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "schema.json", string(got))
}

// TestRO37_SchemaFitsRecipes holds the recipes of the tests and the examples
// against the schema: what runs fits, and a wrong form does not.
func TestRO37_SchemaFitsRecipes(t *testing.T) {
	t.Parallel()
	doc, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := compileSchema(doc, "/recipe.schema.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"ok", "failed"} {
		for name, a := range archives(t, folder) {
			if err := schema.Validate(asInstance(t, a.file("recipe.yaml"))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, file := range exampleRecipes(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(asInstance(t, src)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, recipe := range []string{
		"version: 1", "prompt: x", "{version: 2, prompt: x}", "{version: 1, prompt: x, watch: []}", "{version: 1, prompt: x, steps: []}",
		"{version: 1, prompt: x, nmae: y}", "{version: 1, steps: [{prompt: x, run: y}]}", "{version: 1, steps: [{id: a-b, prompt: x}]}",
		"{version: 1, prompt: x, limits: {time: 20}}", "{version: 1, prompt: x, session: sideways}", "{version: 1, prompt: x, permissions: {default: no}}",
		"{version: 1, prompt: x, permissions: {allow: [{rul: x}]}}", "{version: 1, prompt: [x]}",
	} {
		if err := schema.Validate(asInstance(t, []byte(recipe))); err == nil {
			t.Errorf("the schema takes %s", recipe)
		}
		if _, err := Parse([]byte(recipe), "r"); err == nil {
			t.Errorf("the parser takes %s", recipe)
		}
	}
}

// asInstance is a YAML file as the validator takes it.
func asInstance(t *testing.T, src []byte) any {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal(src, &n); err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(expr.JSON(plainValue(n.Content[0]))))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const referenceMark = "<!-- The reference below is generated from recipes/keys.go: make gen. -->\n"

// TestSchemaReference holds the key tables of docs/recipe.md against the table
// that the parser reads by.
func TestSchemaReference(t *testing.T) {
	t.Parallel()
	const file = "../docs/recipe.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, found := strings.Cut(string(page), referenceMark)
	if !found {
		t.Fatalf("%s has no reference", file)
	}
	golden(t, file, prose+referenceMark+reference())
}

// reference are the key tables of all objects, in the order of their first use.
func reference() string {
	var b strings.Builder
	seen := map[string]bool{}
	queue := []*object{recipeObject()}
	var later []string
	for len(queue) > 0 {
		o := queue[0]
		queue = queue[1:]
		b.WriteString("\n## " + o.name + "\n\n" + o.doc + "\n\n| key | value | meaning |\n|---|---|---|\n")
		for _, k := range o.keys {
			switch {
			case k.later:
				later = append(later, "`"+o.name+"."+k.name+"`")
			case k.form != nil:
				mark := ""
				if k.required {
					mark = " *"
				}
				b.WriteString("| `" + k.name + "`" + mark + " | " + valueOf(k.form) + " | " + k.doc + " |\n")
				queue = append(queue, unseen(k.form, seen)...)
			}
		}
	}
	b.WriteString("\n## Not in this version\n\nThese are part of the language and refused by name: " + strings.Join(later, ", ") +
		"; sessions other than `new` and a step's `main`.\n")
	return b.String()
}

// unseen are the objects that a form leads to for the first time.
func unseen(f *form, seen map[string]bool) []*object {
	var list []*object
	if f.object != nil && len(f.object.names()) > 0 && !seen[f.object.name] {
		seen[f.object.name] = true
		list = append(list, f.object)
	}
	for _, sub := range []*form{f.list, f.entries} {
		if sub != nil {
			list = append(list, unseen(sub, seen)...)
		}
	}
	return list
}

// valueOf says in a cell of a table what a value is.
func valueOf(f *form) string {
	var ways []string
	switch {
	case f.exactly > 0:
		ways = append(ways, "`1`")
	case f.words != nil:
		ways = append(ways, "`"+strings.Join(f.words, "` `")+"`")
	case f.scalar == boolean:
		ways = append(ways, "`true` `false`")
	case f.scalar == count:
		ways = append(ways, "number")
	case f.scalar == duration:
		ways = append(ways, "duration, such as `90s`")
	case f.scalar == template:
		ways = append(ways, "text")
	case f.scalar == variables:
		ways = append(ways, "text with `${VAR}`")
	case f.scalar != none:
		ways = append(ways, strings.TrimPrefix(strings.TrimPrefix(scalarNames[f.scalar], "a "), "the "))
	}
	if f.object != nil && len(f.object.names()) > 0 {
		ways = append(ways, "["+f.object.name+"](#"+strings.ToLower(f.object.name)+")")
	}
	if f.list != nil {
		ways = append(ways, "list of "+valueOf(f.list))
	}
	if f.entries != nil {
		ways = append(ways, "names with "+valueOf(f.entries))
	}
	if f.tree {
		ways = append(ways, "mapping")
	}
	return strings.Join(ways, ", or ")
}
