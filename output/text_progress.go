package output

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/acpctl/acpctl/controller/event"
)

// outputHead is how many lines of a tool's output are shown.
const outputHead = 8

// progress appends the lines of an event that is not the result. Most events have
// none; neither has what a loaded session replays.
func (s *text) progress(e *event.Event) {
	c := &s.colors
	at := word{c.faint, place(e)}
	switch b := e.Body.(type) {
	case event.AgentStart:
		s.line(at, word{plain, "agent"}, word{c.strong, cmp.Or(b.Name, "without a name")}, word{plain, b.Version})
	case event.AgentEnd:
		s.agentEnd(at, &b)
	case event.SessionStart:
		s.sessionStart(at, e.SessionID, &b)
	case event.StepStart:
		s.line(at, word{plain, "started"}, word{c.faint, b.Kind})
	case event.StepEnd:
		s.stepEnd(at, &b)
	case event.TurnEnd:
		s.turnEnd(at, &b)
	case event.Thought:
		if s.opts.Verbose && !b.Replay && b.Text != "" {
			s.line(at, word{c.faint, "thought"})
			s.block(b.Text, 0)
		}
	case event.ToolEnd:
		s.toolEnd(at, &b.ToolCall)
	default:
		s.decision(at, b)
	}
}

// decision is progress for what acpctl itself decided or found.
func (s *text) decision(at word, body event.Body) {
	c := &s.colors
	switch b := body.(type) {
	case event.Permission:
		s.permission(at, &b)
	case event.Question:
		s.line(at, word{c.strong, "question"}, word{plain, s.clip(b.Message)}, s.verdict(b.Action), word{c.faint, decidedBy(b.By, b.Rule, b.At)})
		s.note(c.bad, b.Error)
	case event.Retry:
		s.line(at, word{c.warn, "retry"}, word{plain, fmt.Sprintf("attempt %d in %s: %s", b.Attempt, duration(b.DelayMs), b.Reason)})
	case event.Assert:
		if !b.OK {
			s.line(at, word{c.bad, "assert failed"}, word{plain, b.That})
			s.note(plain, b.Message)
			s.note(c.faint, prefixed("value: ", s.clip(string(b.Value))))
		}
	case event.Limit:
		s.line(at, word{c.bad, "limit"}, word{plain, limitText(&b)})
	case event.Warning:
		s.line(at, word{c.warn, "warning"}, word{plain, b.Message}, word{c.faint, "(" + b.Code + ")"})
	}
}

func (s *text) agentEnd(at word, b *event.AgentEnd) {
	switch {
	case b.Signal != "":
		s.line(at, word{plain, "agent ended by signal"}, word{s.colors.warn, b.Signal})
	case b.ExitCode != nil && *b.ExitCode != 0:
		s.line(at, word{plain, "agent ended with exit code"}, word{s.colors.bad, strconv.Itoa(*b.ExitCode)})
	case b.Stderr != "":
		s.line(at, word{plain, "agent ended"})
	}
	if b.Stderr != "" {
		s.block(b.Stderr, 0)
	}
}

func (s *text) sessionStart(at word, id string, b *event.SessionStart) {
	faint := s.colors.faint
	s.line(at, word{plain, "session"}, word{s.colors.strong, id}, word{plain, b.Origin}, word{faint, prefixed("model ", b.Model)},
		word{faint, prefixed("effort ", b.Effort)}, word{faint, prefixed("mode ", b.Mode)})
	for _, m := range b.MCP {
		if m.Status == "failed" {
			s.line(at, word{s.colors.bad, "mcp server failed"}, word{s.colors.strong, m.Name}, word{plain, m.Error})
		}
	}
}

func (s *text) stepEnd(at word, b *event.StepEnd) {
	code := ""
	if b.ExitCode != nil && *b.ExitCode != 0 {
		code = fmt.Sprintf("exit code %d", *b.ExitCode)
	}
	s.line(at, s.verdict(b.Status), word{plain, b.Reason}, word{plain, code}, word{s.colors.faint, took(b.DurationMs)})
}

// turnEnd shows turns that did not end as they should: a retry may follow.
func (s *text) turnEnd(at word, b *event.TurnEnd) {
	switch {
	case b.Error != nil:
		s.line(at, word{s.colors.bad, "turn failed"}, word{plain, b.Error.Message})
	case b.StopReason != "" && b.StopReason != "end_turn":
		s.line(at, word{s.colors.warn, "turn stopped"}, word{plain, b.StopReason})
	}
}

func (s *text) toolEnd(at word, b *event.ToolCall) {
	if b.Replay {
		return
	}
	about := cmp.Or(target(b.Command, b.Paths), b.Title, b.Name)
	s.line(at, word{s.colors.strong, cmp.Or(b.Kind, "tool")}, word{plain, s.clip(about)}, s.verdict(b.Status), word{s.colors.faint, took(b.DurationMs)})
	if s.opts.Verbose && b.Output != "" {
		s.block(b.Output, outputHead)
	}
}

func (s *text) permission(at word, b *event.Permission) {
	s.line(at, s.verdict(b.Decision), word{s.colors.strong, b.Kind}, word{plain, s.clip(target(b.Command, b.Paths))},
		word{s.colors.faint, decidedBy(b.By, b.Rule, b.At)})
	s.note(plain, b.Message)
	if b.Delivery == "failed" {
		s.note(s.colors.bad, "the answer did not reach the agent")
	}
}

// verdict colours the outcome of something.
func (s *text) verdict(outcome string) word {
	switch outcome {
	case "ok", "completed", "allow", "accept":
		return word{s.colors.good, outcome}
	case "failed", "deny", "uncovered", "stop":
		return word{s.colors.bad, outcome}
	default:
		return word{s.colors.warn, outcome}
	}
}
