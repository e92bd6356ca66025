package controller

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/acpctl/acpctl/controller/event"
)

func TestCT07_CT60_Extensions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, caps, names string
		force             bool
		want              string // the method on the wire, "" for none
		reason            string
	}{
		{"announced", `{"_meta":{"chrys":{"methods":["_session/inject"]}}}`, "", false, "_session/inject", ""},
		{"not announced", `{}`, "", false, "", "not_supported"},
		{"forced", `{}`, "", true, "_session/inject", "not_supported"},
		{"bare", `{"_meta":{"chrys":{"methods":["_session/inject"]}}}`, BareNames, false, "session/inject", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts, rec := options()
			opts.ExtensionNames = tc.names
			var frames atomic.Int64
			opts.Tap = func(dir string, _ []byte) {
				if dir == "out" {
					frames.Add(1)
				}
			}
			c := connect(t, opts, func(p *peer) {
				p.initialize(tc.caps)
				if tc.want == "" {
					return
				}
				f := p.expect(tc.want)
				if tc.reason != "" {
					p.replyError(f, -32601, "method not found", `null`)
					return
				}
				p.notify("_x/z", `{"a":1}`)
				p.request("5", "_x/y", `{}`)
				if r := p.expect(""); r.Error == nil || r.Error.Code != -32601 {
					p.fail("the answer to _x/y: %s", r.raw)
				}
				p.reply(f, `{"ok":true}`)
			})
			result, err := c.CallExtension(t.Context(), "_session/inject", map[string]any{"text": "x"}, tc.force)
			if tc.reason != "" {
				fails(t, err, event.ClassStart, tc.reason)
			} else if err != nil || string(result) != `{"ok":true}` {
				t.Errorf("%s, %v", result, err)
			}
			if n := frames.Load(); tc.want == "" && n != 1 {
				t.Errorf("%d frames were sent", n)
			}
			if ext := bodies[event.Ext](rec); tc.reason == "" && (len(ext) != 1 || ext[0].Method != "_x/z") {
				t.Errorf("ext events %+v", ext)
			}
		})
	}
}

// TestCT32_UnknownOptionTypes keeps what is not known, and sets it as JSON.
func TestCT32_UnknownOptionTypes(t *testing.T) {
	t.Parallel()
	opts, _ := options()
	const slider = `{"id":"heat","name":"Heat","type":"slider","min":0,"max":1.50,"currentValue":{"v":0.10}}`
	s := session(t, opts, func(p *peer) {
		p.open(`,"configOptions":[` + slider + `]`)
		f := p.expect("session/set_config_option")
		if !strings.Contains(f.raw, `"value":{"v":0.5}`) {
			p.fail("the value on the wire: %s", f.raw)
		}
		p.reply(f, `{"configOptions":[`+slider+`]}`)
	})
	offer := s.Offered()
	if string(offer.Raw) != "["+slider+"]" || len(offer.Groups()) != 0 {
		t.Errorf("offered %s", offer.Raw)
	}
	if err := s.Select(t.Context(), Selection{Config: map[string]any{"heat": map[string]any{"v": 0.5}}}); err != nil {
		t.Error(err)
	}
}

// TestCT06_Version2IsNegotiationAlone refuses what only version 2 would mean: a
// peer that chooses it is not spoken to, so neither session/set_mode nor
// session/load can be sent on such a connection.
func TestCT06_Version2IsNegotiationAlone(t *testing.T) {
	t.Parallel()
	opts, _ := options()
	opts.ProtocolVersion, opts.Experimental = 2, []int{2}
	var sent atomic.Int64
	opts.Tap = func(dir string, _ []byte) {
		if dir == "out" {
			sent.Add(1)
		}
	}
	_, err := Connect(t.Context(), playing(t, func(p *peer) {
		f := p.expect("initialize")
		if !strings.Contains(f.raw, `"protocolVersion":2`) {
			p.fail("offered: %s", f.raw)
		}
		p.reply(f, `{"protocolVersion":2,"capabilities":{}}`)
	}), opts)
	fails(t, err, event.ClassStart, "unsupported_version")
	if n := sent.Load(); n != 1 {
		t.Errorf("%d frames were sent, want initialize alone", n)
	}
}
