package tool_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEditFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, content, old, new string
		all                     bool
		want                    string
	}{
		{name: "inside a line", content: "a b c\n", old: "b", new: "B", want: "a B c\n"},
		{name: "delete", content: "a\nb\nc\n", old: "b\n", new: "", want: "a\nc\n"},
		{name: "insert behind", content: "a\nb\n", old: "a\n", new: "a\nx\n", want: "a\nx\nb\n"},
		{name: "all", content: "x x\nx\n", old: "x", new: "yy", all: true, want: "yy yy\nyy\n"},
		{name: "all, overlapping", content: "aaaa\n", old: "aa", new: "b", all: true, want: "bb\n"},
		{name: "whole file", content: "a", old: "a", new: "b\nc", want: "b\nc"},
		{name: "text with a lone CR", content: "a\rb\n", old: "a\rb", new: "c", want: "c\n"},

		{name: "CRLF found by LF", content: "a\r\nb\r\nc\r\n", old: "a\nb", new: "A\nB", want: "A\r\nB\r\nc\r\n"},
		{name: "LF found by CRLF", content: "a\nb\n", old: "a\r\nb", new: "A\r\nB", want: "A\nB\n"},
		{name: "BOM stays", content: "\ufeffa\r\nb\r\n", old: "a\nb\n", new: "A\nB\nC\n", want: "\ufeffA\r\nB\r\nC\r\n"},
		{name: "one LF line stays LF", content: "a\r\nb\nc\r\n", old: "b\nc", new: "B\nC", want: "a\r\nB\nC\r\n"},
		{name: "repeated lines stay", content: "a\r\nb\nc\r\nd\n", old: "a\nb\nc\nd\n", new: "a\nB\nc\nd\n", want: "a\r\nB\nc\r\nd\n"},
		{name: "more lines take the last end", content: "a\nb\r\nc\r\n", old: "b\n", new: "b\nx\ny\n", want: "a\nb\r\nx\r\ny\r\nc\r\n"},
		{name: "new lines take the end before", content: "a\r\nb", old: "b", new: "b\nc", want: "a\r\nb\r\nc"},
		{name: "new lines take the end behind", content: "a\r\n", old: "a", new: "x\ny", want: "x\r\ny\r\n"},
		{name: "fewer lines", content: "a\r\nb\r\nc\r\n", old: "a\nb\nc\n", new: "x\n", want: "x\r\n"},
		{name: "line end alone", content: "a\r\n\r\nb", old: "a\n\n", new: "a\n", want: "a\r\nb"},
		{name: "all in mixed ends", content: "x\r\nx\nx", old: "x\n", new: "y\n", all: true, want: "y\r\ny\nx"},
		{name: "bytes that are no text stay", content: "\xff\r\na\n\xfe", old: "a", new: "b", want: "\xff\r\nb\n\xfe"},
	}
	for _, tt := range tests {
		t.Run("F21c "+tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, map[string]string{"f": tt.content})
			f.mustRun("edit_file", obj{"path": "f", "oldText": tt.old, "newText": tt.new, "replaceAll": tt.all})
			if got := f.content("f"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEditFileRefusals(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"f": "x\nx\n", "big": strings.Repeat("x", 8<<20+1)})
	f.mustFail("edit_file", obj{"path": "f", "oldText": "x", "newText": "y"}, "2 times")
	f.mustFail("edit_file", obj{"path": "f", "oldText": "z", "newText": "y"}, "not in the file")
	f.mustFail("edit_file", obj{"path": "none", "oldText": "z", "newText": "y"}, "use write_file")
	f.mustFail("edit_file", obj{"path": "big", "oldText": "x", "newText": "y"}, "larger than 8 MiB")
	if f.content("f") != "x\nx\n" {
		t.Error("a refused edit changed the file")
	}
}

// What is not in a file is told only to who may run the call.
func TestPlanOfAnEditSaysNothingAboutTheContent(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{".env": "KEY=secret\n"})
	p, err := f.tryPlan("edit_file", obj{"path": ".env", "oldText": "KEY=guess", "newText": "x"})
	if err != nil || p.Diffs != nil {
		t.Errorf("got diffs %v, error %v", p.Diffs, err)
	}
}

func TestAC62_EditFileCarriesADiff(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"f": "a\r\nb\r\n"})
	p := f.plan("edit_file", obj{"path": "f", "oldText": "b", "newText": "B"})
	r := p.Run(context.Background(), nil)
	for _, diffs := range [][]string{
		{p.Diffs[0].Path, *p.Diffs[0].OldText, p.Diffs[0].NewText},
		{r.Diffs[0].Path, *r.Diffs[0].OldText, r.Diffs[0].NewText},
	} {
		if got, want := fmt.Sprintf("%q", diffs), fmt.Sprintf("%q", []string{filepath.Join(f.root, "f"), "a\r\nb\r\n", "a\r\nB\r\n"}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func FuzzEditLeavesTheRestAlone(f *testing.F) {
	f.Add("a\r\nb\nc\r\n", "b\n", "x\ny\n", "z")
	f.Add("\ufeffa\r\n", "a", "", "")
	f.Add("\r\r\n\n", "\n", "\r\n", "\r")
	f.Fuzz(func(t *testing.T, before, old, replacement, behind string) {
		all := before + old + replacement + behind
		if !utf8.ValidString(old) || !utf8.ValidString(replacement) || strings.ContainsAny(all, "\x00\r") || old == "" || old == replacement {
			t.Skip("not a call that can be made")
		}
		w := newFolder(t, map[string]string{"f": before + old + behind})
		r := w.run("edit_file", obj{"path": "f", "oldText": old, "newText": replacement})
		if r.IsError {
			t.Skip(r.Text) // not unique
		}
		want := strings.Replace(before+old+behind, old, replacement, 1)
		if got := w.content("f"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
