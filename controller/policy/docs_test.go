package policy

import (
	"os"
	"strings"
	"testing"
)

// The examples of the manual are decided as they say.
func TestExamplesInTheManual(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(data), "```rules\n")[1:]
	if len(blocks) < 4 {
		t.Fatalf("%d blocks of examples", len(blocks))
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		rules, calls, _ := strings.Cut(block, "\n\n")
		p := mustCompile(t, manualRules(t, rules))
		for line := range strings.Lines(calls) {
			checkManualLine(t, p, strings.TrimSpace(line))
		}
	}
}

func manualRules(t *testing.T, text string) *Spec {
	t.Helper()
	spec := &Spec{}
	for line := range strings.Lines(text) {
		list, rule, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch list {
		case listAllow:
			spec.Allow = append(spec.Allow, plainRules(rule)...)
		case listDeny:
			spec.Deny = append(spec.Deny, plainRules(rule)...)
		default:
			t.Fatalf("line %q", line)
		}
	}
	return spec
}

func checkManualLine(t *testing.T, p *Policy, line string) {
	t.Helper()
	cut := strings.LastIndexByte(line, ' ')
	what, want := strings.TrimSpace(line[:cut]), Decision(line[cut+1:])
	kind, fact, _ := strings.Cut(what, " ")
	call := &Call{Kind: kind}
	switch kind {
	case "execute":
		call.Command = fact
	case "fetch":
		call.RawInput = mustJSON(t, map[string]string{"url": fact})
	case "switch_mode":
		call.RawInput = mustJSON(t, map[string]string{"modeId": fact})
	case "mcp":
		call.Kind = "other"
		call.Server, call.Tool, _ = strings.Cut(fact, "/")
	case "tool":
		call.Kind, call.Name = "other", fact
	default:
		call.Paths = []string{fact}
	}
	if o := p.Decide(call, fuzzEnv); o.Decision != want {
		t.Errorf("%s: %s, the manual says %s (%s)", what, o.Decision, want, o.Why)
	}
}
