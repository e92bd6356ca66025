package expr

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var splitTable = []struct {
	text string
	want []Part
}{
	{"", nil},
	{"plain $x ${X} {{ }}", []Part{{Text: "plain $x ${X} {{ }}"}}},
	{"${{ 1 }}", []Part{{" 1 ", true, 3}}},
	{"a ${{ $inputs.x }} b", []Part{{"a ", false, 0}, {" $inputs.x ", true, 5}, {" b", false, 18}}},
	{"${{1}}${{2}}", []Part{{"1", true, 3}, {"2", true, 9}}},
	{"${{ {a: {b: 1}} }}", []Part{{" {a: {b: 1}} ", true, 3}}},
	{"${{ {a:{b:1}}}}", []Part{{" {a:{b:1}}", true, 3}}},
	{`${{ "}}" }}`, []Part{{` "}}" `, true, 3}}},
	{`${{ "\"}}" }}`, []Part{{` "\"}}" `, true, 3}}},
	{`${{ "a\(.x | {y: "}}"})}}" }}`, []Part{{` "a\(.x | {y: "}}"})}}" `, true, 3}}},
	{`${{ "\("\("}}")")" }}.`, []Part{{` "\("\("}}")")" `, true, 3}, {".", false, 21}}},
	{"${{ 1 # }}\n }}", []Part{{" 1 # }}\n ", true, 3}}},
	{"$${{ no }}", []Part{{"${{ no }}", false, 0}}},
	{"a $${{ b ${{ 1 }}", []Part{{"a ${{ b ", false, 0}, {" 1 ", true, 12}}},
	{"$$${{ 1 }}", []Part{{"$${{ 1 }}", false, 0}}},
	{"π ${{ 1 }}", []Part{{"π ", false, 0}, {" 1 ", true, 6}}},
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, test := range splitTable {
		got, err := Split(test.text)
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestSplitErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text   string
		offset int
		want   string
	}{
		{"ab ${{ 1", 3, "${{ without its }}"},
		{"ab ${{ 1 }", 3, "${{ without its }}"},
		{`${{ "}}`, 0, "${{ without its }}"},
		{"${{ [1 }}", 0, "${{ without its }}"},
		{"${{ 1) }}", 0, "${{ without its }}"},
		{"x ${{  }}", 2, "${{ }} without an expression"},
		{"${{}}", 0, "${{ }} without an expression"},
	} {
		_, err := Split(test.text)
		syntax, ok := err.(*SyntaxError) //nolint:errorlint // the type is the contract
		if !ok || syntax.Offset != test.offset || syntax.Message != test.want {
			t.Errorf("%q: got %#v", test.text, err)
		}
	}
}

// FuzzSplit holds that expressions stand where their offset says, and that a text
// without a dollar is itself.
func FuzzSplit(f *testing.F) {
	for _, test := range splitTable {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := Split(text)
		if err != nil {
			return
		}
		var literal strings.Builder
		for _, p := range parts {
			if !strings.HasPrefix(text[p.Offset:], p.Text) && !strings.Contains(p.Text, open) {
				t.Errorf("%q is not at %d of %q", p.Text, p.Offset, text)
			}
			if !p.Expr {
				literal.WriteString(p.Text)
			} else if !strings.HasPrefix(text[p.Offset+len(p.Text):], closing) {
				t.Errorf("%q in %q does not end at its braces", p.Text, text)
			}
		}
		if !strings.Contains(text, open) && literal.String() != text {
			t.Errorf("%q became %q", text, literal.String())
		}
	})
}

// FuzzCompile holds that no source makes the checks fail.
func FuzzCompile(f *testing.F) {
	for _, src := range []string{"$inputs.a", "def f($x): $x; f(1)", `"\($steps.a)"`, "{$inputs}", "reduce .[] as [$a, {b: $c}] (0; . + $a)", "label $l | break $l", "always()"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		code, err := CompileWords(src, stepVars, []string{"always"})
		if err != nil {
			if e, ok := err.(*SyntaxError); !ok || e.Offset < 0 || e.Offset > len(src) { //nolint:errorlint // the type is the contract
				t.Errorf("%q: %#v", src, err)
			}
			return
		}
		code.Subject()
		for _, r := range code.Refs() {
			if r.Offset >= len(src) {
				t.Errorf("%q: $%s at %d", src, r.Name, r.Offset)
			}
		}
	})
}
