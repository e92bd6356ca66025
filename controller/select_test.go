package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

const (
	modelOption  = `{"id":"m","name":"Model","category":"model","type":"select","currentValue":"%s","options":[{"value":"m-small","name":"Small"},{"group":"g","name":"Big ones","options":[{"value":"m-large","name":"Large"},{"value":"m-huge","name":"Large"}]}]}`
	effortOption = `{"id":"effort","name":"Effort","category":"thought_level","type":"select","currentValue":"%s","options":[{"value":"low","name":"Low"},{"value":"high","name":"High"}]}`
	otherOptions = `{"id":"verbose","name":"Verbose","type":"boolean","currentValue":false},{"id":"s","name":"Slider","type":"slider","currentValue":3,"max":9}`
)

// list builds a configOptions list.
func optionList(model, effort string) string {
	out := fmt.Sprintf(modelOption, model)
	if effort != "" {
		out += "," + fmt.Sprintf(effortOption, effort)
	}
	return "[" + out + "," + otherOptions + "]"
}

func TestCT33_ModelThenEffort(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	s := session(t, opts, func(p *peer) {
		p.open(`,"configOptions":` + optionList("m-small", ""))
		f := p.expect("session/set_config_option")
		if want := `{"configId":"m","sessionId":"s-1","value":"m-large"}`; string(f.Params) != want {
			t.Errorf("first request %s, want %s", f.Params, want)
		}
		p.reply(f, `{"configOptions":`+optionList("m-large", "low")+`}`) // effort exists only now
		f = p.expect("session/set_config_option")
		if want := `{"configId":"effort","sessionId":"s-1","value":"high"}`; string(f.Params) != want {
			t.Errorf("second request %s, want %s", f.Params, want)
		}
		p.reply(f, `{"configOptions":`+optionList("m-large", "high")+`}`)
	})
	if err := s.Select(t.Context(), Selection{Models: []string{"nobody/knows", "M-LARGE"}, Effort: "High"}); err != nil {
		t.Fatal(err)
	}
	if got, want := rec.types(), "agent.start session.start config config"; got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	start := only[event.SessionStart](t, rec)
	if start.Model != "m-large" || start.Effort != "high" || start.Origin != "new" || start.Cwd != "/work" || string(start.Options) != optionList("m-large", "high") {
		t.Errorf("session.start %+v", start)
	}
	if c := bodies[event.Config](rec)[0]; c.Origin != "response" {
		t.Errorf("config event has origin %q", c.Origin)
	}
}

func TestCT33_NamesAreMatched(t *testing.T) {
	t.Parallel()
	op, _ := readOption(json.RawMessage(fmt.Sprintf(modelOption, "m-small")))
	op.Purpose = Model
	for _, tc := range []struct{ name, value, reason string }{
		{"m-small", "m-small", ""},
		{"Small", "m-small", ""},
		{"SMALL", "m-small", ""},
		{"M-LARGE", "m-large", ""},
		{"Large", "", "ambiguous_model"},
		{"large", "", "ambiguous_model"},
		{"m-tiny", "", "unknown_model"},
	} {
		value, f := op.firstOf([]string{tc.name})
		if value != tc.value || (f == nil) != (tc.reason == "") {
			t.Errorf("%s: %q, %+v", tc.name, value, f)
		}
		if f != nil && (f.Class != event.ClassUsage || f.Reason != tc.reason || !slices.Contains(f.Hints, "m-large (Large)")) {
			t.Errorf("%s: %s/%s with hints %q", tc.name, f.Class, f.Reason, f.Hints)
		}
	}
}

func TestF12_UnknownChoicesSendNothing(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, reason, hint string
		sel                Selection
	}{
		{"model", "unknown_model", "m-small (Small)", Selection{Models: []string{"no-such", "nor-this"}}},
		{"effort", "unknown_effort", "low (Low)", Selection{Effort: "max"}},
		{"mode", "no_mode", "", Selection{Mode: "plan"}},
		{"option", "unknown_option", "verbose", Selection{Config: map[string]any{"colour": "red"}}},
		{"value", "unknown_effort", "low (Low)", Selection{Config: map[string]any{"effort": "max"}}},
		{"boolean", "invalid_value", "", Selection{Config: map[string]any{"verbose": "perhaps"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, nil, func(p *peer) {
				p.open(`,"configOptions":` + optionList("m-small", "low"))
				if f, err := p.read(); err == nil {
					t.Errorf("sent %s", f.raw)
				}
			})
			f := failure(t, s.Select(t.Context(), tc.sel), event.ClassUsage, tc.reason)
			if tc.hint != "" && !slices.Contains(f.Hints, tc.hint) {
				t.Errorf("hints %q lack %q", f.Hints, tc.hint)
			}
		})
	}
}

func TestSelectOtherOptions(t *testing.T) {
	t.Parallel()
	s := session(t, nil, func(p *peer) {
		p.open(`,"configOptions":` + optionList("m-small", "low"))
		for _, want := range []string{
			`{"configId":"effort","sessionId":"s-1","value":"high"}`,
			`{"configId":"s","sessionId":"s-1","value":5}`,
			`{"configId":"verbose","sessionId":"s-1","type":"boolean","value":true}`,
		} {
			f := p.expect("session/set_config_option")
			if string(f.Params) != want {
				t.Errorf("sent %s, want %s", f.Params, want)
			}
			p.reply(f, `{"configOptions":`+optionList("m-small", "low")+`}`)
		}
	})
	if err := s.Select(t.Context(), Selection{Config: map[string]any{"verbose": "true", "effort": "HIGH", "s": 5}}); err != nil {
		t.Error(err)
	}
}

func TestOlderModesAndModels(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	s := session(t, opts, func(p *peer) {
		p.open(`,"modes":{"currentModeId":"default","availableModes":[{"id":"default","name":"Default"},{"id":"yolo","name":"YOLO"}]},` +
			`"models":{"currentModelId":"auto","availableModels":[{"modelId":"auto","name":"Auto","description":null},{"modelId":"pro","name":"Pro"}]}`)
		f := p.expect("session/set_model")
		if want := `{"modelId":"pro","sessionId":"s-1"}`; string(f.Params) != want {
			t.Errorf("set_model %s", f.Params)
		}
		p.reply(f, `{}`)
		f = p.expect("session/set_mode")
		if want := `{"modeId":"yolo","sessionId":"s-1"}`; string(f.Params) != want {
			t.Errorf("set_mode %s", f.Params)
		}
		p.reply(f, `{}`)
	})
	before := s.Offered()
	if len(before.Groups()) != 2 || before.Raw != nil || before.current(Model) != "auto" || before.current(Mode) != "default" {
		t.Errorf("offered %+v", before)
	}
	if err := s.Select(t.Context(), Selection{Models: []string{"Pro"}, Mode: "yolo"}); err != nil {
		t.Fatal(err)
	}
	start := only[event.SessionStart](t, rec)
	if start.Model != "pro" || start.Mode != "yolo" || start.Options != nil {
		t.Errorf("session.start %+v", start)
	}
	if m := only[event.Mode](t, rec); m.ModeID != "yolo" || m.Origin != "response" {
		t.Errorf("mode event %+v", m)
	}
}

func TestOptionsWinOverOlderModesAndModels(t *testing.T) {
	t.Parallel()
	s := session(t, nil, func(p *peer) {
		p.open(`,"models":{"currentModelId":"old","availableModels":[{"modelId":"old","name":"Old"}]},"configOptions":` + optionList("m-small", ""))
		p.reply(p.expect("session/set_config_option"), `{"configOptions":`+optionList("m-large", "")+`}`)
	})
	if err := s.Select(t.Context(), Selection{Models: []string{"old"}}); err == nil {
		t.Error("a model was selected that the option does not offer")
	}
	if err := s.Select(t.Context(), Selection{Models: []string{"m-large"}}); err != nil {
		t.Error(err)
	}
}

func TestCT20_LateOptionResponseStillCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, nil, func(p *peer) {
			p.open(`,"configOptions":` + optionList("m-small", ""))
			f := p.expect("session/set_config_option")
			time.Sleep(100 * time.Millisecond)
			p.reply(f, `{"configOptions":`+optionList("m-large", "")+`}`)
		})
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, timeLimit())
		defer cancel()
		fails(t, s.Select(ctx, Selection{Models: []string{"m-large"}}), event.ClassTimeout, "time")
		offer := s.Offered()
		if got := offer.current(Model); got != "m-small" {
			t.Errorf("before the answer: %s", got)
		}
		time.Sleep(time.Second)
		offer = s.Offered()
		if got := offer.current(Model); got != "m-large" {
			t.Errorf("after the answer: %s", got)
		}
	})
}

func TestCT30_WireOrderDecides(t *testing.T) {
	t.Parallel()
	const rounds = 1000
	s := session(t, nil, func(p *peer) {
		p.open(`,"configOptions":` + optionList("m-small", ""))
		for range rounds {
			f := p.expect("session/set_config_option")
			p.reply(f, `{"configOptions":`+optionList("m-large", "")+`}`)
			p.update(`{"sessionUpdate":"config_option_update","configOptions":` + optionList("m-huge", "") + `}`)
			p.reply(p.expect("session/set_config_option"), `{}`) // no list: nothing changes
		}
	})
	for range rounds {
		if err := s.Select(t.Context(), Selection{Models: []string{"m-large"}}); err != nil {
			t.Fatal(err)
		}
		if err := s.Select(t.Context(), Selection{Config: map[string]any{"verbose": true}}); err != nil {
			t.Fatal(err)
		}
		offer := s.Offered()
		if got := offer.current(Model); got != "m-huge" {
			t.Fatalf("model %s: the response overwrote the update behind it", got)
		}
	}
}

func TestCT31_NoListIsNotAnEmptyList(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]string{``: ``, `,"configOptions":[]`: `[]`} {
		s := session(t, nil, func(p *peer) { p.open(members) })
		if got := string(s.Offered().Raw); got != want {
			t.Errorf("with %q: raw list %q, want %q", members, got, want)
		}
		if got := s.Snapshot().HasOptions; got != (want != "") {
			t.Errorf("with %q: HasOptions %v", members, got)
		}
	}
}

func TestCT31_OfferedIsACopy(t *testing.T) {
	t.Parallel()
	s := session(t, nil, func(p *peer) { p.open(`,"configOptions":` + optionList("m-small", "low")) })
	first := s.Offered()
	first.Raw[0], first.Options[0].Choices[0].Value = 'x', "changed"
	first.Options = append(first.Options[:1], Option{ID: "new"})
	second := s.Offered()
	if string(second.Raw) != optionList("m-small", "low") || second.Options[0].Choices[0].Value != "m-small" || second.Options[1].ID != "effort" {
		t.Errorf("second read %+v", second)
	}
	var ids []string
	for _, op := range second.Options {
		ids = append(ids, op.ID)
	}
	if got := strings.Join(ids, " "); got != "m effort verbose s" {
		t.Errorf("order %s is not the agent's", got)
	}
}
