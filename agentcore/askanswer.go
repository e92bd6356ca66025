package agentcore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// What an answer may hold, in bytes.
const (
	maxValueBytes  = 16 << 10
	maxNoteBytes   = 4 << 10
	maxAnswerBytes = 256 << 10
)

// inputAnswer is the answer to one question. No values: left unanswered.
type inputAnswer struct {
	Values []string
	Note   string
}

// check holds answers against the questions. One that does not fit voids all.
func (b *batch) check(answers []inputAnswer) error {
	if len(answers) != len(b.Questions) {
		return fmt.Errorf("there are %d answers to %d questions", len(answers), len(b.Questions))
	}
	for i := range answers {
		if err := b.Questions[i].accept(&answers[i]); err != nil {
			return fmt.Errorf("the answer to question %d is not valid: %w", i+1, err)
		}
	}
	return nil
}

func (q *question) accept(a *inputAnswer) error {
	labels := true
	for i, v := range a.Values {
		switch {
		case strings.TrimSpace(v) == "":
			return errors.New("a value is blank")
		case len(v) > maxValueBytes:
			return errors.New("a value is too long")
		case slices.Contains(a.Values[:i], v):
			return errors.New("a value appears twice")
		}
		labels = labels && q.offers(v)
	}
	switch n := len(a.Values); {
	case n > 1 && !q.MultiSelect:
		return errors.New("there is more than one value")
	case n > 1 && !labels:
		return errors.New("own words cannot be one of several values")
	case a.Note != "" && (n == 0 || !labels):
		return errors.New("a note needs a chosen option")
	case len(a.Note) > maxNoteBytes:
		return errors.New("the note is too long")
	}
	return nil
}

// requestInput asks by the extension's callback.
func (a askUser) requestInput(ctx context.Context, b *batch) ([]inputAnswer, error) {
	opts := &a.s.conn.core.opts
	raw, err := a.call(ctx, requestInputMethod, map[string]any{
		"sessionId": a.s.id, "requestId": opts.NewID("ask_"), "callerName": opts.Name, "questions": b.Questions,
	})
	if err != nil {
		return nil, err
	}
	var p struct {
		Answers   []map[string]json.RawMessage `json:"answers"`
		Cancelled bool                         `json:"cancelled"`
	}
	if json.Unmarshal(raw, &p) != nil || p.Answers == nil && !p.Cancelled {
		return nil, errors.New("the answer is malformed")
	}
	if p.Cancelled {
		return nil, errors.New("the user did not answer")
	}
	answers := make([]inputAnswer, len(p.Answers))
	for i, entry := range p.Answers {
		if err := answers[i].read(entry); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// read takes the members of one answer, which has to have these and no others.
func (a *inputAnswer) read(entry map[string]json.RawMessage) error {
	for name, raw := range entry {
		var err error
		switch name {
		case "values":
			err = json.Unmarshal(raw, &a.Values)
		case "note":
			err = json.Unmarshal(raw, &a.Note)
		default:
			err = errors.New("unknown member")
		}
		if err != nil {
			return fmt.Errorf("the answer is malformed: %s: %w", name, err)
		}
	}
	if a.Values == nil {
		return errors.New("the answer is malformed: values are missing")
	}
	return nil
}

// checkText refuses an answer that is too long or no Unicode. Decoding would replace
// what is wrong silently, and the model would get words that nobody wrote.
func checkText(raw json.RawMessage) error {
	switch {
	case len(raw) > maxAnswerBytes:
		return errors.New("the answer is too long")
	case !utf8.Valid(raw) || unpaired(raw):
		return errors.New("the answer is not valid Unicode")
	}
	return nil
}

// unpaired finds the escape of half a surrogate pair in JSON text.
func unpaired(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		switch surrogate(raw[i:]) {
		case 'l':
			return true
		case 'h':
			if i+6 >= len(raw) || raw[i+5] != '\\' || surrogate(raw[i+6:]) != 'l' {
				return true
			}
			i += 6
		}
	}
	return false
}

// surrogate says which half of a pair the escape is, what stands behind the
// backslash: h for the high one, l for the low one, 0 for none.
func surrogate(escape []byte) byte {
	if len(escape) < 5 || escape[0] != 'u' || escape[1]|0x20 != 'd' {
		return 0
	}
	switch c := escape[2] | 0x20; {
	case strings.IndexByte("89ab", c) >= 0:
		return 'h'
	case strings.IndexByte("cdef", c) >= 0:
		return 'l'
	}
	return 0
}
