package agentcore

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/model"
)

// set changes an option and returns the whole list.
func set(p *peer, session, id, value string) []configOption {
	p.t.Helper()
	return options(p.t, p.ok("session/set_config_option", setParams(session, id, value)))
}

func setParams(session, id, value string) string {
	return fmt.Sprintf(`{"sessionId":%q,"configId":%q,"value":%q}`, session, id, value)
}

func options(t *testing.T, result json.RawMessage) []configOption {
	t.Helper()
	var res struct{ ConfigOptions []configOption }
	if err := json.Unmarshal(result, &res); err != nil {
		t.Fatal(err)
	}
	return res.ConfigOptions
}

// values are the current values by option, in order.
func values(list []configOption) string {
	var b strings.Builder
	for _, o := range list {
		fmt.Fprintf(&b, "%s=%s;", o.ID, o.CurrentValue)
	}
	return b.String()
}

const wholeOptions = `[
 {"id":"model","name":"Model","category":"model","type":"select","currentValue":"offline/scripted","options":[{"group":"offline","name":"offline","options":[
  {"value":"offline/echo","name":"Echo"},{"value":"offline/scripted","name":"Scripted"},{"value":"offline/seer","name":"seer"},{"value":"offline/small","name":"small"}]}]},
 {"id":"reasoning_effort","name":"Reasoning effort","category":"thought_level","type":"select","currentValue":"provider default","options":[
  {"value":"provider default","name":"Provider default"},{"value":"low","name":"low"},{"value":"medium","name":"medium"},{"value":"high","name":"high"}]},
 {"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"manual","options":[
  {"value":"manual","name":"Manual"},{"value":"auto","name":"Auto"},{"value":"bypass","name":"Bypass"}]}]`

func TestAC37_ConfigOptions(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{script: visionScript + "turns: []"})
	var got struct {
		SessionID     string
		ConfigOptions any
	}
	if err := json.Unmarshal(p.ok("session/new", `{"cwd":"/","mcpServers":[]}`), &got); err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal([]byte(wholeOptions), &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got.ConfigOptions); d != "" {
		t.Errorf("configOptions (-want +got):\n%s", d)
	}
	s := got.SessionID
	for _, step := range []struct{ id, value, want string }{
		{"reasoning_effort", "high", "model=offline/scripted;reasoning_effort=high;mode=manual;"},
		{"model", "offline/small", "model=offline/small;reasoning_effort=high;mode=manual;"},
		{"model", "offline/seer", "model=offline/seer;mode=manual;"},
		{"model", "offline/scripted", "model=offline/scripted;reasoning_effort=provider default;mode=manual;"},
		{"reasoning_effort", "medium", "model=offline/scripted;reasoning_effort=medium;mode=manual;"},
		{"model", "offline/small", "model=offline/small;reasoning_effort=provider default;mode=manual;"},
		{"mode", "auto", "model=offline/small;reasoning_effort=provider default;mode=auto;"},
	} {
		if got := values(set(p, s, step.id, step.value)); got != step.want {
			t.Errorf("after %s %s: %s, want %s", step.id, step.value, got, step.want)
		}
	}
}

func TestAC37_ConfiguredDefaultEffort(t *testing.T) {
	t.Parallel()
	f := &fake{stream: sayOK}
	o := fakeOptions(f)
	o.Models.Entries[0].DefaultEffort = "low"
	p := start(t, &setup{Options: o})
	list := options(t, p.ok("session/new", `{"cwd":"/","mcpServers":[]}`))
	if got := values(list); got != "model=test/fake;reasoning_effort=low;mode=manual;" {
		t.Errorf("options %s", got)
	}
	if got := fmt.Sprint(list[1].Options); strings.Contains(got, "default") {
		t.Errorf("choices %s, want no provider default beside a configured one", got)
	}
}

func sayOK(_ context.Context, _ int, _ *model.Request, yield func(model.Chunk, error) bool) {
	yield(model.Chunk{Text: "ok", End: model.EndStop}, nil)
}

func TestAC38_RefusedValuesChangeNothing(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	s := p.session("/")
	for params, reason := range map[string]string{
		setParams(s, "model", "bogus"):                                           "unknown_value",
		setParams(s, "reasoning_effort", "bogus"):                                "unknown_value",
		setParams(s, "mode", "bogus"):                                            "unknown_value",
		setParams(s, "temperature", "1"):                                         "unknown_option",
		`{"sessionId":"` + s + `","configId":"model","value":true}`:              "unknown_value",
		`{"sessionId":"` + s + `","configId":"mode","type":"boolean","value":1}`: "unknown_value",
		`{"sessionId":"` + s + `","configId":"model"}`:                           "unknown_value",
		`{"sessionId":"` + s + `","configId":"model","value":null}`:              "unknown_value",
	} {
		p.refused("session/set_config_option", params, -32602, reason)
	}
	p.refused("session/set_config_option", setParams("nobody", "model", "x"), -32002, "unknown_session")
	if got := values(set(p, s, "reasoning_effort", "low")); got != "model=offline/scripted;reasoning_effort=low;mode=manual;" {
		t.Errorf("options %s after refusals", got)
	}
	set(p, s, "model", "offline/echo")
	p.refused("session/set_config_option", setParams(s, "reasoning_effort", "low"), -32602, "unknown_option")
}

func TestAC38_SelectValueOfTypeID(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	s := p.session("/")
	got := options(t, p.ok("session/set_config_option", `{"sessionId":"`+s+`","configId":"model","type":"id","value":"offline/echo"}`))
	if values(got) != "model=offline/echo;mode=manual;" {
		t.Errorf("options %s", values(got))
	}
}

func TestAC39_MutationsTakeEffectInOrder(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	s := p.session("/")
	models := []string{"offline/echo", "offline/scripted"}
	var ids []string
	for i := range 100 {
		ids = append(ids, p.send("session/set_config_option", setParams(s, "model", models[i%2])))
	}
	for i, id := range ids {
		if got := options(t, p.response(id).Result)[0].CurrentValue; got != models[i%2] {
			t.Fatalf("response %d shows %s, want %s", i, got, models[i%2])
		}
	}
}

func TestAC40_SelectionIsPinned(t *testing.T) {
	t.Parallel()
	reached, gate := make(chan struct{}), make(chan struct{})
	f := &fake{stream: func(_ context.Context, n int, _ *model.Request, yield func(model.Chunk, error) bool) {
		if n == 1 {
			close(reached)
			<-gate
			yield(model.Chunk{Call: &model.Call{Name: "list_dir", Args: []byte("{}")}, End: model.EndToolCalls}, nil)
			return
		}
		yield(model.Chunk{Text: "ok", End: model.EndStop}, nil)
	}}
	p := start(t, &setup{Options: fakeOptions(f)})
	s := p.session(t.TempDir())
	set(p, s, "reasoning_effort", "high")
	running := p.send("session/prompt", promptParams(s, "one"))
	<-reached
	set(p, s, "reasoning_effort", "low")
	set(p, s, "model", "test/other")
	close(gate)
	p.response(running)
	p.prompt(s, "two")
	var got []string
	for _, r := range f.seen() {
		got = append(got, fmt.Sprintf("%s %s %d.%d", r.Model, r.Effort, r.Turn, r.Step))
	}
	if d := cmp.Diff([]string{"fake high 1.1", "fake high 1.2", "other  2.1"}, got); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
}

func TestAC41_UnlistedDefaultModel(t *testing.T) {
	t.Parallel()
	o := fakeOptions(&fake{stream: sayOK})
	o.DefaultModel = "test/unlisted"
	p := start(t, &setup{Options: o})
	list := options(t, p.ok("session/new", `{"cwd":"/","mcpServers":[]}`))
	raw, _ := json.Marshal(list[0].Options)
	if list[0].CurrentValue != "test/unlisted" || !strings.Contains(string(raw), `"value":"test/unlisted"`) {
		t.Errorf("model option %+v, want test/unlisted listed and current", list[0])
	}
}

func TestAC43_RetiredSetModel(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	s := p.session("/")
	if got := string(p.ok("session/set_model", `{"sessionId":"`+s+`","modelId":"offline/echo"}`)); got != `{}` {
		t.Errorf("result %s", got)
	}
	p.refused("session/set_model", `{"sessionId":"`+s+`","modelId":"bogus"}`, -32602, "unknown_value")
	if got := values(set(p, s, "mode", "auto")); got != "model=offline/echo;mode=auto;" {
		t.Errorf("options %s", got)
	}
}
