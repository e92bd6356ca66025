//go:build unix

package realagents

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// testCase is one thing that is tried with every agent. run says in a word or
// two what the agent honours; what acpctl owes is a test failure.
type testCase struct {
	name       string
	needsModel bool
	run        func(t *testing.T, b *bench) string
}

var cases = []testCase{
	{"text turn", false, textTurn},
	{"file written after permission", true, fileWritten},
	{"command denied", true, commandDenied},
	{"command allowed", true, commandAllowed},
	{"no rule: exit 5 and the rule to add", true, noRule},
	{"cancel in mid-tool", true, cancelled},
	{"time limit", false, timeLimit},
	{"resume in a new process", true, resumed},
	{"model and effort", true, selected},
	{"MCP server over stdio", true, mounted},
}

func wantCode(t *testing.T, o *outcome, code int) bool {
	t.Helper()
	if o.code == code {
		return true
	}
	t.Errorf("exit code %d, want %d: %s\nresult %v", o.code, code, o.stderr, o.result["error"])
	return false
}

func textTurn(t *testing.T, b *bench) string {
	t.Helper()
	o := b.run(t, "", "", "permissions: {default: allow}\nprompt: '[do text]'")
	wantCode(t, o, 0)
	text, _ := o.result["text"].(string)
	if b.a.modelless && text == "" || !b.a.modelless && !strings.Contains(text, "All is done.") {
		t.Errorf("text %q", text)
	}
	return "yes"
}

func fileWritten(t *testing.T, b *bench) string {
	t.Helper()
	o := b.run(t, "", "", "permissions: {allow: ['edit(./**)', 'read(./**)', 'execute']}\nprompt: '[do write {dir}/new.txt]'")
	wantCode(t, o, 0)
	if !o.exists("new.txt") {
		t.Errorf("the file was not written; text %v", o.result["text"])
	}
	if len(o.have("permission")) == 0 {
		return "written without asking"
	}
	return "yes, asks"
}

func commandDenied(t *testing.T, b *bench) string {
	t.Helper()
	o := b.run(t, "", "", "permissions: {allow: ['execute'], deny: ['execute(touch *)']}\nprompt: '[do shell touch denied.txt]'")
	if o.exists("denied.txt") {
		t.Error("the denied command ran")
	}
	if len(o.list("denials")) != 1 && len(o.list("uncovered")) != 1 {
		t.Errorf("denials %v, uncovered %v", o.list("denials"), o.list("uncovered"))
	}
	switch {
	case o.code == 0:
		return "yes, goes on"
	case o.code == 1 && o.result["reason"] == "agent_cancelled":
		return "yes, ends its turn (exit 1)"
	default:
		t.Errorf("exit code %d: %s", o.code, o.stderr)
		return "no"
	}
}

func commandAllowed(t *testing.T, b *bench) string {
	t.Helper()
	o := b.run(t, "", "", "permissions: {allow: ['execute']}\nprompt: '[do shell touch allowed.txt]'")
	wantCode(t, o, 0)
	if !o.exists("allowed.txt") {
		t.Errorf("the command did not run; text %v", o.result["text"])
	}
	if len(o.have("permission")) == 0 {
		return "runs without asking"
	}
	o = b.run(t, "", "", "permissions: {allow: ['execute(touch allowed.txt)']}\nprompt: '[do shell touch allowed.txt]'")
	if o.code == 0 && o.exists("allowed.txt") {
		return "yes, by its text"
	}
	return "yes, by its kind alone"
}

// noRule adds the rules that are suggested, and then the run succeeds.
func noRule(t *testing.T, b *bench) string {
	t.Helper()
	o := b.run(t, "", "", "prompt: '[do shell touch uncovered.txt]'")
	if o.exists("uncovered.txt") {
		t.Error("the command ran without a rule")
	}
	if o.code == 1 && o.result["reason"] == "agent_cancelled" && len(o.list("uncovered")) == 1 {
		return "ends its turn (exit 1), named beside it"
	}
	if !wantCode(t, o, 5) || len(o.list("uncovered")) != 1 {
		return "no"
	}
	call, _ := o.list("uncovered")[0].(map[string]any)
	rules, _ := json.Marshal(call["suggest"])
	if string(rules) == "[]" {
		return fmt.Sprintf("yes; %v", call["hint"])
	}
	o = b.run(t, "", "", "permissions: {allow: "+string(rules)+"}\nprompt: '[do shell touch uncovered.txt]'")
	if wantCode(t, o, 0) && !o.exists("uncovered.txt") {
		t.Error("the suggested rules did not let the command run")
	}
	return "yes"
}

func cancelled(t *testing.T, b *bench) string {
	t.Helper()
	o := b.run(t, "", "tool.start", "permissions: {allow: ['execute']}\nprompt: '[do shell sleep 61]'")
	wantCode(t, o, 130)
	if o.result["stopReason"] == "cancelled" {
		return "confirmed"
	}
	return "not confirmed, ended"
}

func timeLimit(t *testing.T, b *bench) string {
	t.Helper()
	o := b.run(t, "", "", "limits: {time: 12s}\npermissions: {default: allow}\nprompt: '[do slow]'")
	if b.a.modelless {
		o = b.run(t, "", "", "limits: {time: 1s}\nprompt: hi")
	}
	wantCode(t, o, 3)
	if o.result["stopReason"] == "cancelled" {
		return "confirmed"
	}
	return "not confirmed, ended"
}

func resumed(t *testing.T, b *bench) string {
	t.Helper()
	o := b.run(t, "", "", "prompt: '[do text] first'")
	wantCode(t, o, 0)
	id, _ := o.result["sessionId"].(string)
	again := b.run(t, o.dir, "", fmt.Sprintf("session: {resume: %q}\nprompt: '[do text] second'", id))
	switch again.code {
	case 10:
		return "not offered"
	case 4:
		return "offered, the session is gone (exit 4)"
	}
	wantCode(t, again, 0)
	if text, _ := again.result["text"].(string); strings.Count(text, "All is done.") != 1 {
		t.Errorf("the answer is %q", text)
	}
	if again.result["sessionId"] != id {
		t.Errorf("another session: %v", again.result["sessionId"])
	}
	start := again.have("session.start")
	if len(start) != 1 {
		t.Fatalf("%d sessions", len(start))
	}
	return fmt.Sprintf("yes (%v)", start[0]["origin"])
}

// selected sets model and effort, by the probe and then by a recipe.
func selected(t *testing.T, b *bench) string {
	t.Helper()
	var got []string
	report := b.probe(t)
	for _, purpose := range []string{"model", "effort"} {
		got = append(got, purpose+": "+b.choose(t, report, purpose))
	}
	return strings.Join(got, ", ")
}

func (b *bench) choose(t *testing.T, report *probeReport, purpose string) string {
	t.Helper()
	for _, o := range report.Options {
		switch {
		case o.Purpose != purpose:
			continue
		case len(o.Choices) < 2:
			return "one choice"
		}
		other := o.Choices[0]
		if other == o.Current {
			other = o.Choices[1]
		}
		run := b.run(t, "", "", fmt.Sprintf("%s: %q\nprompt: '[do text]'", purpose, other))
		switch start := run.have("session.start"); {
		case len(start) == 1 && start[0][purpose] == other:
			return "yes"
		case run.code == 0:
			return "accepted, changes nothing"
		default:
			return fmt.Sprintf("refused (exit %d)", run.code)
		}
	}
	return "not offered"
}

func mounted(t *testing.T, b *bench) string {
	t.Helper()
	o := b.run(t, "", "", fmt.Sprintf("mcpServers: {repostat: {command: %q}}\npermissions: {allow: [any]}\nprompt: '[do tool repostat count_lines]'", b.mcp))
	wantCode(t, o, 0)
	for _, e := range o.have("tool.end") {
		if title := fmt.Sprint(e["title"], e["rawInput"], e["name"]); strings.Contains(title, "count_lines") {
			return fmt.Sprintf("yes, %v", e["status"])
		}
	}
	if text := fmt.Sprint(o.result["text"]); !strings.Contains(text, "All is done") || len(o.have("tool.end")) == 0 {
		return "accepted, its tools do not reach the model"
	}
	return "yes"
}
