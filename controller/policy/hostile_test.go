package policy

import (
	"encoding/json"
	"strings"
	"testing"
)

// hostileCommands would take long or much stack if work were not bounded.
func hostileCommands() map[string]string {
	again := strings.Repeat
	return map[string]string{
		"brackets": again("(", 100_000), "substitutions": again("$(", 50_000), "parameters": again("${a:-", 20_000),
		"ifs": again("if ", 40_000), "negations": again("! ", 60_000), "cases": again("case a in a) ", 9_000),
		"commands": again("a;", 60_000), "words": again("a ", 60_000), "pipes": again("a|", 60_000), "ands": again("a&&", 40_000) + "a",
		"braces": "ls " + again("{a,b}", 40), "sequence": "ls {1..999999999}", "nested braces": "ls " + again("{a,", 20_000),
		"clear wrappers": again("nice ", 20_000) + "ls", "unknown options": again("sudo --x ", 10_000) + "ls",
		"xargs": again("xargs ", 20_000), "finds": "find . " + again("-exec ", 20_000), "shells": again("sh -c ", 20_000),
		"here-documents": again("<<E ", 20_000), "minus": "echo $((" + again("-", 100_000) + "1))", "tests": "[[ " + again("( ", 40_000),
		"continuations": again("a\\\n", 40_000), "backquotes": again("`", 60_000), "quotes": again("'a'", 40_000), "subscripts": "x=" + again("a[", 40_000),
		"double quotes": again(`"$(`, 30_000), "globs": "ls " + again("*", 60_000), "classes": "ls " + again("[", 60_000), "env": "env -S " + again("'env -S ", 5_000),
		"functions": again("f() {", 20_000), "comments": again("#\\\n", 40_000), "too long": again("x", 200_000), "redirections": again(">a ", 40_000),
		"assignments": again("a=b ", 30_000), "arithmetic": "((" + again("a+", 50_000) + "1))", "coproc": again("coproc ", 15_000), "time": again("time ", 20_000),
		"traps": again("trap ", 20_000), "sed": "sed '" + again("s/a/b/;", 15_000) + "'", "links": "cat " + again("../", 40_000),
	}
}

func TestHostileCommandsAreBounded(t *testing.T) {
	t.Parallel()
	p := mustCompile(t, &Spec{
		Allow: plainRules("execute(ls *)", "execute(nice *)", "execute(sudo *)", "execute(xargs *)", "execute(a *)", "execute(* ** a ** b *)"),
		Deny:  plainRules("execute(rm * ** a ** b *)", "edit(**/a/**/b/**/c)", "read(*a*b*c*d*)"),
	})
	for name, command := range hostileCommands() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := p.Decide(&Call{Kind: "execute", Command: command}, fuzzEnv)
			if strings.Contains(command, "(") && o.Decision == Allow {
				t.Errorf("decision %s: %s", o.Decision, o.Why)
			}
		})
	}
}

func TestHostilePathsAreBounded(t *testing.T) {
	t.Parallel()
	p := mustCompile(t, &Spec{Allow: plainRules("read(**)"), Deny: plainRules("read(**/a/**/a/**/a/**/b)", "read(*a*a*a*a*b)")})
	deep := "/w" + strings.Repeat("/a", 50_000)
	if o := p.Decide(&Call{Kind: "read", Paths: []string{deep}}, fuzzEnv); o.Decision == Deny {
		t.Errorf("decision %s", o.Decision)
	}
	nested := json.RawMessage(strings.Repeat(`{"path":`, 2000) + `"a"` + strings.Repeat("}", 2000))
	if o := p.Decide(&Call{Kind: "read", RawInput: nested}, fuzzEnv); o.Decision != Uncovered {
		t.Errorf("deep input: decision %s, want uncovered", o.Decision)
	}
}
