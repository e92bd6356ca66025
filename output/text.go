package output

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/acpctl/acpctl/controller/event"
)

// TextOptions are the options of [NewText]; nil is the zero value.
type TextOptions struct {
	Color   bool // on stderr; stdout has none
	Quiet   bool // nothing on stderr but why a run failed
	Verbose bool // also thoughts, and how the output of tools begins
	Width   int  // of the terminal in columns; 0: what is long is cut at 160 characters
}

// text is the form for people.
type text struct {
	stdout, stderr io.Writer
	opts           TextOptions
	colors         palette
	buf            bytes.Buffer // what the event at hand prints on stderr
}

// NewText returns a sink that writes the final message to stdout, alone, and to
// stderr what happens on the way and a summary at the end. Control characters
// are made visible in both. Errors of stderr are ignored: it is no data.
func NewText(stdout, stderr io.Writer, opts *TextOptions) Sink {
	if opts == nil {
		opts = &TextOptions{}
	}
	return &text{stdout: stdout, stderr: stderr, opts: *opts, colors: newPalette(opts.Color)}
}

func (s *text) Write(e *event.Event) error {
	var err error
	s.buf.Reset()
	if r, ok := e.Body.(event.Result); ok {
		err = s.final(r.Text)
		s.summary(&r)
	} else if !s.opts.Quiet {
		s.progress(e)
	}
	if s.buf.Len() > 0 {
		_, _ = s.stderr.Write(s.buf.Bytes())
	}
	return err
}

func (s *text) Close() error { return nil }

// final writes the final message; it ends with a newline.
func (s *text) final(message string) error {
	if message == "" {
		return nil
	}
	_, err := io.WriteString(s.stdout, strings.TrimSuffix(escapeLines(message), "\n")+"\n")
	return err
}

// style puts colour around a text.
type style func(string) string

// palette is the colours by what they say.
type palette struct{ good, bad, warn, faint, strong style }

// newPalette makes colours of its own: those of the package depend on the
// environment.
func newPalette(on bool) palette {
	of := func(attribute color.Attribute) style {
		c := color.New(attribute)
		if on {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return func(said string) string { return c.Sprint(said) }
	}
	return palette{
		good: of(color.FgGreen), bad: of(color.FgRed), warn: of(color.FgYellow),
		faint: of(color.Faint), strong: of(color.Bold),
	}
}

// plain leaves a text as it is.
func plain(said string) string { return said }

// word is one part of a line: text of any origin, in a style.
type word struct {
	style style
	said  string
}

// line appends a line of words, each made safe; empty words are left out.
func (s *text) line(words ...word) {
	sep := ""
	for _, w := range words {
		if w.said != "" {
			s.buf.WriteString(sep + w.style(EscapeControl(w.said)))
			sep = " "
		}
	}
	s.buf.WriteByte('\n')
}

// note is an indented line below another, nothing when empty.
func (s *text) note(st style, said string) {
	if said != "" {
		s.buf.WriteString("    " + st(EscapeControl(said)) + "\n")
	}
}

// block appends the lines of a text as notes; if most is not zero, only so many.
func (s *text) block(said string, most int) {
	for i, l := range strings.Split(strings.Trim(escapeLines(said), "\n"), "\n") {
		if most > 0 && i == most {
			s.note(s.colors.faint, "...")
			return
		}
		s.buf.WriteString("    " + s.colors.faint(s.clip(l)) + "\n")
	}
}

// clip shortens what is not to take more than a line.
func (s *text) clip(said string) string {
	const reserve = 30 // columns for what else is on the line
	most := 160
	if s.opts.Width > 0 {
		most = max(s.opts.Width-reserve, reserve)
	}
	if utf8.RuneCountInString(said) <= most {
		return said
	}
	return string([]rune(said)[:most-3]) + "..."
}
