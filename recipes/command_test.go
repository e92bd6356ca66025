package recipes

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitCommand(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line  string
		words []string
		fault string
	}{
		{"", nil, ""},
		{"  opencode   acp ", []string{"opencode", "acp"}, ""},
		{`'a b'"c d"e\ f`, []string{"a bc de f"}, ""},
		{`"a \"b\" \\ \n" ''`, []string{`a "b" \ \n`, ""}, ""},
		{"a\n\tb", []string{"a", "b"}, ""},
		{`'$HOME|' "x;y"`, []string{"$HOME|", "x;y"}, ""},
		{"a | b", nil, "needs a shell"},
		{"a $HOME", nil, "needs a shell"},
		{`"$HOME"`, nil, "use single quotes"},
		{"a `b`", nil, "needs a shell"},
		{"a 'b", nil, "a quote that does not end"},
		{`a "b`, nil, "a quote that does not end"},
		{`a\`, nil, "a backslash at the end"},
	} {
		words, err := SplitCommand(test.line)
		if (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) || !slices.Equal(words, test.words) {
			t.Errorf("%q: got %q, %v", test.line, words, err)
		}
	}
}
