package agentcore

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestAC02_InitializeComesFirstAndOnce(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{raw: true})
	params := `{"cwd":"/","mcpServers":[]}`
	p.notify("session/cancel", `{"sessionId":"x"}`)
	p.refused("session/new", params, -32600, "not_initialized")
	p.ok("initialize", `{"protocolVersion":1}`)
	p.refused("initialize", `{"protocolVersion":1}`, -32600, "already_initialized")
	p.ok("session/new", params)
}

func TestAC06_UnknownNamesAndFields(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	p.refused("session/frobnicate", `{}`, -32601, "method_not_found")
	p.notify("foo/bar", `{}`)
	p.ok("session/new", `{"cwd":"/","mcpServers":[],"foo":1,"_meta":{"x":[1]}}`)
	p.session("/")
	for _, f := range p.all() {
		if f.Method != "" && f.update() == nil {
			t.Errorf("an unknown notification was answered with %s", f.raw)
		}
	}
}

func TestAC08_ProtocolVersion(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"0", "1", "2", "99", "-1"} {
		p := start(t, &setup{raw: true})
		var res struct{ ProtocolVersion int }
		if err := json.Unmarshal(p.ok("initialize", `{"protocolVersion":`+version+`}`), &res); err != nil || res.ProtocolVersion != 1 {
			t.Errorf("version %s is answered with %d, %v, want 1", version, res.ProtocolVersion, err)
		}
	}
	p := start(t, &setup{raw: true})
	for _, params := range []string{`{}`, `{"protocolVersion":"1"}`, `{"protocolVersion":1.5}`, `{"protocolVersion":null}`, `[]`} {
		p.refused("initialize", params, -32602, "invalid_params")
	}
}

const wholeInitialize = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,
 "promptCapabilities":{"image":true,"audio":false,"embeddedContext":true},"mcpCapabilities":{"http":true,"sse":false},
 "sessionCapabilities":{"list":{},"delete":{},"resume":{},"close":{},"additionalDirectories":{}},"auth":{}META},
 "authMethods":[],"agentInfo":{"name":"acpctl","title":"acpctl agent core","version":"1.2"}}`

const visionScript = "models: [{id: seer, vision: true}, {id: small, efforts: [low, high]}]\n"

func TestAC09_InitializeResult(t *testing.T) {
	t.Parallel()
	st := setup{script: visionScript + "turns: []", raw: true}
	st.Version = "1.2"
	checkInitialize(t, &st, `,"_meta":{"chrys":{"version":1,"methods":[],"notifications":["_chrys/attempt_discarded","_chrys/retry_attempt"],`+
		`"callbacks":["_chrys/request_input"],"legacyNames":false}}`)
}

func TestAC09_NoImagesWithoutVision(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{raw: true})
	if got := string(p.ok("initialize", `{"protocolVersion":1}`)); !strings.Contains(got, `"image":false`) {
		t.Errorf("images are announced without a model for them: %s", got)
	}
}

func checkInitialize(t *testing.T, st *setup, meta string) {
	t.Helper()
	var got, want any
	if err := json.Unmarshal(start(t, st).ok("initialize", `{"protocolVersion":1}`), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(strings.Replace(wholeInitialize, "META", meta, 1)), &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("initialize (-want +got):\n%s", d)
	}
}

func TestAC10_StandardOnly(t *testing.T) {
	t.Parallel()
	st := setup{script: visionScript + editScript + "  - steps: [{calls: [{tool: ask_user, args: {questions: [{question: why}]}}]}, {text: done}]", raw: true}
	st.StandardOnly, st.Stream, st.Version = true, true, "1.2"
	st.answer = allowing
	checkInitialize(t, &st, "")
	p := start(t, &st)
	p.ok("initialize", `{"protocolVersion":1,"clientCapabilities":`+optedIn+`}`)
	s := p.session(t.TempDir())
	for range 2 {
		if got := p.prompt(s, "go"); got != "end_turn" {
			t.Errorf("stop reason %q", got)
		}
	}
	p.ok("session/close", `{"sessionId":"`+s+`"}`)
	p.ok("session/list", `{"_meta":{"chrys":{"includeActive":true}}}`)
	p.refused("_chrys/x", `{}`, -32601, "method_not_found")
	for _, f := range p.all() {
		for _, private := range []string{`"_meta"`, `"method":"_`, `"title":"go`, `"type":"diff"`, `"plan"`, `"name":"write_file"`} {
			if strings.Contains(f.raw, private) {
				t.Errorf("%s in %s", private, f.raw)
			}
		}
	}
	if len(p.updates("tool_call")) != 3 {
		t.Errorf("tool calls %v, want three", p.updates("tool_call"))
	}
}

// optedIn are capabilities of a client that takes the whole extension.
const optedIn = `{"_meta":{"chrys":{"version":1,"callbacks":["_chrys/request_input"],"notifications":["*"]}}}`

// editScript writes a file and a to-do list.
const editScript = `
turns:
  - steps:
    - calls: [{tool: write_file, args: {path: a.txt, content: "x\n"}}]
      todos: [{content: one, status: pending}]
    - text: done
`

// allowing answers every permission request with allow_once.
func allowing(f *frame) string {
	if f.Method == "session/request_permission" {
		return `"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}`
	}
	return ""
}

func TestAC11_NoAuthentication(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	p.refused("authenticate", `{"methodId":"x"}`, -32602, "unknown_auth_method")
	p.refused("logout", `{}`, -32601, "method_not_found")
	p.session(t.TempDir())
}

func TestAC12_ClientCapabilities(t *testing.T) {
	t.Parallel()
	for caps, want := range map[string]client{
		``:                                  {},
		`null`:                              {},
		`[]`:                                {},
		`{"elicitation":{},"new":true}`:     {},
		`{"elicitation":{"form":null}}`:     {},
		`{"elicitation":{"url":{}}}`:        {},
		`{"elicitation":{"form":{}}}`:       {form: true},
		`{"_meta":{"chrys":{"version":1}}}`: {},
		`{"_meta":{"chrys":{"version":0,"notifications":["*"]}}}`:                        {},
		`{"_meta":{"chrys":{"version":2,"notifications":["_chrys/attempt_discarded"]}}}`: {discards: true},
		`{"_meta":{"chrys":{"version":1,"notifications":["_chrys/other"]}}}`:             {},
		`{"_meta":{"chrys":{"version":1,"preferRequestInput":true,"callbacks":7}}}`:      {preferInput: true},
		optedIn: {requestInput: true, discards: true, retries: true},
	} {
		if got := readClient(json.RawMessage(caps)); got != want {
			t.Errorf("readClient(%s) = %+v, want %+v", caps, got, want)
		}
	}
}

func TestEX01_PrivateNamesAreRefused(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	for _, name := range []string{"_nope/x", "_mcp/list", "_session/inject", "session/inject", "chrys/request_input", "_chrys/request_input"} {
		p.refused(name, `{"sessionId":"s"}`, -32601, "method_not_found")
	}
}

func TestEX02_EveryAnnouncedMethodWorks(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{raw: true})
	var res struct {
		AgentCapabilities struct {
			Meta struct {
				Chrys struct {
					Version int
					Methods []string
				}
			} `json:"_meta"`
		}
	}
	if err := json.Unmarshal(p.ok("initialize", `{"protocolVersion":1}`), &res); err != nil {
		t.Fatal(err)
	}
	chrys := res.AgentCapabilities.Meta.Chrys
	if chrys.Version != 1 || chrys.Methods == nil {
		t.Errorf("announced %+v, want version 1 and a list of methods", chrys)
	}
	for _, m := range chrys.Methods {
		if f := p.call(m, `{}`); f.Error != nil && f.Error.Code == -32601 {
			t.Errorf("%s is announced and not there", m)
		}
	}
}

func TestEX03_NothingPrivateWithoutOptIn(t *testing.T) {
	t.Parallel()
	for _, opted := range []bool{false, true} {
		st := setup{script: retryScript}
		if opted {
			st.init = optedIn
		}
		st.Stream = true
		synctest.Test(t, func(t *testing.T) {
			p := start(t, &st)
			p.prompt(p.session(t.TempDir()), "go")
			private := 0
			for _, f := range p.all() {
				if strings.HasPrefix(f.Method, "_") {
					private++
				}
			}
			if (private > 0) != opted {
				t.Errorf("opted in %v: %d private frames", opted, private)
			}
		})
	}
}
