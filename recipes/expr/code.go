package expr

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/itchyny/gojq"
)

// Limit is how long one evaluation may take. An expression that needs more runs
// in circles; without a limit it would hold up a run for ever.
const Limit = 5 * time.Second

var errTooLong = fmt.Errorf("not done after %v", Limit)

// Code is a compiled expression.
type Code struct {
	src   string
	query *gojq.Query
	code  *gojq.Code
	names []string // of the variables and then the words, without dollars
	refs  []Ref
	calls []string
	limit time.Duration
}

// Compile parses an expression and checks its names. Vars are the variables that
// it may use, without the dollar. The error is a [*SyntaxError].
func Compile(src string, vars []string) (*Code, error) { return CompileWords(src, vars, nil) }

// CompileWords is Compile for an expression that may also use words: functions
// without arguments whose values come with those of the variables. A word may be
// written with empty parentheses, which jq itself does not know: always().
func CompileWords(src string, vars, words []string) (*Code, error) {
	query, err := gojq.Parse(blankCalls(src, words))
	if err != nil {
		return nil, parseError(src, err)
	}
	w := &walker{src: src, tokens: variables(src)}
	w.query(query)
	if err := checkNames(src, query, w, vars); err != nil {
		return nil, err
	}
	return compile(&Code{
		src: src, query: query, refs: w.refs, calls: w.calls, limit: Limit,
		names: slices.Concat(vars, words),
	}, words)
}

// compile turns the words into functions and the query into code.
func compile(c *Code, words []string) (*Code, error) {
	query := *c.query
	query.FuncDefs = slices.Clone(query.FuncDefs)
	for _, word := range words {
		value := &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: "$" + word}}}
		query.FuncDefs = slices.Insert(query.FuncDefs, 0, &gojq.FuncDef{Name: word, Body: value})
	}
	dollars := make([]string, len(c.names))
	for i, name := range c.names {
		dollars[i] = "$" + name
	}
	code, err := gojq.Compile(&query, gojq.WithVariables(dollars))
	if err != nil {
		return nil, compileError(c.src, err)
	}
	c.code = code
	return c, nil
}

// checkNames refuses what an expression cannot know.
func checkNames(src string, query *gojq.Query, w *walker, vars []string) error {
	if len(query.Imports) > 0 || query.Meta != nil {
		return syntaxErrorf(0, "expressions cannot load modules")
	}
	for _, r := range w.refs {
		if slices.Contains(vars, r.Name) {
			continue
		}
		err := syntaxErrorf(r.Offset, "unknown variable $%s", r.Name)
		if near := Nearest(r.Name, vars); near != "" {
			err.Hint = "did you mean $" + near + "?"
		}
		return err
	}
	for _, name := range []string{"env", "input", "inputs", "input_filename", "input_line_number", "get_search_list", "modulemeta"} {
		if slices.Contains(w.calls, name) {
			return syntaxErrorf(offsetOfWord(src, name), "%s is not available: expressions see nothing but their variables", name)
		}
	}
	return nil
}

// blankCalls takes the empty parentheses behind words out of a source without
// moving anything.
func blankCalls(src string, words []string) string {
	out := []byte(src)
	l := lexer{src: src}
	for {
		t, ok := l.next()
		if !ok {
			return string(out)
		}
		if t.kind != tokenWord || !slices.Contains(words, src[t.start:t.end]) {
			continue
		}
		peek := l
		if a, ok := peek.next(); ok && src[a.start] == '(' {
			if b, ok := peek.next(); ok && src[b.start] == ')' {
				out[a.start], out[b.start] = ' ', ' '
			}
		}
	}
}

// String returns the source.
func (c *Code) String() string { return c.src }

// Refs lists the variables that the expression reads, in the order of its source;
// those that it binds itself are not among them.
func (c *Code) Refs() []Ref { return c.refs }

// Uses says whether the expression names a word.
func (c *Code) Uses(word string) bool { return slices.Contains(c.calls, word) }

// Run evaluates the expression. Input and the values of variables are what JSON
// decodes to; a variable without a value is null. The sequence ends with the
// first error. It also ends, with an error, when ctx does or after [Limit].
func (c *Code) Run(ctx context.Context, input any, vars map[string]any) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		limited, cancel := context.WithTimeout(ctx, c.limit)
		defer cancel()
		values := make([]any, len(c.names))
		for i, name := range c.names {
			values[i] = vars[name]
		}
		results := c.code.RunWithContext(limited, input, values...)
		for {
			v, ok := results.Next()
			if !ok {
				return
			}
			if err, failed := v.(error); failed {
				yield(nil, c.failure(ended(ctx, err)))
				return
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

// ended tells why an evaluation that was cut off was: the caller's context, or
// our own limit.
func ended(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		return errTooLong
	default:
		return err
	}
}

func (c *Code) failure(err error) error {
	return fmt.Errorf("evaluating %s: %w", preview(c.src), err)
}

// Value evaluates an expression that has exactly one result.
func (c *Code) Value(ctx context.Context, input any, vars map[string]any) (any, error) {
	var value any
	count := 0
	for v, err := range c.Run(ctx, input, vars) {
		if err != nil {
			return nil, err
		}
		if count++; count > 1 {
			return nil, c.failure(errors.New("more than one result; put it in [ ]"))
		}
		value = v
	}
	if count == 0 {
		return nil, c.failure(errors.New("no result"))
	}
	return value, nil
}

// Bool evaluates a condition. Anything but true and false is an error: jq's own
// reading, where 0 and "" are true, is a trap in a condition.
func (c *Code) Bool(ctx context.Context, input any, vars map[string]any) (bool, error) {
	v, err := c.Value(ctx, input, vars)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, c.failure(fmt.Errorf("%s is neither true nor false", preview(string(JSON(v)))))
	}
	return b, nil
}

// JSON encodes a result: compact, no HTML escaping, NaN as null.
func JSON(v any) []byte {
	b, err := gojq.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}
