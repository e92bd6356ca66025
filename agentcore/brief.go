package agentcore

import (
	"strings"
	"unicode/utf8"

	"github.com/acpctl/acpctl/agentcore/model"
)

// maxTitle is the longest title, in characters.
const maxTitle = 80

// request is what the model is asked in one step.
func (t *turn) request(step int) *model.Request {
	s := t.s
	req := &model.Request{
		Model: t.sel.entry.ID, Effort: t.sel.effort, Session: s.id, Turn: t.number, Step: step,
		Messages: append([]model.Message{{Role: model.RoleSystem, Text: s.systemPrompt()}}, s.history...),
	}
	for _, tl := range s.tools("") {
		spec := tl.Spec()
		req.Tools = append(req.Tools, model.ToolSpec{Name: spec.Name, Description: spec.Description, Schema: spec.Schema})
	}
	return req
}

// systemPrompt is what the model is told before everything else.
func (s *session) systemPrompt() string {
	var b strings.Builder
	b.WriteString(`You are a coding agent that works in the user's directory with the tools you are given.
Do what is asked, and no more. Read before you change, and check your work where you can.
A call that the user denies was not run: go on another way, or say what you would have done.
Nobody may be there to answer: use ask_user only where a wrong guess would cost the user more than a question.
Never ask for passwords, keys or other credentials.
Answer briefly and in plain text.

Working directory: `)
	b.WriteString(s.ws.Cwd)
	for _, root := range s.ws.Roots[1:] {
		b.WriteString("\nFurther directory: " + root)
	}
	return b.String()
}

// titleOf is the title of a session: the beginning of its first prompt, in one line.
func titleOf(text string) string {
	title := strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(title) > maxTitle {
		title = string([]rune(title)[:maxTitle-1]) + "…"
	}
	return title
}
