package event

import (
	"bytes"
	"encoding/binary"
)

// maxDepth bounds the nesting that is read, as encoding/json does.
const maxDepth = 10000

// objects iterates over the members of one JSON object without building
// anything. It checks the grammar of what it passes, so that a document that
// was walked to its end is valid JSON.
//
//	it := members(doc)
//	for it.next() { use(it.key, it.value) }
//	if !it.ok { ... } // not an object, or broken
type objects struct {
	key   []byte // of the current member: the bytes between the quotes, escapes untouched
	value []byte // of the current member
	ok    bool   // after the loop: the whole document was one valid object

	doc []byte
	i   int // behind the last member, or -1 at the end
}

// members starts an iteration over doc.
func members(doc []byte) objects {
	i := skipSpace(doc, 0)
	if i >= len(doc) || doc[i] != '{' {
		return objects{i: -1}
	}
	return objects{doc: doc, i: i}
}

// next steps to the next member.
func (o *objects) next() bool {
	if o.i < 0 {
		return false
	}
	opening := o.doc[o.i] == '{'
	i := skipSpace(o.doc, o.i+1)
	if opening && i < len(o.doc) && o.doc[i] == '}' {
		return o.end(i)
	}
	start := i
	i = skipString(o.doc, i)
	if i < 0 {
		return o.fail()
	}
	o.key = o.doc[start+1 : i-1]
	i = skipSpace(o.doc, i)
	if i >= len(o.doc) || o.doc[i] != ':' {
		return o.fail()
	}
	start = skipSpace(o.doc, i+1)
	i = skipValue(o.doc, start, 1)
	if i < 0 {
		return o.fail()
	}
	o.value = o.doc[start:i]
	return o.separator(skipSpace(o.doc, i))
}

// separator stands behind a member: a comma goes on with the iteration, the
// closing brace ends it after this member.
func (o *objects) separator(i int) bool {
	switch {
	case i >= len(o.doc):
		return o.fail()
	case o.doc[i] == ',':
		o.i = i
		return true
	case o.doc[i] == '}':
		o.end(i)
		return o.ok
	default:
		return o.fail()
	}
}

func (o *objects) end(i int) bool {
	o.ok = skipSpace(o.doc, i+1) == len(o.doc)
	o.i = -1
	return false
}

func (o *objects) fail() bool {
	o.ok, o.i = false, -1
	return false
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the index behind the value at i, or -1 when there is none.
func skipValue(b []byte, i, depth int) int {
	if i >= len(b) || depth > maxDepth {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return skipString(b, i)
	case c == '{':
		return skipObject(b, i, depth)
	case c == '[':
		return skipArray(b, i, depth)
	case c == '-' || '0' <= c && c <= '9':
		return skipNumber(b, i)
	case c == 't':
		return skipWord(b, i, "true")
	case c == 'f':
		return skipWord(b, i, "false")
	case c == 'n':
		return skipWord(b, i, "null")
	default:
		return -1
	}
}

func skipObject(b []byte, i, depth int) int {
	if i = skipSpace(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i = skipString(b, i); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = skipValue(b, skipSpace(b, i+1), depth+1); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		switch {
		case i >= len(b):
			return -1
		case b[i] == '}':
			return i + 1
		case b[i] != ',':
			return -1
		}
		i = skipSpace(b, i+1)
	}
}

func skipArray(b []byte, i, depth int) int {
	if i = skipSpace(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = skipValue(b, i, depth+1); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		switch {
		case i >= len(b):
			return -1
		case b[i] == ']':
			return i + 1
		case b[i] != ',':
			return -1
		}
		i = skipSpace(b, i+1)
	}
}

func skipWord(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func skipNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	start := i
	if i = skipDigits(b, i); i == start || b[start] == '0' && i > start+1 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		start = i + 1
		if i = skipDigits(b, start); i == start {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		start = i
		if i = skipDigits(b, start); i == start {
			return -1
		}
	}
	return i
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

// skipString returns the index behind the string whose opening quote is at i.
func skipString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	quote := i
	for i++; ; i++ {
		if quote < i {
			next := bytes.IndexByte(b[i:], '"')
			if next < 0 {
				return -1
			}
			quote = i + next
		}
		if i = skipText(b[:quote], i); i == quote {
			return quote + 1
		}
		if b[i] != '\\' {
			return -1
		}
		if i = skipEscape(b, i+1); i < 0 {
			return -1
		}
	}
}

// skipText returns the index of the first byte from i on that a string cannot
// have as it is: a backslash or a control character, or the length of b.
func skipText(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		slashes := w ^ (ones * '\\')
		if ((w-ones*' ')&^w|(slashes-ones)&^slashes)&highs != 0 {
			break
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '\\' {
		i++
	}
	return i
}

// skipEscape returns the index of the last byte of the escape whose letter is
// at i.
func skipEscape(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i
	case 'u':
		if hex4(b, i+1) >= 0 {
			return i + 4
		}
	}
	return -1
}

// elements returns the elements of a JSON array; ok is false for anything else.
func elements(doc []byte) (list [][]byte, ok bool) {
	i := skipSpace(doc, 0)
	if i >= len(doc) || doc[i] != '[' {
		return nil, false
	}
	if i = skipSpace(doc, i+1); i < len(doc) && doc[i] == ']' {
		return nil, skipSpace(doc, i+1) == len(doc)
	}
	for {
		start := i
		if i = skipValue(doc, i, 1); i < 0 {
			return nil, false
		}
		list = append(list, doc[start:i])
		if i = skipSpace(doc, i); i >= len(doc) {
			return nil, false
		}
		switch doc[i] {
		case ',':
			i = skipSpace(doc, i+1)
		case ']':
			return list, skipSpace(doc, i+1) == len(doc)
		default:
			return nil, false
		}
	}
}
