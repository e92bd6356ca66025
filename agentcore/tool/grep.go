package tool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

const (
	defaultMatches = 200
	maxMatches     = 2000
	maxLine        = 400     // bytes of a line that are shown
	maxScan        = 1 << 20 // bytes of a line that are looked at
)

type grepArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	IgnoreCase bool   `json:"ignoreCase"`
	FilesOnly  bool   `json:"filesOnly"`
	Limit      int    `json:"limit"`
}

func grepFiles() Tool {
	return define(Spec{
		Name: "grep", Kind: KindSearch,
		Description: "Search text files line by line with a regular expression (RE2 syntax, no lookaround). Answers are PATH:LINE:TEXT. " +
			"Binary files, links and version control folders are left out.",
	}, `"pattern":{"type":"string","minLength":1,"description":"regular expression"},
		"path":{"type":"string","minLength":1,"description":"file or folder to search; default: the working directory"},
		"glob":{"type":"string","minLength":1,"description":"only files that match, such as *.go or src/**/*.ts"},
		"ignoreCase":{"type":"boolean"},
		"filesOnly":{"type":"boolean","description":"list the files that match, not the lines"},
		"limit":{"type":"integer","minimum":1,"maximum":2000,"description":"answers at most; default: 200"}`,
		[]string{"pattern"}, planGrep)
}

func planGrep(ws *Workspace, a grepArgs) (*Plan, error) {
	expr := a.Pattern
	if a.IgnoreCase {
		expr = "(?i:" + expr + ")"
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("the pattern is not valid: %w", err)
	}
	if a.Glob != "" {
		if err := checkGlob(a.Glob); err != nil {
			return nil, err
		}
	}
	p, err := ws.locate(orDot(a.Path))
	if err != nil {
		return nil, err
	}
	if a.Limit == 0 {
		a.Limit = defaultMatches
	}
	where := []Location{p.location()}
	return &Plan{Locations: where, Outside: p.outside(), Run: func(ctx context.Context, _ func(Progress)) Result {
		s := &search{grepArgs: a, re: re}
		if err := s.run(ctx, p); err != nil {
			return errorf("searching %s: %v", orDot(a.Path), plain(err))
		}
		return Result{Text: s.result(), Locations: where}
	}}, nil
}

// search is one grep under way.
type search struct {
	grepArgs
	re *regexp.Regexp

	text   strings.Builder
	found  int
	unread int
}

// run searches the place. A folder is held open as a whole and its files are
// opened below it, so a link that appears meanwhile cannot lead out of it.
func (s *search) run(ctx context.Context, p place) error {
	f, err := p.openFile()
	if err == nil {
		defer f.Close()
		return s.scan(ctx, orDot(s.Path), f)
	}
	if !errors.Is(err, errIsDir) {
		return err
	}
	root, name, err := p.open()
	if err != nil {
		return err
	}
	defer root.Close()
	dir, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	unread, err := p.walk(ctx, func(rel string, d fs.DirEntry) error {
		if !d.Type().IsRegular() || s.Glob != "" && !matchGlob(s.Glob, rel, true) {
			return nil
		}
		return s.file(ctx, dir, rel)
	})
	s.unread += unread
	return err
}

// file searches one file below dir; SkipAll ends the search.
func (s *search) file(ctx context.Context, dir *os.Root, rel string) error {
	f, err := dir.OpenFile(rel, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		s.unread++
		return nil
	}
	defer f.Close()
	if err := s.scan(ctx, display(s.Path, rel), f); err != nil {
		return err
	}
	if s.found > s.Limit {
		return fs.SkipAll
	}
	return nil
}

// scan looks at the lines of one file until the limit is passed.
func (s *search) scan(ctx context.Context, name string, f io.Reader) error {
	r := bufio.NewReaderSize(f, maxLineBuffer)
	head, err := r.Peek(sniffLen)
	if err != nil && !errors.Is(err, io.EOF) {
		s.unread++
		return nil
	}
	if isBinary(head) {
		return nil
	}
	if bytes.HasPrefix(head, bom) {
		_, _ = r.Discard(len(bom)) // peeked at, so it is there
	}
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, ok := readLine(r)
		if !ok {
			return nil
		}
		if !s.re.Match(line) {
			continue
		}
		if s.found++; s.found > s.Limit {
			return nil
		}
		if s.FilesOnly {
			s.text.WriteString(name + "\n")
			return nil
		}
		fmt.Fprintf(&s.text, "%s:%d:%s\n", name, n, shorten(line))
	}
}

// maxLineBuffer is large enough that nearly every line is one piece.
const maxLineBuffer = 64 << 10

// readLine returns the next line without its end, at most maxScan bytes of it. It
// is valid until the next call. A file that fails on the way ends there.
func readLine(r *bufio.Reader) (_ []byte, ok bool) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			var part []byte
			part, err = r.ReadSlice('\n')
			line = append(line, part[:min(len(part), maxScan-len(line))]...)
		}
	}
	if len(line) == 0 && err != nil {
		return nil, false
	}
	return bytes.TrimRight(line, "\r\n"), true
}

func shorten(line []byte) string {
	s := string(line)
	if len(s) > maxLine {
		return cut(s, maxLine) + "..."
	}
	return s
}

func (s *search) result() string {
	switch {
	case s.found == 0:
		s.text.WriteString("[nothing found]")
	case s.found > s.Limit:
		fmt.Fprintf(&s.text, "[more than %d matches; narrow the search or raise limit]", s.Limit)
	}
	if s.unread > 0 {
		fmt.Fprintf(&s.text, "\n[%s could not be read]", plural(s.unread, "file"))
	}
	return CapText(s.text.String())
}
