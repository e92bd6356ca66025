package output

import (
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/acpctl/acpctl/controller/event"
)

// mask is what stands in place of a secret.
const mask = "***"

// minSecret is the length in bytes under which a secret is not masked: shorter
// ones are found everywhere.
const minSecret = 6

// minPart is the length from which the part of a secret that a cut left over is
// masked at the cut.
const minPart = 4

// Redactor masks secrets as ***: as they are, and in the forms in which they
// come up in payloads, which are JSON escapes, base64 and URL encoding.
//
// Bytes and Writer are safe for concurrent use, Events is not. Without secrets
// it hands everything on as it is. A nil Redactor has none.
type Redactor struct {
	secrets []string      // as given, those that are long enough
	forms   []string      // all that is looked for
	starts  [256][]string // the forms by their first byte
	longest int           // bytes of the longest form
	held    map[string]*held
	out     []event.Event // of the last call of Events
}

// NewRedactor returns a redactor of the secrets. Those of fewer than six bytes
// are ignored.
func NewRedactor(secrets []string) *Redactor {
	r := &Redactor{held: make(map[string]*held)}
	for _, s := range secrets {
		if len(s) >= minSecret && !slices.Contains(r.secrets, s) {
			r.secrets = append(r.secrets, s)
			r.forms = append(r.forms, forms(s)...)
		}
	}
	slices.Sort(r.forms)
	r.forms = slices.Compact(r.forms)
	for _, form := range r.forms {
		r.starts[form[0]] = append(r.starts[form[0]], form)
		r.longest = max(r.longest, len(form))
	}
	return r
}

func (r *Redactor) idle() bool { return r == nil || len(r.forms) == 0 }

// Bytes returns text with the secrets masked: text itself if there are none.
func (r *Redactor) Bytes(text []byte) []byte {
	if r.idle() {
		return text
	}
	s := string(text)
	if masked := r.text(s); masked != s {
		return []byte(masked)
	}
	return text
}

// span is a part of a text that is to be masked.
type span struct{ from, to int }

// text masks one whole text.
func (r *Redactor) text(s string) string { return replace(s, r.find(s)) }

// find returns where secrets are, in order. Secrets that overlap are one span.
func (r *Redactor) find(s string) []span {
	var list []span
	for i := range len(s) {
		for _, form := range r.starts[s[i]] {
			if strings.HasPrefix(s[i:], form) {
				list = join(list, span{i, i + len(form)})
			}
		}
	}
	return list
}

// join adds a span that begins at or behind the last one's start.
func join(list []span, next span) []span {
	if n := len(list); n > 0 && next.from < list[n-1].to {
		list[n-1].to = max(list[n-1].to, next.to)
		return list
	}
	return append(list, next)
}

func replace(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, sp := range spans {
		b.WriteString(s[at:sp.from])
		b.WriteString(mask)
		at = sp.to
	}
	b.WriteString(s[at:])
	return b.String()
}

// feed masks a text that comes in parts: out is what can be shown of it, rest
// what must wait for the next part, since a secret may begin in it.
func (r *Redactor) feed(s string) (out, rest string) {
	spans := r.find(s)
	end := len(s) - r.openEnd(s, 1)
	n := len(spans)
	for n > 0 && spans[n-1].to > end {
		end = min(end, spans[n-1].from)
		n--
	}
	return replace(s[:end], spans[:n]), s[end:]
}

// openEnd is the length of the longest end of s, of at least least bytes, with
// which a secret begins that is not complete yet.
func (r *Redactor) openEnd(s string, least int) int {
	for i := max(0, len(s)-r.longest+1); i <= len(s)-least; i++ {
		for _, form := range r.starts[s[i]] {
			if len(form) > len(s)-i && strings.HasPrefix(form, s[i:]) {
				return len(s) - i
			}
		}
	}
	return 0
}

// openStart is openEnd for the start of s and the ends of secrets. It is needed
// once per agent.
func (r *Redactor) openStart(s string, least int) int {
	longest := 0
	for _, form := range r.forms {
		for n := min(len(s), len(form)-1); n > longest && n >= least; n-- {
			if s[:n] == form[len(form)-n:] {
				longest = n
			}
		}
	}
	return longest
}

// Writer returns a writer to w that masks what is written to it, also secrets
// that are split across writes: the end of a text with which a secret may begin
// waits for the next write, or for Close, which leaves w open. Its lines stay
// whole if those written are.
func (r *Redactor) Writer(w io.Writer) io.WriteCloser { return &maskWriter{r: r, w: w} }

type maskWriter struct {
	r *Redactor
	w io.Writer

	mu   sync.Mutex // guards rest, and keeps writes apart
	rest string
}

func (m *maskWriter) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.r.idle() {
		return m.w.Write(p)
	}
	var out string
	out, m.rest = m.r.feed(m.rest + string(p))
	return len(p), m.print(out)
}

func (m *maskWriter) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	rest := m.rest
	m.rest = ""
	if m.r.idle() {
		return nil
	}
	return m.print(m.r.text(rest))
}

func (m *maskWriter) print(s string) error {
	if s == "" {
		return nil
	}
	_, err := io.WriteString(m.w, s)
	return err
}
