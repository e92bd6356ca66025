package output

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/controller/event"
)

const secret = `tok/en+"7%é`

func TestRO60_RedactForms(t *testing.T) {
	t.Parallel()
	r := NewRedactor([]string{secret, "short", "abcdef", "cdefgh"})
	jsonText, _ := json.Marshal(secret)
	twice, _ := json.Marshal(string(jsonText))
	for name, c := range map[string]struct{ in, want string }{
		"plain":         {"x " + secret + " y", "x *** y"},
		"at both ends":  {secret + secret, "******"},
		"JSON":          {"<" + strings.Trim(string(jsonText), `"`)[0:len(jsonText)-2] + ">", "<***>"},
		"JSON in JSON":  {string(twice), `"\"***\""`},
		"JSON, HTML":    {`<tok/en+\"7%é&\u0026>`, `<***&\u0026>`},
		"JSON, ASCII":   {`tok/en+\"7%\u00e9`, "***"},
		"JSON, slash":   {`tok\/en+\"7%é tok\/en+\"7%\u00e9`, "*** ***"},
		"ASCII in JSON": {`tok/en+\\\"7%\\u00e9`, "***"},
		"query":         {"?t=" + url.QueryEscape(secret) + "&", "?t=***&"},
		"path":          {"/" + url.PathEscape(secret) + "/", "/***/"},
		"lower hex":     {"/" + lowerHex(percentAll(secret)) + "/", "/***/"},
		"too short":     {"short", "short"},
		"overlapping":   {"-abcdefgh-", "-***-"},
		"near one":      {"tok/en+ abcde", "tok/en+ abcde"},
		"nothing":       {"", ""},
		"itself inside": {"abcdefabcdefgh", "******"},
	} {
		if got := string(r.Bytes([]byte(c.in))); got != c.want {
			t.Errorf("%s: Bytes(%q) = %q, want %q", name, c.in, got, c.want)
		}
	}
}

// TestRO60_RedactBase64 masks a secret wherever it stands in encoded data.
func TestRO60_RedactBase64(t *testing.T) {
	t.Parallel()
	r := NewRedactor([]string{secret})
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
		for before := range 7 {
			for after := range 4 {
				data := strings.Repeat("\xfe", before) + secret + strings.Repeat("\xfd", after)
				got := string(r.Bytes([]byte(enc.EncodeToString([]byte(data)))))
				plain, rest, ok := strings.Cut(got, mask)
				if !ok || len(plain) > before*4/3+3 || len(rest) > after*4/3+5 {
					t.Errorf("%d before, %d after: %q", before, after, got)
				}
			}
		}
	}
}

func TestRO60_RedactWriter(t *testing.T) {
	t.Parallel()
	r := NewRedactor([]string{secret, "abcdef", "abcdefghij"})
	text := "abcdef abcdefghi " + secret + " abcdefghij tok"
	for size := 1; size < len(text); size++ {
		var out bytes.Buffer
		w := r.Writer(&out)
		for at := 0; at < len(text); at += size {
			part := text[at:min(at+size, len(text))]
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if want := "*** ***ghi *** *** tok"; out.String() != want {
			t.Fatalf("in parts of %d: %q, want %q", size, out.String(), want)
		}
	}
}

func TestRO60_RedactWriterDoesNotHoldLines(t *testing.T) {
	t.Parallel()
	var w writes
	m := NewRedactor([]string{secret}).Writer(&w)
	_, _ = m.Write([]byte("waiting for tok\n"))
	if diff := cmp.Diff([]string{"waiting for tok\n"}, w.list); diff != "" {
		t.Error(diff)
	}
	w.err = errors.New("full")
	if _, err := m.Write([]byte("x\n")); !errors.Is(err, w.err) {
		t.Errorf("error %v", err)
	}
}

func TestRO41_RedactNothing(t *testing.T) { // not parallel: it counts allocations
	none := NewRedactor([]string{"short"})
	text := []byte("short")
	if got := none.Bytes(text); &got[0] != &text[0] {
		t.Error("text was copied")
	}
	e := event.Event{Body: event.MessageDelta{Text: "short"}}
	none.Events(e)
	if n := testing.AllocsPerRun(100, func() { none.Events(e) }); n > 0 {
		t.Errorf("%v allocations per event", n)
	}
	var nobody *Redactor
	if got := nobody.Events(e); len(got) != 1 || string(nobody.Bytes(text)) != "short" {
		t.Errorf("nil redactor: %v", got)
	}
	var out bytes.Buffer
	w := nobody.Writer(&out)
	if _, err := w.Write(text); err != nil || w.Close() != nil || out.String() != "short" {
		t.Errorf("nil redactor wrote %q, %v", out.String(), err)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("abcdef", "cdefgh", "xxabcdefghyy abcde", uint8(3))
	f.Add("aaaaaa", "aaaaaaab", "aaaaaaaaaaaaaab", uint8(1))
	f.Add(secret, "123456", `{"a":123456,"b":"tok/en+\"7%\u00e9"}`, uint8(2))
	f.Fuzz(func(t *testing.T, one, two, text string, size uint8) {
		if strings.Contains(one+two, "*") || len(one)+len(two) > 200 || len(text) > 2000 {
			t.Skip("a mask may complete such a secret")
		}
		r := NewRedactor([]string{one, two})
		whole := string(r.Bytes([]byte(text)))
		for _, s := range r.secrets {
			if strings.Contains(whole, s) {
				t.Fatalf("%q still has %q", whole, s)
			}
		}
		if parts := inParts(r, text, int(size)+1); parts != whole {
			t.Fatalf("in parts %q, whole %q", parts, whole)
		}
		masked := r.raw([]byte(text))
		if json.Valid([]byte(text)) && !json.Valid(masked) {
			t.Fatalf("no JSON any more: %q", masked)
		}
	})
}

// inParts sends a text as the chunks of one message.
func inParts(r *Redactor, text string, size int) string {
	var out strings.Builder
	show := func(b event.Body) {
		for _, e := range r.Events(event.Event{Body: b}) {
			if d, ok := e.Body.(event.MessageDelta); ok {
				out.WriteString(d.Text)
			}
		}
	}
	for at := 0; at < len(text); at += size {
		show(event.MessageDelta{Role: "agent", Text: text[at:min(at+size, len(text))]})
	}
	show(event.Message{Role: "agent"})
	return out.String()
}
