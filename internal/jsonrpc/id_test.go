package jsonrpc

import "testing"

func TestCT10_IDsByTypeAndValue(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		same bool
	}{
		{`1`, `1`, true},
		{`1`, `"1"`, false},
		{`1`, `1.0`, true},
		{`100`, `1e2`, true},
		{`0`, `-0`, true},
		{`1`, `1.5`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`9007199254740993`, `9007199254740993.0`, false},
		{`18446744073709551617`, `18446744073709551616`, false},
		{`"a"`, `"\u0061"`, true},
		{`"\u00e9"`, `"é"`, true},
		{`"<"`, `"\u003c"`, true},
		{`"a"`, `"A"`, false},
		{`null`, `null`, true},
		{`null`, `"null"`, false},
	}
	for _, tt := range tests {
		a, aok := parseID([]byte(tt.a))
		b, bok := parseID([]byte(tt.b))
		if !aok || !bok || a == b != tt.same {
			t.Errorf("%s and %s: %v, %v", tt.a, tt.b, a, b)
		}
	}
	for _, bad := range []string{`true`, `[1]`, `{"a":1}`} {
		if id, ok := parseID([]byte(bad)); ok {
			t.Errorf("parseID(%s) = %v", bad, id)
		}
	}
}

func TestIDText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id   ID
		want string
	}{
		{NumberID(-3), `-3`}, {StringID(`a"<`), `"a\"<"`}, {StringID(""), `""`}, {ID{}, ``},
	}
	for _, tt := range tests {
		if tt.id.String() != tt.want || tt.id.IsZero() != (tt.want == "") {
			t.Errorf("got %s, want %s", tt.id, tt.want)
		}
		if tt.want == "" {
			continue
		}
		if back, ok := parseID([]byte(tt.want)); !ok || back != tt.id {
			t.Errorf("%s does not survive: %v", tt.id, back)
		}
	}
}
