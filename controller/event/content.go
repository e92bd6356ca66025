package event

import (
	"bytes"
	"encoding/json"
)

// content is a content block as far as it matters: its text, or its JSON.
type content struct {
	text []byte          // of a text block, escapes untouched
	raw  json.RawMessage // of any other, an own copy
	ok   bool            // readable: required fields are there
}

// blockFields are the members of a content block that decide what becomes of it.
// All are values as on the wire.
type blockFields struct {
	kind, text, data, mime, uri, name, resource []byte
}

// readContent reads a content block. Malformed hints (annotations, titles, and
// the like) are dropped alone; a block without a field that ACP requires is not
// ok. Blocks of unknown types are kept as they are.
//
// ACP: ContentBlock.
func readContent(value []byte) content {
	var f blockFields
	it := members(value)
	for it.next() {
		switch string(it.key) {
		case "type":
			f.kind = it.value
		case "text":
			f.text = it.value
		case "data":
			f.data = it.value
		case "mimeType":
			f.mime = it.value
		case "uri":
			f.uri = it.value
		case "name":
			f.name = it.value
		case "resource":
			f.resource = it.value
		}
	}
	if !it.ok || !isString(f.kind) {
		return content{}
	}
	if string(f.kind) == `"text"` {
		if !isString(f.text) {
			return content{}
		}
		return content{text: f.text[1 : len(f.text)-1], ok: true}
	}
	return f.other(value)
}

// other is readContent for blocks that are no text.
func (f *blockFields) other(value []byte) content {
	switch string(f.kind) {
	case `"image"`, `"audio"`:
		if !isString(f.data) || !isString(f.mime) {
			return content{}
		}
		return content{raw: withoutBadHints(value), ok: true}
	case `"resource_link"`:
		if !isString(f.uri) || !isString(f.name) {
			return content{}
		}
		return content{raw: withoutBadHints(value), ok: true}
	case `"resource"`:
		return embedded(value, f.resource)
	default:
		return content{raw: bytes.Clone(value), ok: true}
	}
}

// embedded is readContent for an embedded resource: its text if that is valid,
// else its blob.
func embedded(value, resource []byte) content {
	var text, blob, uri []byte
	it := members(resource)
	for it.next() {
		switch string(it.key) {
		case "text":
			text = it.value
		case "blob":
			blob = it.value
		case "uri":
			uri = it.value
		}
	}
	if !it.ok || !isString(uri) {
		return content{}
	}
	drop := "blob"
	switch {
	case isString(text):
	case isString(blob):
		drop = "text"
	default:
		return content{}
	}
	inner := rewrite(resource, func(key string, v []byte) ([]byte, bool) { return v, key != drop && !badHint(key, v) })
	return content{ok: true, raw: rewrite(value, func(key string, v []byte) ([]byte, bool) {
		if key == "resource" {
			return inner, true
		}
		return v, !badHint(key, v)
	})}
}

// withoutBadHints copies a content block without its malformed optional members.
func withoutBadHints(value []byte) json.RawMessage {
	clean := true
	for it := members(value); it.next(); {
		clean = clean && !badHint(string(it.key), it.value)
	}
	if clean {
		return bytes.Clone(value)
	}
	return rewrite(value, func(key string, v []byte) ([]byte, bool) { return v, !badHint(key, v) })
}

// badHint says whether a member is a hint of the wrong type. A null hint is an
// absent one, as agents write it.
func badHint(key string, value []byte) bool {
	if isNull(value) {
		return false
	}
	switch key {
	case "annotations", "_meta":
		return value[0] != '{'
	case "uri", "title", "description", "mimeType":
		return value[0] != '"'
	case "size":
		return value[0] == '"' || value[0] == '{' || value[0] == '['
	default:
		return false
	}
}

// rewrite copies an object member by member; edit returns the value to write and
// whether to keep the member. Keys stay as they are spelled.
func rewrite(object []byte, edit func(key string, value []byte) ([]byte, bool)) json.RawMessage {
	out := make([]byte, 0, len(object))
	out = append(out, '{')
	for it := members(object); it.next(); {
		value, keep := edit(string(it.key), it.value)
		if !keep {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), it.key...), '"', ':')
		out = append(out, value...)
	}
	return append(out, '}')
}

func isString(value []byte) bool { return len(value) > 0 && value[0] == '"' }

func isNull(value []byte) bool { return string(value) == "null" }
