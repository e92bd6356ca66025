package controller

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSplitUpdate(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ params, id, update string }{
		{`{"sessionId":"s-1","update":{"a":1}}`, `s-1`, `{"a":1}`},
		{` { "update" : { "a" : [ "}" , "\"{" ] , "b" : null } , "n" : -1.5e3 , "_meta":{"update":1}, "sessionId" : "s\u002d1" } `, `s-1`, `{ "a" : [ "}" , "\"{" ] , "b" : null }`},
		{`{"sessionId":"a","sessionId":"b","update":{}}`, `b`, `{}`},
		{`{"sessionId":"","update":{}}`, ``, ``},
		{`{"sessionId":5,"update":{}}`, ``, ``},
		{`{"sessionId":"s-1"}`, ``, ``},
		{`{"sessionId":"s-1","update":[]}`, ``, ``},
		{`{}`, ``, ``},
		{`[]`, ``, ``},
		{`"x"`, ``, ``},
		{``, ``, ``},
	} {
		id, update := splitUpdate(json.RawMessage(tc.params))
		if string(id) != tc.id || string(update) != tc.update {
			t.Errorf("%s: %q and %q, want %q and %q", tc.params, id, update, tc.id, tc.update)
		}
	}
}

func FuzzSplitUpdate(f *testing.F) {
	f.Add(`{"sessionId":"s-1","update":{"a":"\\\"","b":[{}]},"x":[1,2,{"y":"}"}]}`)
	f.Add(`{"sessionId":"s`)
	f.Add(`{"a":{"b`)
	f.Fuzz(func(t *testing.T, params string) {
		id, update := splitUpdate(json.RawMessage(params))
		if !json.Valid([]byte(params)) || strings.Contains(params, `\`) {
			return // it must not panic, that is all
		}
		var m map[string]json.RawMessage
		if json.Unmarshal([]byte(params), &m) != nil {
			m = nil
		}
		var want string
		if json.Unmarshal(m["sessionId"], &want) != nil || want == "" || len(m["update"]) == 0 || m["update"][0] != '{' {
			if update != nil {
				t.Errorf("%q: took %q and %q", params, id, update)
			}
			return
		}
		if strings.ToValidUTF8(string(id), "\uFFFD") != want && strings.ToValidUTF8(params, "") == params || string(update) != string(m["update"]) {
			t.Errorf("%q: %q and %q, want %q and %q", params, id, update, want, m["update"])
		}
	})
}
