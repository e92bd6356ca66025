package event

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// longText is the length in bytes from which a text is written in parts: the
// line of a message of many megabytes is never in memory as a whole.
const longText = 256 << 10

// partText is how much of a long text is encoded at a time.
const partText = 128 << 10

// hole stands for the long text in the line around it.
const hole = "\x00"

// holed is how the member with the hole stands in the line. It cannot come up
// earlier: quotes inside of strings are escaped.
var holed = []byte(`"text":"\u0000"`)

// WriteJSON writes the event as one line of JSON with its newline, what
// [Event.AppendJSON] makes, to w. A line with a long text is written in several
// parts, any other with one call of Write. It uses scratch and returns it for
// the next call. Errors are those of AppendJSON, with nothing written, and of w.
func (e *Event) WriteJSON(w io.Writer, scratch []byte) ([]byte, error) {
	body, text := withHole(e.Body)
	if text == "" {
		return writeWhole(w, e, scratch)
	}
	around := *e
	around.Body = body
	line, err := around.AppendJSON(scratch[:0])
	if err != nil {
		return line, err
	}
	at := bytes.Index(line, holed)
	if at < 0 {
		return writeWhole(w, e, line)
	}
	at += len(`"text":"`)
	tail := append(bytes.Clone(line[at+len(`\u0000`):]), '\n')
	line = line[:at]
	for text != "" {
		n := partOf(text)
		line = appendInner(line, text[:n])
		text = text[n:]
		if _, err := w.Write(line); err != nil {
			return line[:0], err
		}
		line = line[:0]
	}
	_, err = w.Write(tail)
	return line, err
}

func writeWhole(w io.Writer, e *Event, scratch []byte) ([]byte, error) {
	line, err := e.AppendJSON(scratch[:0])
	if err != nil {
		return line, err
	}
	line = append(line, '\n')
	_, err = w.Write(line)
	return line, err
}

// withHole returns the body with the hole in place of a long text, and the text,
// which is empty when there is no long one.
func withHole(b Body) (Body, string) {
	switch b := b.(type) {
	case Message:
		text := swap(&b.Text)
		return b, text
	case Thought:
		text := swap(&b.Text)
		return b, text
	case TurnEnd:
		text := swap(&b.Text)
		return b, text
	case StepEnd:
		text := swap(&b.Text)
		return b, text
	case Result:
		text := swap(&b.Text)
		return b, text
	default:
		return b, ""
	}
}

// swap puts the hole in the place of a long text and returns it.
func swap(field *string) string {
	if len(*field) < longText {
		return ""
	}
	text := *field
	*field = hole
	return text
}

// partOf is the length of the next part of text, which ends between characters.
func partOf(text string) int {
	if len(text) <= partText {
		return len(text)
	}
	n := partText
	for n > partText-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}
