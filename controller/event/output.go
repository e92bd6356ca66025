package event

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// outputBytes bounds the output that an event shows of a tool call. The whole is
// in the frames, for those who record them.
const outputBytes = 16 << 10

// shownContent is a tool call's content as events show it: diffs without their
// texts, and without items that cannot be read.
//
// ACP: ToolCallContent.
func shownContent(list json.RawMessage) json.RawMessage {
	items, _ := elements(list)
	if len(items) == 0 {
		return nil
	}
	out := append(make([]byte, 0, len(list)), '[')
	for _, item := range items {
		shown := shownItem(item)
		if shown == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, shown...)
	}
	return append(out, ']')
}

// shownItem is one item of the content, nil when it cannot be read. Items of
// unknown types are kept as they are, and references to terminals stand whether or
// not there is such a terminal.
func shownItem(item []byte) []byte {
	switch string(member(item, "type")) {
	case `"content"`:
		c := readContent(member(item, "content"))
		switch {
		case !c.ok:
			return nil
		case c.raw == nil:
			return item
		}
		return rewrite(item, func(key string, v []byte) ([]byte, bool) {
			if key == "content" {
				return c.raw, true
			}
			return v, true
		})
	case `"diff"`:
		if _, ok := readDiff(item); !ok {
			return nil
		}
		return rewrite(item, func(key string, v []byte) ([]byte, bool) {
			return v, key != "oldText" && key != "newText"
		})
	default:
		if len(item) == 0 || item[0] != '{' {
			return nil
		}
		return item
	}
}

// output is the text that a call gave: its text content, else what the raw output
// has of it. It is cut at a character boundary.
func (c *call) output() (out string, wasCut bool) {
	var b strings.Builder
	items, _ := elements(c.content)
	for _, item := range items {
		if string(member(item, "type")) != `"content"` {
			continue
		}
		if block := readContent(member(item, "content")); block.ok && len(block.text) > 0 {
			addLine(&b, string(appendUnquoted(nil, block.text)))
		}
		if b.Len() > outputBytes {
			break
		}
	}
	if b.Len() == 0 {
		addLine(&b, rawText(c.rawOutput))
	}
	if b.Len() <= outputBytes {
		return b.String(), false
	}
	return strings.Clone(cut(b.String(), outputBytes)), true
}

// rawText is the text of a raw output: the output itself, or the member under
// which agents send it that send no content.
func rawText(raw json.RawMessage) string {
	if s, ok := text(raw); ok {
		return s
	}
	for _, key := range []string{"formatted_output", "output", "stdout"} {
		if s, ok := text(member(raw, key)); ok && s != "" {
			return s
		}
	}
	return ""
}

// addLine appends a text that begins on a line of its own.
func addLine(b *strings.Builder, s string) {
	if so := b.String(); so != "" && s != "" && !strings.HasSuffix(so, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(s)
}

// cut returns at most n bytes of s, whole characters only.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
