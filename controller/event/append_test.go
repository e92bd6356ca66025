package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// filled returns a value of a body's type with every field set, texts to the
// name of their field.
func filled(b Body) Body {
	v := reflect.New(reflect.TypeOf(b)).Elem()
	fill(v, "")
	return v.Interface().(Body)
}

func fill(v reflect.Value, name string) {
	switch v.Interface().(type) {
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(`{"` + name + `":1e3}`)))
		return
	case error:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(name)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		elem := reflect.New(v.Type().Elem()).Elem()
		fill(elem, name)
		v.SetMapIndex(reflect.ValueOf("key"), elem)
	case reflect.Interface:
		if v.Type().NumMethod() == 0 {
			v.Set(reflect.ValueOf(name))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name)
		}
	}
}

func TestTypesGolden(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	for i, b := range Bodies() {
		n := i
		full := Event{
			Seq: int64(i + 1), Time: time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.UTC),
			Run: "r1", Step: "build", Item: &n, Index: &n, SessionID: "s1", Turn: 2, Body: filled(b),
		}
		got.Write(append(mustEncode(t, &full), '\n'))
		empty := Event{Body: b}
		got.Write(append(mustEncode(t, &empty), '\n'))
	}
	const file = "testdata/golden/types.ndjson"
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// TestEnvelopeNames guards the flat form: no body may use a name of the envelope,
// but for the result's own session.
func TestEnvelopeNames(t *testing.T) {
	t.Parallel()
	for _, b := range Bodies() {
		var members map[string]json.RawMessage
		doc, err := encode(filled(b))
		if err != nil || json.Unmarshal(doc, &members) != nil {
			t.Fatalf("%s: %v", b.Type(), err)
		}
		for _, name := range []string{"v", "seq", "time", "type", "run", "step", "item", "index", "sessionId", "turn"} {
			if _, taken := members[name]; taken && b.Type()+"."+name != "result.sessionId" {
				t.Errorf("%s has a field %q of the envelope", b.Type(), name)
			}
		}
	}
}

// TestChunkFormMatchesEncoder compares the hand-written form with encoding/json's.
func TestChunkFormMatchesEncoder(t *testing.T) {
	t.Parallel()
	texts := []string{"", "plain", "é😀", "\"\\/<>&", "\x00\x1f\b\f\n\r\t\x7f", "\u2028\u2029\ufffd", strings.Repeat("x", 100)}
	for _, s := range texts {
		for _, b := range []Body{
			Message{Role: s, MessageID: s, Text: s, Replay: true},
			Message{Text: s},
			MessageDelta{Role: "agent", Text: s},
			Thought{MessageID: s, Text: s, Replay: true},
			ThoughtDelta{Text: s},
		} {
			got := mustEncode(t, &Event{Body: b})
			doc, err := encode(b)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.TrimPrefix(string(doc), "{")
			if !strings.HasSuffix(string(got), want) {
				t.Errorf("%#v\ngot  %s\nwant %s", b, got, want)
			}
		}
	}
}

func TestAppendJSONInvalidUTF8(t *testing.T) {
	t.Parallel()
	bad := "a\xffb\xc3"
	for _, b := range []Body{
		Message{Role: "agent", Text: bad},
		Warning{Code: "x", Message: bad},
		Update{Kind: "k", Update: json.RawMessage("{\"a\":\"" + bad + "\"}")},
		Result{Text: bad, Outputs: map[string]any{bad: json.Number("1e3")}},
		ToolStart{ToolCall{ToolCallID: "c", Title: bad, RawInput: json.RawMessage(`{"x":"\ufffd"}`)}},
	} {
		line := mustEncode(t, &Event{Run: bad, Body: b})
		if !utf8.Valid(line) {
			t.Errorf("%s: invalid UTF-8: %q", b.Type(), line)
		}
	}
	line := mustEncode(t, &Event{Body: ToolStart{ToolCall{Title: bad, RawInput: json.RawMessage(`{"x":"\ufffd"}`)}}})
	if want := `"title":"a` + "\ufffd" + `b` + "\ufffd" + `","rawInput":{"x":"\ufffd"}`; !strings.Contains(string(line), want) {
		t.Errorf("got %s, want %s in it", line, want)
	}
}

func TestAppendJSONErrors(t *testing.T) {
	t.Parallel()
	for _, b := range []Body{
		Update{Update: json.RawMessage(`{"a":`)}, Message{Content: json.RawMessage(`x`)}, Limit{Value: math.NaN()},
	} {
		dst := []byte("before")
		if got, err := (&Event{Body: b}).AppendJSON(dst); err == nil || string(got) != "before" {
			t.Errorf("%#v: got %q, %v", b, got, err)
		}
	}
}

func TestAppendTime(t *testing.T) {
	t.Parallel()
	for _, tm := range []time.Time{
		{},
		time.Unix(0, 999_999_999), time.Date(2026, 12, 31, 23, 59, 59, 1_000_000, time.FixedZone("x", 3600)),
		time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		got, want := string(appendTime(nil, tm)), tm.UTC().Format("2006-01-02T15:04:05.000Z")
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	var unknown *UnknownTypeError
	for _, tt := range []struct {
		line string
		is   func(error) bool
	}{
		{`{"v":1,"type":"future"}`, func(err error) bool { return errors.As(err, &unknown) && unknown.Name == "future" }},
		{`{"v":2,"type":"message"}`, func(err error) bool { return errors.Is(err, ErrVersion) }},
		{`{"type":"message"}`, func(err error) bool { return errors.Is(err, ErrVersion) }},
		{`{"v":1,"type":"message","text":5}`, func(err error) bool { return err != nil }},
		{`{"v":1,"type":"message"} {}`, func(err error) bool { return err != nil }},
		{`{"v":1,"time":"noon","type":"message"}`, func(err error) bool { return err != nil }},
		{``, func(err error) bool { return err != nil }},
	} {
		if e, err := Parse([]byte(tt.line)); e != nil || !tt.is(err) {
			t.Errorf("%s: got %v, %v", tt.line, e, err)
		}
	}
}

func TestParseDropsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	e, err := Parse([]byte(`{"v":1,"seq":3,"time":"2026-01-02T03:04:05.678Z","type":"warning","new":1,"code":"c","message":"m"}` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"seq":3,"time":"2026-01-02T03:04:05.678Z","type":"warning","code":"c","message":"m"}`
	if got := string(mustEncode(t, e)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestResultSession says whose session the result's is, which has no envelope
// member of its own.
func TestResultSession(t *testing.T) {
	t.Parallel()
	line := mustEncode(t, &Event{SessionID: "outer", Body: Result{Status: "ok"}})
	if n := strings.Count(string(line), `"sessionId":"outer"`); n != 1 {
		t.Errorf("%d sessionIds in %s", n, line)
	}
	line = mustEncode(t, &Event{SessionID: "outer", Body: Result{Status: "ok", SessionID: "own"}})
	if strings.Contains(string(line), "outer") || !strings.Contains(string(line), `"sessionId":"own"`) {
		t.Errorf("got %s", line)
	}
}
