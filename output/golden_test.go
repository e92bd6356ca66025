package output

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/controller/event"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sequence is one run with everything that the formats show. The agent tries to
// fool the terminal wherever it can.
func sequence() []*event.Event {
	three, nine := 3, 9
	step := func(b event.Body) *event.Event { return &event.Event{Step: "check", SessionID: "s1", Turn: 1, Body: b} }
	list := []*event.Event{
		{Body: event.RunStart{Acpctl: "1.0.0", Recipe: "ci", Cwd: "/w", Stdin: "none"}},
		{Body: event.AgentStart{Name: "agent\x1b[2J", Version: "0.3", ProtocolVersion: 1}},
		{SessionID: "s1", Body: event.SessionStart{Origin: "new", Cwd: "/w", Model: "m-1", Effort: "high", Mode: "code", MCP: []event.MCPServer{
			{Name: "db", Status: "failed", Error: "connection refused"}, {Name: "fs", Status: "mounted"},
		}}},
		step(event.StepStart{Kind: "prompt"}),
		step(event.TurnStart{}),
		step(event.Message{Role: "user", Text: "old", Replay: true}),
		step(event.ToolEnd{ToolCall: event.ToolCall{Kind: "read", Paths: []string{"old"}, Status: "completed", Replay: true}}),
		step(event.Thought{Text: "Tests first.\nThen vet.\x07"}),
		step(event.Message{Role: "agent", Text: "I run the tests."}),
		step(event.Permission{RequestID: "1", Kind: "execute", Command: "go test ./...", Decision: "allow", By: "rule", Rule: "execute(go test *)", At: "ci.yaml:7", Covered: true, Delivery: "sent"}),
		step(event.ToolStart{ToolCall: event.ToolCall{ToolCallID: "c1", Kind: "execute", Command: "go test ./..."}}),
		step(event.ToolEnd{ToolCall: event.ToolCall{
			ToolCallID: "c1", Kind: "execute", Command: "go test ./...", Status: "completed", DurationMs: 1240,
			Output: "ok  a\r\nok  b\x1b[8m\n3\n4\n5\n6\n7\n8\n9\n",
		}}),
		step(event.Permission{RequestID: "2", Kind: "delete", Paths: []string{"a.txt", "b.txt"}, Decision: "deny", By: "rule", Rule: "delete(**)", At: "ci.yaml:9", Message: "nothing is deleted here", Covered: true, Delivery: "failed"}),
		step(event.ToolEnd{ToolCall: event.ToolCall{Kind: "delete", Paths: []string{"a.txt", "b.txt"}, Status: "failed", DurationMs: 12}}),
		step(event.Permission{RequestID: "3", Kind: "execute", Command: "go vet ./...\nrm -rf x", Decision: "uncovered", By: "default", Delivery: "sent"}),
		step(event.ToolEnd{ToolCall: event.ToolCall{Title: "Looking around " + strings.Repeat("x", 200), Status: "unknown"}}),
		step(event.Question{RequestID: "4", Message: "Which\nbranch?", Action: "accept", By: "rule", Rule: "branch", At: "ci.yaml:12"}),
		step(event.Question{RequestID: "5", Message: "Sure?", Action: "decline", By: "default", Error: "no answer fits"}),
		step(event.TurnEnd{StopReason: "max_tokens", DurationMs: 61000}),
		step(event.TurnEnd{Error: &event.Failure{Class: event.ClassAgent, Message: "overloaded"}}),
		step(event.Retry{Reason: "overloaded", Attempt: 2, DelayMs: 1500}),
		step(event.Assert{That: ".total == 3", OK: true}),
		step(event.Assert{That: ".total == 3", Message: "three tests", Value: json.RawMessage("4")}),
		step(event.Limit{Name: "idle", Value: 900000, Max: 900000}),
		step(event.Limit{Name: "toolCalls", Value: 11, Max: 10}),
		step(event.Warning{Code: "late_update", Message: "an update came late"}),
		step(event.StepEnd{Kind: "prompt", Status: "failed", Reason: "assert", ExitCode: &three, DurationMs: 63000}),
		{Step: "each", Index: &three, Item: &nine, Body: event.StepEnd{Kind: "run", Status: "skipped", Reason: "if"}},
		{SessionID: "s1", Body: event.SessionEnd{Reason: "closed"}},
		{Body: event.AgentEnd{ExitCode: &three, Stderr: "panic: oops\n\tat \x1b[31mmain\n"}},
		{Body: event.AgentEnd{Signal: "killed"}},
		{Body: failedResult()},
	}
	for i, e := range list {
		e.Seq, e.Run, e.Time = int64(i+1), "run_1", time.Date(2026, 1, 2, 3, 4, 5, i*1e6, time.UTC)
	}
	return list
}

func failedResult() event.Result {
	return event.Result{
		Status: "failed", Reason: "permission", ExitCode: event.ExitPermission, Text: "Done, \x1b[1mnearly\x1b[0m.\nBye", OutputAttempts: 3,
		Candidates: []string{"no"}, SessionID: "s1", DurationMs: 125400,
		Denials: []event.Denial{{Kind: "delete", Paths: []string{"a.txt"}}},
		Uncovered: []event.UncoveredCall{
			{Kind: "execute", Command: "go vet ./...", Why: "no rule matches", Suggest: []string{`execute(go vet ./...)`, `execute(echo "a\b")`}},
			{Kind: "other", Hint: "the call has nothing to match on"},
		},
		Question: &event.Question{Message: "Which?", Error: "no answer", Fields: []event.Field{
			{Name: "branch", Options: []event.Option{{Value: "main"}, {Value: "dev"}}}, {Name: "note", Type: "string"},
		}},
		Error: &event.Failure{Class: event.ClassPermission, Message: "2 calls are not covered\n  by any rule\x1b[2K", Hints: []string{"add the rules above"}},
	}
}

func TestRO32_Golden(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(stdout, stderr *bytes.Buffer) Sink{
		"ndjson": func(stdout, _ *bytes.Buffer) Sink { return NewNDJSON(stdout, nil) },
		"json":   func(stdout, _ *bytes.Buffer) Sink { return NewJSON(stdout) },
		"plain":  func(stdout, stderr *bytes.Buffer) Sink { return NewText(stdout, stderr, nil) },
		"colour": func(stdout, stderr *bytes.Buffer) Sink { return NewText(stdout, stderr, &TextOptions{Color: true}) },
		"verbose": func(stdout, stderr *bytes.Buffer) Sink {
			return NewText(stdout, stderr, &TextOptions{Verbose: true, Width: 80})
		},
		"quiet": func(stdout, stderr *bytes.Buffer) Sink { return NewText(stdout, stderr, &TextOptions{Quiet: true}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			sink := open(&stdout, &stderr)
			for _, e := range sequence() {
				if err := sink.Write(e); err != nil {
					t.Fatal(err)
				}
			}
			if err := sink.Close(); err != nil {
				t.Fatal(err)
			}
			checkGolden(t, name+".stdout", stdout.Bytes())
			checkGolden(t, name+".stderr", stderr.Bytes())
			if bytes.ContainsFunc(slices.Concat(stdout.Bytes(), stderr.Bytes()), forbidden) && name != "colour" {
				t.Error("control characters in the output")
			}
		})
	}
}

// forbidden says whether a character of an agent could fool a terminal.
func forbidden(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r == 0x7f }

// TestRO33_ColourChangesNothingElse: without the colours, the text is the plain
// one, so none of the sequences is the agent's.
func TestRO33_ColourChangesNothingElse(t *testing.T) {
	t.Parallel()
	var plain, coloured bytes.Buffer
	for _, e := range sequence() {
		for to, on := range map[*bytes.Buffer]bool{&plain: false, &coloured: true} {
			if err := NewText(to, to, &TextOptions{Color: on}).Write(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	bare := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(coloured.String(), "")
	if diff := cmp.Diff(plain.String(), bare); diff != "" || bare == coloured.String() {
		t.Errorf("without colours (-plain +coloured):\n%s", diff)
	}
}

func checkGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

func TestRO32_TextOfASuccess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		quiet  bool
		result event.Result
		stdout string
		stderr string
	}{
		{"with text", false, event.Result{Status: "ok", Text: "Done.\n", DurationMs: 340}, "Done.\n", "ok in 340ms\n"},
		{"without text", false, event.Result{Status: "ok", Denials: make([]event.Denial, 2)}, "", "ok in 0s - denied: 2 calls\n"},
		{"quiet", true, event.Result{Status: "ok", Text: "Done."}, "Done.\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			if err := NewText(&stdout, &stderr, &TextOptions{Quiet: c.quiet}).Write(event1(1, c.result)); err != nil {
				t.Fatal(err)
			}
			if stdout.String() != c.stdout || stderr.String() != c.stderr {
				t.Errorf("stdout %q, stderr %q; want %q and %q", stdout.String(), stderr.String(), c.stdout, c.stderr)
			}
		})
	}
}

// TestRO34_TextErrors says what a lost writer does: only stdout carries data.
func TestRO34_TextErrors(t *testing.T) {
	t.Parallel()
	gone := &writes{err: syscall.EPIPE}
	result := event1(1, event.Result{Status: "ok", Text: "x"})
	if err := NewText(gone, &bytes.Buffer{}, nil).Write(result); !IsReaderGone(err) {
		t.Errorf("lost stdout: %v", err)
	}
	if err := NewText(&bytes.Buffer{}, gone, nil).Write(result); err != nil {
		t.Errorf("lost stderr: %v", err)
	}
}
