package recipes

import (
	"errors"
	"strings"
)

// read takes the structured output out of a final message: one JSON value, or
// one fenced block that holds one. Faults say what is wrong, nil for nothing.
func (o *outputSchema) read(message string) (value any, faults []string) {
	value, err := outputValue(message)
	if err != nil {
		return nil, []string{err.Error()}
	}
	if err := validate(o.compiled, value); err != nil {
		return nil, reasons(err)
	}
	return value, nil
}

func outputValue(message string) (any, error) {
	message = strings.TrimSpace(message)
	if message == "" {
		return nil, errors.New("the answer is empty")
	}
	if v, err := decodeJSON([]byte(message)); err == nil {
		return v, nil
	}
	block, err := onlyBlock(message)
	if err != nil {
		return nil, err
	}
	v, err := decodeJSON([]byte(block))
	if err != nil {
		return nil, errors.New("the fenced block is not one JSON value: " + err.Error())
	}
	return v, nil
}

// onlyBlock returns the text of the one fenced block of a message.
func onlyBlock(message string) (string, error) {
	var blocks []string
	var open []string
	inside := false
	for line := range strings.Lines(message) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			if inside {
				blocks = append(blocks, strings.Join(open, ""))
				open = nil
			}
			inside = !inside
		case inside:
			open = append(open, line)
		}
	}
	switch len(blocks) {
	case 1:
		return blocks[0], nil
	case 0:
		return "", errors.New("the answer is not one JSON value")
	default:
		return "", errors.New("the answer has more than one fenced block")
	}
}

func joined(faults []string) string { return strings.Join(faults, "\n") }
