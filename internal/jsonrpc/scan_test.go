package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// scanSeeds are texts around every rule of JSON, and frames.
var scanSeeds = []string{
	``, ` `, `{}`, `[]`, `null`, `true`, `false`, `tru`, `nul`, `truex`, `{} {}`, `{}x`, "\t{\r\n}", `"`, `"a`, `"\`, `"\u`, `"\u12`, `"\u12g4"`,
	`"\ud800"`, `"\x"`, "\"a\x01b\"", "\"a\x7fb\"", "\"\xff\xfe\"", "\"01234567\x1f\"", `"0123456\"7"`, `"01234567890123456789\\"`,
	`0`, `-0`, `-`, `01`, `1.`, `1.5`, `.5`, `1e`, `1e+`, `1E-7`, `1.0e10`, `+1`, `1a`, `--1`, `1e400`,
	`[1,2]`, `[1,]`, `[,1]`, `[1 2]`, `[1`, `[1,`, `{"a":1}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a" 1}`, `{a:1}`, `{"a":1 "b":2}`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`,
	`{"id":1,"id":2}`, `{"i\u0064":3}`, `{"I\u0064":3,"ID":4}`, `{"":1}`, `{"\ud800id":1}`, "{\"\xffid\":1}",
	`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1,{"b":null}]}}`,
	`{"jsonrpc":"2.0","id":"x","result":{"stopReason":"end_turn"}}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`,
	`[{"jsonrpc":"2.0","method":"m"}]`, "\ufeff{}", `{"error":{"code":1}  , "id" : 5}`,
}

// checkScan holds the scanner against encoding/json.
func checkScan(t *testing.T, text []byte) {
	t.Helper()
	e, err := scanFrame(text)
	if (err == nil) != json.Valid(text) {
		t.Fatalf("scanFrame(%.200q) = %v, json.Valid = %v", text, err, json.Valid(text))
	}
	if err != nil {
		checkCut(t, text, err)
		return
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal(text, &want); err != nil {
		want = nil // not an object
	}
	if e.array != (bytes.TrimSpace(text)[0] == '[') {
		t.Fatalf("scanFrame(%.200q).array = %v", text, e.array)
	}
	got := map[string][]byte{"jsonrpc": e.version, "id": e.id, "method": e.method, "params": e.params, "result": e.result, "error": e.failed}
	for name, value := range got {
		if !bytes.Equal(value, want[name]) || (value == nil) != (want[name] == nil) {
			t.Fatalf("scanFrame(%.200q): %s = %q, want %q", text, name, value, want[name])
		}
	}
}

// checkCut holds the difference of wrong and cut off JSON against the decoder's.
func checkCut(t *testing.T, text []byte, err error) {
	t.Helper()
	var v json.RawMessage
	want := json.NewDecoder(bytes.NewReader(text)).Decode(&v)
	if cut := errors.Is(want, io.EOF) || errors.Is(want, io.ErrUnexpectedEOF); cut != errors.Is(err, errCut) {
		t.Fatalf("scanFrame(%.200q) = %v, encoding/json: %v", text, err, want)
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	for _, s := range scanSeeds {
		checkScan(t, []byte(s))
	}
	for _, depth := range []int{9_998, 9_999, 10_000, 10_001} {
		checkScan(t, []byte(strings.Repeat("[", depth)+strings.Repeat("]", depth)))
		checkScan(t, []byte(`{"params":`+strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth)+"}"))
	}
}

// Each byte may stand at each place of the words that the scanner reads at once.
func TestScanStringBytes(t *testing.T) {
	t.Parallel()
	for at := range 20 {
		for c := range 256 {
			text := []byte(`"abcdefghijklmnopqrstuvwxyz"`)
			text[1+at] = byte(c)
			checkScan(t, text)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(checkScan)
}

func TestScanErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{`{"id":1,"error":{"code":-5,"message":"m","data":{"a":1}}}`, `m (code -5) {"a":1}`},
		{`{"id":1,"error":"boom"}`, `boom (code -32603) "boom"`},
		{`{"id":1,"error":{"code":"x","message":"m"}}`, `the response has a malformed error (code -32603) {"code":"x","message":"m"}`},
		{`{"id":1,"error":17}`, `the response has a malformed error (code -32603) 17`},
		{`{"id":1,"error":null,"result":2}`, `2`},
		{`{"id":1,"error":null}`, `the response has neither result nor error (code -32603) `},
		{`{"id":1}`, `the response has neither result nor error (code -32603) `},
		{`{"id":1,"result":null}`, `null`},
	}
	for _, tt := range tests {
		e, err := scanFrame([]byte(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		result, err := e.outcome()
		got := string(result)
		if failed, ok := errors.AsType[*Error](err); ok {
			got = failed.Error() + " " + string(failed.Data)
		}
		if got != tt.want {
			t.Errorf("outcome of %s = %s, want %s", tt.in, got, tt.want)
		}
	}
}
