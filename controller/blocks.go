package controller

import (
	"cmp"
	"encoding/json"
	"unicode/utf8"

	"github.com/acpctl/acpctl/controller/event"
)

// checkBlocks refuses content that the agent did not announce, before anything
// is sent. Text and resource links need no announcement.
//
// ACP: promptCapabilities.
func (c *Conn) checkBlocks(blocks []json.RawMessage) *event.Failure {
	if len(blocks) == 0 {
		return failf(event.ClassUsage, "empty_prompt", "the prompt has no content")
	}
	caps := &c.info.Capabilities
	for _, b := range blocks {
		switch kind := jsonString(members(b)["type"]); {
		case kind == "":
			return failf(event.ClassUsage, "invalid_prompt", "a content block has no type: %s", preview(b))
		case kind == "image" && !caps.Image:
			return unsupported("images", "promptCapabilities.image")
		case kind == "audio" && !caps.Audio:
			return unsupported("audio", "promptCapabilities.audio")
		case kind == "resource" && !caps.EmbeddedContext:
			return unsupported("embedded resources", "promptCapabilities.embeddedContext")
		}
	}
	return nil
}

// wholeBlock is up to which size a block stands in turn.start as it is.
const wholeBlock = 4096

// summarize shortens big blocks for turn.start: text is cut, data is left out,
// and bytes says how big the block was.
func summarize(blocks []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, len(blocks))
	for i, b := range blocks {
		out[i] = b
		if len(b) > wholeBlock {
			out[i] = summary(b)
		}
	}
	return out
}

func summary(block json.RawMessage) json.RawMessage {
	m := members(block)
	short := map[string]any{"type": jsonString(m["type"]), "bytes": len(block)}
	if text := jsonString(m["text"]); text != "" {
		short["text"] = firstBytes(text, wholeBlock) + "..."
	}
	resource := members(m["resource"])
	for _, name := range []string{"mimeType", "uri", "name"} {
		if v := cmp.Or(jsonString(m[name]), jsonString(resource[name])); v != "" {
			short[name] = v
		}
	}
	raw, err := json.Marshal(short)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return raw
}

// firstBytes cuts text to at most n bytes at a character boundary.
func firstBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// firstRunes is the first n characters of bytes that may be anything.
func firstRunes(b []byte, n int) string {
	runes := []rune(string(b))
	if len(runes) > n {
		runes = runes[:n]
	}
	return string(runes)
}
