package event

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

var documents = []string{
	`{}`, ` { } `, `{"a":1}`, "\t{\n\"a\" : [ 1 , 2.5e-3 , -0 , true , false , null , \"x\" ] , \"b\" : { \"c\" : {} } }\r",
	`{"a":1,"a":2}`, `{"\u0061":"\ud83d\ude00 \ud83d \" \\ \/ \b\f\n\r\t"}`, `{"a":[[],{}]}`,
	``, ` `, `{`, `}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{"a":1}}`, `{"a":1} x`, `{a:1}`, `{'a':1}`, `[1]`, `"s"`, `1`, `null`,
	`{"a":01}`, `{"a":-}`, `{"a":1.}`, `{"a":.5}`, `{"a":1e}`, `{"a":1e+}`, `{"a":+1}`, `{"a":tru}`, `{"a":nul}`, `{"a":"x`, `{"a":"\x"}`,
	`{"a":"\u12"}`, `{"a":"\u12g4"}`, "{\"a\":\"\n\"}", "{\"a\":\"\xff\"}", `{"a":[1,]}`, `{"a":[1 2]}`, `{"a":[}`, `{"a":{"b":1 "c":2}}`,
	`{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, `{"a":` + strings.Repeat("[", 20000),
}

// checkScan compares one document with encoding/json: the same documents are
// objects, with the same members and texts.
func checkScan(t *testing.T, doc []byte) {
	t.Helper()
	got := map[string]json.RawMessage{}
	it := members(doc)
	for it.next() {
		got[string(appendUnquoted(nil, it.key))] = it.value
		if s, ok := text(it.value); ok {
			var want string
			if json.Unmarshal(it.value, &want) == nil && s != want {
				t.Errorf("text of %s: got %q, want %q", it.value, s, want)
			}
		}
	}
	var want map[string]json.RawMessage
	isObject := json.Unmarshal(doc, &want) == nil && want != nil
	if it.ok != isObject {
		t.Fatalf("%.200q: ok is %v, want %v", doc, it.ok, isObject)
	}
	if it.ok && !reflect.DeepEqual(got, want) {
		t.Errorf("%.200q: got %s, want %s", doc, got, want)
	}
	list, ok := elements(doc)
	var wantList []json.RawMessage
	isList := json.Unmarshal(doc, &wantList) == nil && bytes.HasPrefix(bytes.TrimSpace(doc), []byte("["))
	if ok != isList || ok && len(list) != len(wantList) {
		t.Errorf("%.200q: list is %v with %d elements, want %v with %d", doc, ok, len(list), isList, len(wantList))
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	for _, doc := range documents {
		checkScan(t, []byte(doc))
		if inner, ok := strings.CutPrefix(doc, `{"a":`); ok {
			checkScan(t, []byte(strings.TrimSuffix(inner, "}")))
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, doc := range documents {
		f.Add([]byte(doc))
	}
	f.Fuzz(checkScan)
}
