package tool

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

type editArgs struct {
	Path       string `json:"path"`
	OldText    string `json:"oldText"`
	NewText    string `json:"newText"`
	ReplaceAll bool   `json:"replaceAll"`
}

func editFile() Tool {
	return define(Spec{
		Name: "edit_file", Kind: KindEdit,
		Description: "Replace oldText by newText in a text file. oldText must be in the file exactly as read_file shows it, indentation included, and only once; " +
			"give more lines around it, or set replaceAll. Line ends and byte order mark of the file are kept.",
	}, `"path":{"type":"string","minLength":1,"description":"file to change"},
		"oldText":{"type":"string","minLength":1,"description":"text to replace"},
		"newText":{"type":"string","description":"text to put there"},
		"replaceAll":{"type":"boolean","description":"replace every occurrence"}`,
		[]string{"path", "oldText", "newText"}, planEdit)
}

func planEdit(ws *Workspace, a editArgs) (*Plan, error) {
	if unix(a.OldText) == unix(a.NewText) {
		return nil, errors.New("oldText and newText are the same")
	}
	p, err := ws.locate(a.Path)
	if err != nil {
		return nil, err
	}
	return planChange(p, a.Path, func(old []byte) ([]byte, error) {
		if old == nil {
			return nil, errors.New("no such file; use write_file to make one")
		}
		return a.apply(string(old))
	}), nil
}

// apply does the edit. Texts compare with LF line ends; what is put back has the
// line ends of the file at that spot, and all bytes outside the changed lines
// stay as they are.
func (a editArgs) apply(content string) ([]byte, error) {
	view := newLFView(content)
	old, replacement := unix(a.OldText), unix(a.NewText)
	found := strings.Count(view.text, old)
	switch {
	case found == 0:
		return nil, errors.New("oldText is not in the file; read the file and copy the text exactly")
	case found > 1 && !a.ReplaceAll:
		return nil, fmt.Errorf("oldText is in the file %d times; add lines around it until it is unique, or set replaceAll", found)
	}
	var out strings.Builder
	done := 0 // bytes of content that are written or replaced
	for pos := 0; ; {
		i := strings.Index(view.text[pos:], old)
		if i < 0 {
			break
		}
		start := pos + i
		pos = start + len(old)
		skip, keep := common(old, replacement)
		from, to := view.offset(start+skip), view.offset(pos-keep)
		out.WriteString(content[done:from])
		out.WriteString(withEnds(replacement[skip:len(replacement)-keep], content, from, to))
		done = to
	}
	out.WriteString(content[done:])
	return []byte(out.String()), nil
}

// common returns how many bytes of whole lines two texts share at their start and
// at their end, without overlap. Lines that an edit repeats only to be found are
// thereby left alone.
func common(a, b string) (head, tail int) {
	for {
		i := strings.IndexByte(a[head:], '\n') + 1
		if i == 0 || !strings.HasPrefix(b[head:], a[head:head+i]) {
			break
		}
		head += i
	}
	a, b = a[head:], b[head:]
	for {
		i := strings.LastIndexByte(a[:len(a)-tail], '\n')
		if i < 0 {
			return head, tail
		}
		grown := len(a) - i
		if grown > len(b) || b[len(b)-grown:] != a[i:] {
			return head, tail
		}
		tail = grown
	}
}

// withEnds gives text the line ends of content[from:to], which it replaces, in
// order; further lines end like the last one there or, when there is none, like
// the line before, or else the line behind.
func withEnds(text, content string, from, to int) string {
	ends := lineEnds(content[from:to])
	if len(ends) == 0 {
		ends = append(ends, neighbourEnd(content, from, to))
	}
	var b strings.Builder
	for i := 0; ; i++ {
		line, rest, found := strings.Cut(text, "\n")
		b.WriteString(line)
		if !found {
			return b.String()
		}
		b.WriteString(ends[min(i, len(ends)-1)])
		text = rest
	}
}

func lineEnds(s string) []string {
	var ends []string
	for i := range len(s) {
		if s[i] == '\n' {
			ends = append(ends, endAt(s, i))
		}
	}
	return ends
}

// endAt is the line end whose LF is at s[i].
func endAt(s string, i int) string {
	if i > 0 && s[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func neighbourEnd(content string, from, to int) string {
	if i := strings.LastIndexByte(content[:from], '\n'); i >= 0 {
		return endAt(content, i)
	}
	if i := strings.IndexByte(content[to:], '\n'); i >= 0 {
		return endAt(content, to+i)
	}
	return "\n"
}

// lfView is a text with LF line ends that knows where each byte was.
type lfView struct {
	text string
	crs  []int // offsets in text of the LFs that had a CR before them
}

func newLFView(content string) *lfView {
	v := &lfView{text: unix(content)}
	if len(v.text) == len(content) {
		return v
	}
	for i := range len(content) {
		if content[i] == '\n' && endAt(content, i) == "\r\n" {
			v.crs = append(v.crs, i-1-len(v.crs))
		}
	}
	return v
}

// offset returns the position in the content of the byte at pos; a CR belongs to
// the LF behind it.
func (v *lfView) offset(pos int) int {
	return pos + sort.SearchInts(v.crs, pos)
}
