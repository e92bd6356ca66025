package recipes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/acpctl/acpctl/recipes/expr"
)

// schemaLoader reads the files that a schema refers to. What is not a file is
// refused: a run must not depend on what a server says today.
type schemaLoader struct {
	readFile func(path string) ([]byte, error)
}

func (l schemaLoader) Load(address string) (any, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "file" {
		return nil, fmt.Errorf("a remote $ref is refused: %s", address)
	}
	if l.readFile == nil {
		return nil, fs.ErrNotExist
	}
	text, err := l.readFile(filepath.FromSlash(u.Path))
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// compileSchema compiles a JSON Schema, 2020-12 if it does not say otherwise.
// Path is where it stands or would stand, for relative references.
func compileSchema(text []byte, path string, readFile func(string) ([]byte, error)) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
	c := jsonschema.NewCompiler()
	c.UseLoader(schemaLoader{readFile})
	if err := c.AddResource(address, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(address)
	if err != nil {
		return nil, errors.New(strings.Join(reasons(err), "; "))
	}
	return s, nil
}

// validate holds a value against a schema; the error's reasons are one each.
func validate(s *jsonschema.Schema, v any) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(expr.JSON(v)))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// maxReasons is how many faults of one value are told: an agent that is given all
// faults of a thousand elements reads none of them.
const maxReasons = 20

// reasons are what a validator has to say, one fault each, without the heading
// that names our address of the schema.
func reasons(err error) []string {
	var invalid *jsonschema.ValidationError
	if loading := new(jsonschema.SchemaValidationError); errors.As(err, &loading) {
		err = loading.Err
	}
	if loading := new(jsonschema.LoadURLError); errors.As(err, &loading) {
		return []string{loading.Err.Error()}
	}
	if !errors.As(err, &invalid) {
		return []string{err.Error()}
	}
	_, list, found := strings.Cut(invalid.Error(), "\n")
	if !found {
		return []string{invalid.Error()}
	}
	var out []string
	for line := range strings.Lines(list) {
		line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "- "), "at '': ")
		if !strings.HasSuffix(line, "allOf' failed") && !strings.HasSuffix(line, "anyOf' failed") {
			out = append(out, line) // the reasons below those say what failed
		}
	}
	if n := len(out); n > maxReasons {
		out = append(out[:maxReasons], fmt.Sprintf("and %d more", n-maxReasons))
	}
	return out
}
