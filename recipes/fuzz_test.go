package recipes

import (
	"errors"
	"os"
	"testing"

	"github.com/acpctl/acpctl/controller/policy"
)

// FuzzParse holds that no text makes the parser fail otherwise than with problems
// that have a place in it, and that what is taken can be resolved, shown, and
// read as a policy.
func FuzzParse(f *testing.F) {
	for _, folder := range []string{"ok", "failed", "invalid"} {
		for _, a := range archives(f, folder) {
			f.Add(a.file("recipe.yaml"))
		}
	}
	for _, file := range []string{"quickstart", "check"} {
		if src, err := os.ReadFile("../examples/" + file + ".yaml"); err == nil {
			f.Add(src)
		}
	}
	for _, src := range []string{"a: &a [*a]", "<<: {a: b}", "? [x]\n: y", "- {", "version: 1\nprompt: |2\n   ${{ x }}", "!!map {}", "version: 1\nprompt: \"\\u263a ${{\"", "{{{{"} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		r, err := Parse(src, "r.yaml")
		if err != nil {
			var parse *ParseError
			if !errors.As(err, &parse) || len(parse.Problems) == 0 || parse.Error() == "" {
				t.Fatalf("%T: %v", err, err)
			}
			for _, p := range parse.Problems {
				if p.Line < 1 || p.Column < 1 {
					t.Errorf("%v has no place", p.String())
				}
			}
			return
		}
		_ = r.Check(Inputs{}, nil) // what it finds needs files and variables that are not there
		if plan, err := r.Resolve(Inputs{}, nil); err == nil {
			if _, err := YAML(plan.View()); err != nil {
				t.Error(err)
			}
		}
		if _, err := ParsePolicy(src, "r.yaml", policy.LayerPolicy); err != nil && !errors.As(err, new(*ParseError)) {
			t.Errorf("%T: %v", err, err)
		}
	})
}
