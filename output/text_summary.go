package output

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
)

// summary appends how the run ended and what can be done about it.
func (s *text) summary(r *event.Result) {
	if s.opts.Quiet && r.ExitCode == event.ExitOK {
		return
	}
	s.outcome(r)
	for i := range r.Uncovered {
		s.uncovered(&r.Uncovered[i])
	}
	if r.Question != nil && r.ExitCode != event.ExitOK {
		s.unanswered(r.Question)
	}
	if r.Error != nil {
		s.failure(r.Error)
	}
}

// outcome is the first line: status, reason, exit code, time, denied calls, and
// whether an output that was asked for is missing.
func (s *text) outcome(r *event.Result) {
	c := &s.colors
	words := []word{s.verdict(r.Status), {plain, r.Reason}}
	if r.ExitCode != event.ExitOK {
		words = append(words, word{plain, fmt.Sprintf("(exit code %d)", r.ExitCode)})
	}
	words = append(words, word{c.faint, "in " + duration(r.DurationMs)})
	if n := len(r.Denials); n > 0 {
		words = append(words, word{c.warn, "- denied: " + plural(n, "call")})
	}
	if r.Output == nil && r.OutputAttempts > 0 {
		words = append(words, word{c.bad, "- no valid output in " + plural(r.OutputAttempts, "attempt")})
	}
	s.line(words...)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// uncovered shows a call that no rule covered and the rules to paste, which are
// YAML and never shortened.
func (s *text) uncovered(u *event.UncoveredCall) {
	s.line(word{s.colors.bad, "uncovered"}, word{s.colors.strong, u.Kind}, word{plain, s.clip(target(u.Command, u.Paths))},
		word{s.colors.faint, prefixed("- ", u.Why)})
	for _, rule := range u.Suggest {
		s.note(s.colors.strong, `allow: "`+quoted(rule)+`"`)
	}
	s.note(plain, prefixed("hint: ", u.Hint))
}

// unanswered shows the question that ended the run, with what can be chosen.
func (s *text) unanswered(q *event.Question) {
	s.line(word{s.colors.bad, "question"}, word{plain, q.Message})
	for _, f := range q.Fields {
		var options []string
		for _, o := range f.Options {
			options = append(options, o.Value)
		}
		s.note(plain, f.Name+": "+cmp.Or(strings.Join(options, " | "), f.Description, f.Title, f.Type))
	}
	s.note(s.colors.bad, q.Error)
}

// failure has the form of errors that come before a run. A message of several
// lines, such as a list of problems, keeps them.
func (s *text) failure(f *event.Failure) {
	for l := range strings.SplitSeq(strings.TrimRight("acpctl: "+f.Message, "\n"), "\n") {
		s.buf.WriteString(s.colors.bad(escapeLines(l)) + "\n")
	}
	for _, h := range f.Hints {
		s.line(word{plain, "acpctl: hint: " + h})
	}
}
