package controller

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

const goldenInitialize = `{"clientCapabilities":{` +

	`"_meta":{"chrys":{"callbacks":["_chrys/request_input"],"notifications":["_chrys/attempt_discarded","_chrys/retry_attempt"],"version":1}},` +
	`"elicitation":{"form":{}},"fs":{"readTextFile":false,"writeTextFile":false},` +
	`"session":{"configOptions":{"boolean":{}}},"terminal":false},` +
	`"clientInfo":{"name":"acpctl","version":"1"},"protocolVersion":1}`

func TestCT04_CapabilitiesNameWhatHasAHandler(t *testing.T) {
	t.Parallel()
	opts, _ := options()
	s := session(t, opts, func(p *peer) {
		f := p.expect("initialize")
		if string(f.Params) != goldenInitialize {
			t.Errorf("initialize params\n got %s\nwant %s", f.Params, goldenInitialize)
		}
		p.reply(f, `{"protocolVersion":1}`)
		p.reply(p.expect("session/new"), `{"sessionId":"s-1"}`)
		prompt := p.expect("session/prompt")
		for i, tc := range []struct {
			method string
			served bool
		}{
			{"elicitation/create", true},
			{"_chrys/request_input", true},
			{"session/request_permission", true},
			{"fs/read_text_file", false},
			{"fs/write_text_file", false},
			{"terminal/create", false},
			{"_x/y", false},
		} {
			p.request(string(rune('1'+i)), tc.method, `{"sessionId":"s-1"}`)
			answer := p.expect("")
			if answer.Error == nil || (answer.Error.Code != jsonrpc.CodeMethodNotFound) != tc.served {
				t.Errorf("%s: answered %s, served should be %v", tc.method, answer.raw, tc.served)
			}
		}
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Error(err)
	}
}

func TestCT05_NothingIsSentThatWasNotAnnounced(t *testing.T) {
	t.Parallel()
	block := func(raw string) Prompt { return Prompt{Blocks: []json.RawMessage{json.RawMessage(raw)}} }
	for _, tc := range []struct {
		name, capabilities, lacking string
		params                      SessionParams
		prompt                      Prompt
	}{
		{name: "directories", lacking: "additionalDirectories", params: SessionParams{AddDirs: []string{"/more"}}},
		{name: "http", lacking: "mcpCapabilities.http", params: SessionParams{MCPServers: []MCPServer{{Name: "d", Type: "http", URL: "http://h"}}}},
		{name: "sse", lacking: "mcpCapabilities.sse", capabilities: `{"mcpCapabilities":{"http":true}}`, params: SessionParams{MCPServers: []MCPServer{{Name: "d", Type: "sse"}}}},
		{name: "image", lacking: "promptCapabilities.image", capabilities: `{"promptCapabilities":{}}`, prompt: block(`{"type":"image","data":"QQ==","mimeType":"image/png"}`)},
		{name: "image null", lacking: "promptCapabilities.image", capabilities: `{"promptCapabilities":null}`, prompt: block(`{"type":"image"}`)},
		{name: "audio", lacking: "promptCapabilities.audio", capabilities: `{"promptCapabilities":{"image":true}}`, prompt: block(`{"type":"audio"}`)},
		{name: "resource", lacking: "promptCapabilities.embeddedContext", prompt: block(`{"type":"resource","resource":{}}`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var sent []string
			c := connect(t, &Options{Tap: func(dir string, f []byte) {
				if dir == "out" {
					sent = append(sent, string(f))
				}
			}}, func(p *peer) {
				p.initialize(cmp.Or(tc.capabilities, `{}`))
				if tc.prompt.Blocks != nil {
					p.reply(p.expect("session/new"), `{"sessionId":"s-1"}`)
				}
			})
			tc.params.Cwd = "/work"
			s, err := c.NewSession(t.Context(), tc.params)
			if tc.prompt.Blocks != nil {
				if err != nil {
					t.Fatal(err)
				}
				_, err = s.Prompt(t.Context(), tc.prompt)
			}
			f := failure(t, err, event.ClassStart, "unsupported_by_agent")
			if !strings.Contains(f.Message, tc.lacking) {
				t.Errorf("message %q does not name %s", f.Message, tc.lacking)
			}
			_ = c.Close(t.Context())
			for _, raw := range sent {
				if strings.Contains(raw, "session/prompt") || tc.prompt.Blocks == nil && strings.Contains(raw, "session/new") {
					t.Errorf("sent %s", raw)
				}
			}
		})
	}
}

func TestF25_PartlyFilledCapabilities(t *testing.T) {
	t.Parallel()
	caps := readCapabilities(json.RawMessage(`{"promptCapabilities":{"image":true},"mcpCapabilities":5,"sessionCapabilities":{"close":{},"list":null,"resume":false},"loadSession":true}`))
	if !caps.Image || caps.Audio || caps.MCPHTTP || !caps.CloseSession || caps.List || caps.Resume || !caps.LoadSession {
		t.Errorf("got %+v", caps)
	}
}
