package recipes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/recipes/expr"
)

// structured prompts until the final message is one JSON value that matches the
// schema. The first prompt is what the recipe says, to the byte; the further ones
// tell the agent what is wrong and what is asked for.
func (r *run) structured(ctx context.Context, p *prompting, text string) error {
	s := p.step
	var mismatch *event.Failure
	for attempt := 1; ; attempt++ {
		t, err := r.turn(ctx, p, text)
		if err != nil {
			return afterMismatch(mismatch, err)
		}
		r.result.OutputAttempts, p.outcome.members["outputAttempts"] = attempt, attempt
		raw, faults := s.schema.read(t.Text)
		if faults == nil {
			value, _ := decodeJSON(raw) // it was decoded to be checked
			p.outcome.end.Output, p.outcome.members["output"], r.result.Output = raw, value, raw
			r.result.Candidates = nil
			return nil
		}
		if attempt == 1 {
			r.result.Candidates = nil // of an earlier step
		}
		r.result.Candidates = append(r.result.Candidates, t.Text)
		mismatch = &event.Failure{
			Class: event.ClassSchema, Reason: "schema",
			Message: fmt.Sprintf("step %s: the final message does not match the schema: %s", s.id, strings.Join(faults, "; ")),
		}
		if attempt > s.output.retries {
			return mismatch
		}
		r.emit(s.id, event.Retry{Reason: "schema", Attempt: attempt + 1})
		text = again(faults, s.schema)
	}
}

// afterMismatch is the failure of a turn that was to correct output. Where the
// agent has no answer, it is still the output that is wrong; a limit or a signal
// is what it is.
func afterMismatch(mismatch *event.Failure, err error) error {
	f := event.AsFailure(err)
	if mismatch == nil || f.Class != event.ClassAgent {
		return err
	}
	mismatch.Message += "; asked again, the agent failed: " + f.Message
	mismatch.Err = err
	return mismatch
}

// again is the prompt that asks for corrected output.
func again(faults []string, schema *outputSchema) string {
	var b strings.Builder
	b.WriteString("Your last message does not match the JSON Schema that is asked for:\n")
	for _, f := range faults {
		b.WriteString("- " + f + "\n")
	}
	b.WriteString("Reply with one JSON value that matches it, and nothing else. The schema is:\n")
	b.Write(schema.source)
	return b.String()
}

// read takes the output out of a final message. Faults say what is wrong with it;
// nil is nothing. The value is compact and keeps the spelling of numbers.
func (o *outputSchema) read(message string) (raw json.RawMessage, faults []string) {
	text, err := outputText(message)
	if err != nil {
		return nil, []string{err.Error()}
	}
	value, err := decodeJSON([]byte(text))
	if err != nil {
		return nil, []string{err.Error()}
	}
	if err := validate(o.compiled, value); err != nil {
		return nil, reasons(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		return expr.JSON(value), nil
	}
	return compact.Bytes(), nil
}

// outputText finds the JSON of a message: the message itself, or its one fenced
// block. With two blocks it would be a guess which one is meant.
func outputText(message string) (string, error) {
	message = strings.TrimSpace(message)
	if message == "" {
		return "", errors.New("the message is empty")
	}
	if json.Valid([]byte(message)) {
		return message, nil
	}
	switch blocks := fenced(message); len(blocks) {
	case 0:
		return "", errors.New("the message is not one JSON value and has no fenced block")
	case 1:
		if !json.Valid([]byte(blocks[0])) {
			return "", errors.New("the fenced block is not one JSON value")
		}
		return blocks[0], nil
	default:
		return "", fmt.Errorf("the message has %d fenced blocks; one is asked for", len(blocks))
	}
}

// fenced are the texts of the closed fenced blocks of a message. A fence is closed
// by one of the same sign that is as long.
func fenced(message string) []string {
	var blocks []string
	var block strings.Builder
	fence := ""
	for line := range strings.Lines(message) {
		mark := strings.TrimSpace(line)
		switch {
		case fence == "" && (strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~")):
			fence = mark[:len(mark)-len(strings.TrimLeft(mark, mark[:1]))]
			block.Reset()
		case fence != "" && strings.HasPrefix(mark, fence) && strings.Trim(mark, fence[:1]) == "":
			blocks = append(blocks, block.String())
			fence = ""
		case fence != "":
			block.WriteString(line)
		}
	}
	return blocks
}
