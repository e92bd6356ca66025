package event

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendJSON appends the event as one line of JSON without its newline.
//
// The envelope comes first, then the fields of the body. The line is always valid
// UTF-8: bytes that are not, and halves of surrogate pairs in texts, become
// U+FFFD. Payloads of the agent are compacted and otherwise unchanged, the
// spelling of numbers included; nothing is escaped for HTML. Errors are payloads
// that are no JSON and numbers that JSON does not have; dst is then returned as
// it was.
func (e *Event) AppendJSON(dst []byte) ([]byte, error) {
	line := e.appendEnvelope(dst)
	switch b := e.Body.(type) {
	case MessageDelta:
		if len(b.Content) == 0 {
			return appendChunk(appendRole(line, b.Role), b.MessageID, b.Text, false), nil
		}
	case ThoughtDelta:
		if len(b.Content) == 0 {
			return appendChunk(line, b.MessageID, b.Text, false), nil
		}
	case Message:
		if len(b.Content) == 0 {
			return appendChunk(appendRole(line, b.Role), b.MessageID, b.Text, b.Replay), nil
		}
	case Thought:
		if len(b.Content) == 0 {
			return appendChunk(line, b.MessageID, b.Text, b.Replay), nil
		}
	}
	body, err := encodeBody(complete(e))
	if err != nil {
		return dst, fmt.Errorf("encoding event %s: %w", e.Type(), err)
	}
	if string(body) == "{}" {
		return append(line, '}'), nil
	}
	return append(append(line, ','), body[1:]...), nil
}

// appendEnvelope appends everything up to the body's fields, without the comma
// between. The result's own sessionId takes the place of the envelope's.
func (e *Event) appendEnvelope(dst []byte) []byte {
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendInt(dst, Version, 10)
	dst = append(dst, `,"seq":`...)
	dst = strconv.AppendInt(dst, e.Seq, 10)
	dst = append(dst, `,"time":"`...)
	dst = appendTime(dst, e.Time)
	dst = append(dst, `","type":"`...)
	dst = append(append(dst, e.Type()...), '"')
	dst = appendMember(dst, `,"run":`, e.Run)
	dst = appendMember(dst, `,"step":`, e.Step)
	if e.Item != nil {
		dst = strconv.AppendInt(append(dst, `,"item":`...), int64(*e.Item), 10)
	}
	if e.Index != nil {
		dst = strconv.AppendInt(append(dst, `,"index":`...), int64(*e.Index), 10)
	}
	if _, ok := e.Body.(Result); !ok {
		dst = appendMember(dst, `,"sessionId":`, e.SessionID)
	}
	if e.Turn != 0 {
		dst = strconv.AppendInt(append(dst, `,"turn":`...), int64(e.Turn), 10)
	}
	return dst
}

// appendMember appends a member whose value is a string, nothing when empty.
func appendMember(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return appendString(append(dst, name...), value)
}

// appendTime is the layout 2006-01-02T15:04:05.000Z in UTC, at a fraction of the
// cost of time's formatter: every line has one.
func appendTime(dst []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.AppendFormat(dst, "2006-01-02T15:04:05.000Z")
	}
	hour, minute, second := t.Clock()
	ms := t.Nanosecond() / int(time.Millisecond)
	return append(dst,
		digit(year/1000), digit(year/100), digit(year/10), digit(year), '-',
		digit(int(month)/10), digit(int(month)), '-', digit(day/10), digit(day), 'T',
		digit(hour/10), digit(hour), ':', digit(minute/10), digit(minute), ':',
		digit(second/10), digit(second), '.', digit(ms/100), digit(ms/10), digit(ms), 'Z')
}

func digit(n int) byte { return '0' + byte(n%10) }

// appendChunk is the form that messages, thoughts and their chunks share: nearly
// all lines of a run are of it.
func appendChunk(dst []byte, id, text string, replay bool) []byte {
	dst = appendMember(dst, `,"messageId":`, id)
	dst = appendMember(dst, `,"text":`, text)
	if replay {
		dst = append(dst, `,"replay":true`...)
	}
	return append(dst, '}')
}

func appendRole(dst []byte, role string) []byte {
	return appendString(append(dst, `,"role":`...), role)
}

// complete fills in what must stand on the line though it is empty.
func complete(e *Event) Body {
	switch b := e.Body.(type) {
	case TurnStart:
		b.Prompt = list(b.Prompt)
		return b
	case Result:
		b.SessionID = cmp.Or(b.SessionID, e.SessionID)
		b.Denials, b.Uncovered = list(b.Denials), slices.Clone(list(b.Uncovered))
		for i := range b.Uncovered {
			b.Uncovered[i].Suggest = list(b.Uncovered[i].Suggest)
		}
		return b
	default:
		return e.Body
	}
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// encodeBody returns the body as a JSON object.
func encodeBody(b Body) ([]byte, error) {
	doc, err := encode(b)
	if err == nil && bytes.Contains(doc, []byte(`\ufffd`)) {
		// The encoder spells the replacement of invalid UTF-8 as an escape, which a
		// reader of the line would print as the character: one spelling for both.
		v := reflect.New(reflect.TypeOf(b))
		if err = decode(doc, v.Interface()); err == nil {
			doc, err = encode(v.Interface())
		}
	}
	if err == nil && !utf8.Valid(doc) {
		doc = bytes.ToValidUTF8(doc, []byte("\ufffd"))
	}
	return doc, err
}

func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
