package controller

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// Caps of a batch of questions, in characters where text is meant, and of its
// answers, in bytes.
const (
	maxInputBytes       = 64 << 10
	maxQuestions        = 10
	maxQuestionOptions  = 20
	maxQuestionLength   = 2000
	maxHeaderLength     = 80
	maxLabelLength      = 200
	maxDescription      = 1000
	maxAnswerValueBytes = 16 << 10
	maxAnswerNoteBytes  = 4 << 10
	maxAnswerBytes      = 256 << 10
)

// inputBatch is the params of _chrys/request_input.
type inputBatch struct {
	SessionID  string          `json:"sessionId"`
	RequestID  string          `json:"requestId"`
	CallerName string          `json:"callerName"`
	Questions  []inputQuestion `json:"questions"`
	Meta       json.RawMessage `json:"_meta"`
}

type inputQuestion struct {
	Question    string        `json:"question"`
	Header      string        `json:"header"`
	MultiSelect bool          `json:"multiSelect"`
	Options     []inputOption `json:"options"` // none: free text
}

type inputOption struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// requestInput takes a batch of questions in, which is answered as a whole.
func (c *Conn) requestInput(r *jsonrpc.Request) {
	b, err := readBatch(r.Params)
	if err != nil {
		refuse(r, jsonrpc.CodeInvalidParams, r.Method+": "+err.Error())
		return
	}
	c.question(c.own(r), b.SessionID, event.Question{Message: b.CallerName, Fields: b.fields()}, b, nil)
}

// readBatch is strict: a batch that is not understood as a whole is not answered
// in parts.
func readBatch(params json.RawMessage) (*inputBatch, error) {
	if len(params) > maxInputBytes {
		return nil, fmt.Errorf("the params have more than %d bytes", maxInputBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(params))
	dec.DisallowUnknownFields()
	b := new(inputBatch)
	if err := dec.Decode(b); err != nil {
		return nil, err
	}
	if b.SessionID == "" {
		return nil, errors.New("sessionId is missing")
	}
	if n := len(b.Questions); n < 1 || n > maxQuestions {
		return nil, fmt.Errorf("%d questions; there must be 1 to %d", n, maxQuestions)
	}
	for i := range b.Questions {
		if err := b.Questions[i].check(); err != nil {
			return nil, fmt.Errorf("question %d: %w", i+1, err)
		}
	}
	return b, nil
}

func (q *inputQuestion) check() error {
	switch {
	case strings.TrimSpace(q.Question) == "":
		return errors.New("the question is blank")
	case utf8.RuneCountInString(q.Question) > maxQuestionLength:
		return fmt.Errorf("the question has more than %d characters", maxQuestionLength)
	case utf8.RuneCountInString(q.Header) > maxHeaderLength:
		return fmt.Errorf("the header has more than %d characters", maxHeaderLength)
	case len(q.Options) > maxQuestionOptions:
		return fmt.Errorf("there are more than %d options", maxQuestionOptions)
	}
	for i, o := range q.Options {
		switch {
		case strings.TrimSpace(o.Label) == "":
			return errors.New("a label is blank")
		case utf8.RuneCountInString(o.Label) > maxLabelLength:
			return fmt.Errorf("a label has more than %d characters", maxLabelLength)
		case utf8.RuneCountInString(o.Description) > maxDescription:
			return fmt.Errorf("a description has more than %d characters", maxDescription)
		case slices.ContainsFunc(q.Options[:i], func(p inputOption) bool { return p.Label == o.Label }):
			return fmt.Errorf("the label %q appears twice", o.Label)
		}
	}
	return nil
}

// fieldName is the name under which question i, from 0, is answered: the same as
// in the form that the bundled core makes of a batch.
func fieldName(i int) string { return "q" + strconv.Itoa(i+1) }

// fields is what the question event shows.
func (b *inputBatch) fields() []event.Field {
	out := make([]event.Field, len(b.Questions))
	for i := range b.Questions {
		q := &b.Questions[i]
		out[i] = event.Field{
			Name: fieldName(i), Title: q.Header, Description: q.Question, Type: "string", Multi: q.MultiSelect, Options: q.options(),
		}
		if q.MultiSelect {
			out[i].Type = "array"
		}
	}
	return out
}

func (q *inputQuestion) options() []event.Option {
	var out []event.Option
	for _, o := range q.Options {
		out = append(out, event.Option{Value: o.Label, Description: o.Description})
	}
	return out
}

// inputAnswer is the answer to one question.
type inputAnswer struct {
	Values []string `json:"values"`
	Note   string   `json:"note,omitempty"`
}

// inputResult is the response to _chrys/request_input.
type inputResult struct {
	Answers   []inputAnswer `json:"answers"`
	Cancelled bool          `json:"cancelled"`
}

// refusal implements [form]: there is one way to say no.
func (b *inputBatch) refusal(string) any {
	return inputResult{Answers: []inputAnswer{}, Cancelled: true}
}

// fit implements [form]. One answer that does not fit voids all.
func (b *inputBatch) fit(answer map[string]any) (any, json.RawMessage, error) {
	given, err := plainValues(answer)
	if err != nil {
		return nil, nil, err
	}
	res := inputResult{Answers: make([]inputAnswer, len(b.Questions))}
	answered := false
	for i := range b.Questions {
		a, err := b.Questions[i].answer(fieldName(i), given)
		if err != nil {
			return nil, nil, fmt.Errorf("field %s: %w", fieldName(i), err)
		}
		res.Answers[i] = a
		answered = answered || len(a.Values) > 0
	}
	for name := range given {
		return nil, nil, fmt.Errorf("the questions have no field %q", name)
	}
	raw, err := json.Marshal(res.Answers)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("encoding the answer: %w", err)
	case len(raw) > maxAnswerBytes:
		return nil, nil, fmt.Errorf("the answers have more than %d bytes", maxAnswerBytes)
	case !answered:
		return nil, nil, errors.New("the answer has no value for any question")
	}
	return res, raw, nil
}

// answer takes what is given for one question out of given and checks it.
func (q *inputQuestion) answer(name string, given map[string]any) (inputAnswer, error) {
	a := inputAnswer{Values: []string{}}
	values, err := takeTexts(given, name)
	if err != nil {
		return a, err
	}
	other, err := takeTexts(given, name+otherSuffix)
	if err != nil {
		return a, err
	}
	note, err := takeTexts(given, name+noteSuffix)
	if err != nil {
		return a, err
	}
	if len(values) > 0 && len(other) > 0 {
		return a, errors.New("own words and a choice cannot both be given")
	}
	a.Values = append(a.Values, q.labels(append(values, other...))...)
	a.Note = strings.Join(note, "\n")
	return a, q.checkAnswer(&a)
}

// labels replaces what means an option by its label.
func (q *inputQuestion) labels(values []string) []string {
	for i, v := range values {
		values[i], _ = optionValue(q.options(), v)
	}
	return values
}

func (q *inputQuestion) checkAnswer(a *inputAnswer) error {
	offered := 0
	for i, v := range a.Values {
		switch {
		case strings.TrimSpace(v) == "":
			return errors.New("a value is blank")
		case slices.Contains(a.Values[:i], v):
			return fmt.Errorf("%q is given twice", v)
		case !utf8.ValidString(v) || len(v) > maxAnswerValueBytes:
			return fmt.Errorf("a value is not valid text of at most %d bytes", maxAnswerValueBytes)
		}
		if isOption(q.options(), v) {
			offered++
		}
	}
	switch n := len(a.Values); {
	case n > 1 && !q.MultiSelect:
		return errors.New("only one value may be given")
	case n > 1 && offered < n:
		return errors.New("of several values each must be an offered label")
	case a.Note != "" && (n == 0 || offered < n):
		return errors.New("a note needs a choice of offered labels")
	case !utf8.ValidString(a.Note) || len(a.Note) > maxAnswerNoteBytes:
		return fmt.Errorf("the note is not valid text of at most %d bytes", maxAnswerNoteBytes)
	}
	return nil
}

// takeTexts removes one field and returns its text or texts; empty text is none.
func takeTexts(given map[string]any, name string) ([]string, error) {
	v := given[name]
	delete(given, name)
	list, ok := v.([]any)
	if !ok {
		if v == nil || v == "" {
			return nil, nil
		}
		list = []any{v}
	}
	var out []string
	for _, item := range list {
		s, ok := item.(string)
		if !ok {
			return nil, errors.New("is not text")
		}
		out = append(out, s)
	}
	return out, nil
}
