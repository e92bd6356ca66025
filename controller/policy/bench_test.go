package policy

import (
	"fmt"
	"testing"
)

// benchPolicy has 200 rules of all lists and of several kinds.
func benchPolicy(b *testing.B) *Policy {
	b.Helper()
	spec := &Spec{}
	for i := range 40 {
		spec.Allow = append(spec.Allow,
			PlainRule(fmt.Sprintf("execute(tool%d run *)", i), "", LayerRecipe),
			PlainRule(fmt.Sprintf("edit(src/pkg%d/**)", i), "", LayerRecipe))
		spec.Ask = append(spec.Ask, PlainRule(fmt.Sprintf("execute(git push origin release-%d *)", i), "", LayerRecipe))
		spec.Deny = append(spec.Deny,
			PlainRule(fmt.Sprintf("execute(danger%d -rf *)", i), "", LayerRecipe),
			PlainRule(fmt.Sprintf("edit(**/secret%d/*.key)", i), "", LayerRecipe))
	}
	spec.Allow[0] = PlainRule("execute(go test *)", "", LayerRecipe)
	p, err := Compile(spec)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func BenchmarkDecide200Rules(b *testing.B) {
	p := benchPolicy(b)
	env := &Env{Cwd: "/home/u/repo", Home: "/home/u", Readlink: func(string) (string, bool) { return "", false }}
	for _, bench := range []struct {
		name string
		call *Call
	}{
		{"execute", &Call{Kind: "execute", Command: "cd src && go test -race ./... 2>&1"}},
		{"edit", &Call{Kind: "edit", Paths: []string{"/home/u/repo/src/pkg7/a.go"}}},
		{"uncovered", &Call{Kind: "execute", Command: "make build"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Decide(bench.call, env)
			}
		})
	}
}
