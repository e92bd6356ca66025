package agentcore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/acpctl/acpctl/agentcore/tool"
)

// What a batch of questions may hold: sizes in characters, but for the whole.
const (
	maxQuestions   = 10
	maxOptions     = 20
	maxQuestion    = 2000
	maxHeader      = 80
	maxLabel       = 200
	maxDescription = 1000
	// maxBatchBytes leaves room for the ids that go with the questions: the whole
	// params may have 64 KiB.
	maxBatchBytes = 63 << 10
)

// batch is what the model asks in one call.
type batch struct {
	Questions []question `json:"questions"`
}

type question struct {
	Question    string        `json:"question"`
	Header      string        `json:"header"`
	MultiSelect bool          `json:"multiSelect"`
	Options     []inputOption `json:"options"` // none: free text
}

type inputOption struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// readBatch reads the arguments of a call. Its errors are for the model, which can
// correct them.
func readBatch(args json.RawMessage) (*batch, error) {
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	b := new(batch)
	if err := d.Decode(b); err != nil {
		return nil, fmt.Errorf("the arguments of ask_user do not fit its schema: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the arguments of ask_user are more than one JSON value")
	}
	if n := len(b.Questions); n < 1 || n > maxQuestions {
		return nil, fmt.Errorf("ask_user takes 1 to %d questions, not %d", maxQuestions, n)
	}
	for i := range b.Questions {
		q := &b.Questions[i]
		if q.Options == nil {
			q.Options = []inputOption{}
		}
		if err := q.valid(); err != nil {
			return nil, fmt.Errorf("question %d: %w", i+1, err)
		}
	}
	if raw, err := json.Marshal(b); err != nil || len(raw) > maxBatchBytes {
		return nil, fmt.Errorf("the questions have more than %d bytes", maxBatchBytes)
	}
	return b, nil
}

func (q *question) valid() error {
	switch {
	case strings.TrimSpace(q.Question) == "":
		return errors.New("the question is blank")
	case utf8.RuneCountInString(q.Question) > maxQuestion:
		return fmt.Errorf("the question has more than %d characters", maxQuestion)
	case utf8.RuneCountInString(q.Header) > maxHeader:
		return fmt.Errorf("the header has more than %d characters", maxHeader)
	case len(q.Options) > maxOptions:
		return fmt.Errorf("there are more than %d options", maxOptions)
	}
	for i, o := range q.Options {
		switch {
		case strings.TrimSpace(o.Label) == "":
			return errors.New("a label is blank")
		case utf8.RuneCountInString(o.Label) > maxLabel:
			return fmt.Errorf("a label has more than %d characters", maxLabel)
		case utf8.RuneCountInString(o.Description) > maxDescription:
			return fmt.Errorf("a description has more than %d characters", maxDescription)
		case slices.ContainsFunc(q.Options[:i], func(p inputOption) bool { return p.Label == o.Label }):
			return fmt.Errorf("the label %q appears twice", o.Label)
		}
	}
	return nil
}

func (q *question) offers(label string) bool {
	return slices.ContainsFunc(q.Options, func(o inputOption) bool { return o.Label == label })
}

// result is what the model is told.
func (b *batch) result(answers []inputAnswer) tool.Result {
	type told struct {
		Question   string   `json:"question"`
		Values     []string `json:"values"`
		Note       string   `json:"note,omitempty"`
		Unanswered bool     `json:"unanswered,omitempty"`
	}
	list := make([]told, len(answers))
	for i, a := range answers {
		list[i] = told{b.Questions[i].Question, a.Values, a.Note, len(a.Values) == 0}
	}
	raw, err := json.Marshal(map[string]any{"answers": list})
	if err != nil {
		return tool.Errorf("%v", err)
	}
	return tool.Result{Text: string(raw)}
}
