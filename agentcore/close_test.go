package agentcore

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/model"
)

// stubborn is a model that goes on for a second after it was cancelled.
func stubborn(session string) *fake {
	return &fake{stream: func(ctx context.Context, _ int, req *model.Request, yield func(model.Chunk, error) bool) {
		if req.Session == session && req.Turn == 1 {
			<-ctx.Done()
			late := time.NewTimer(time.Second)
			<-late.C
			yield(model.Chunk{}, ctx.Err())
			return
		}
		yield(model.Chunk{Text: "ok", End: model.EndStop}, nil)
	}}
}

// order is the order of responses, and of the updates of one kind between them.
func order(p *peer, kind string) []string {
	var list []string
	for _, f := range p.all() {
		switch u := f.update(); {
		case f.Method == "" && string(f.ID) != "":
			list = append(list, "response "+string(f.ID))
		case u != nil && u["sessionUpdate"] == kind:
			list = append(list, kind)
		}
	}
	return list
}

func TestAC34_CloseEndsTheTurnFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &setup{Options: fakeOptions(stubborn("sess_1"))})
		s, other := p.session("/"), p.session("/")
		prompt := p.send("session/prompt", promptParams(s, "go"))
		synctest.Wait()
		first := p.send("session/close", `{"sessionId":"`+s+`"}`)
		second := p.send("session/close", `{"sessionId":"`+s+`"}`)
		// AC-35: what comes behind the close is refused, other sessions go on.
		p.refused("session/prompt", promptParams(s, "late"), -32002, "session_closing")
		if got := p.prompt(other, "go"); got != "end_turn" {
			t.Errorf("the other session ended with %q", got)
		}
		if got := string(p.response(prompt).Result); got != `{"stopReason":"cancelled"}` {
			t.Errorf("the prompt is answered with %s", got)
		}
		for _, id := range []string{first, second} {
			if got := string(p.response(id).Result); got != `{}` {
				t.Errorf("close %s is answered with %s", id, got)
			}
		}
		synctest.Wait()
		got := strings.Join(order(p, "none"), ", ")
		if want := fmt.Sprintf("response %s, response %s", prompt, first); !strings.Contains(got, want) &&
			!strings.Contains(got, fmt.Sprintf("response %s, response %s", prompt, second)) {
			t.Errorf("order %s, want the prompt's response ahead of those of close", got)
		}
		p.ok("session/resume", `{"sessionId":"`+s+`","cwd":"/"}`)
		p.prompt(s, "again")
	})
}

func TestAC35_PromptBehindCloseIsRefused(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{Options: Options{DefaultModel: "offline/echo"}})
	for _, method := range []string{"session/close", "session/delete"} {
		s := p.session("/")
		closing := p.send(method, `{"sessionId":"`+s+`"}`)
		f := p.call("session/prompt", promptParams(s, "late"))
		if f.Error == nil || f.Error.Code != -32002 {
			t.Errorf("%s: the prompt behind it is answered with %s", method, f.raw)
		}
		if got := string(p.response(closing).Result); got != `{}` {
			t.Errorf("%s is answered with %s", method, got)
		}
	}
}

func TestAC36_CloseOfWhatIsNotActive(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	s := p.idle("/")
	p.refused("session/close", `{"sessionId":"`+s+`"}`, -32002, "not_active")
	p.refused("session/close", `{"sessionId":"nobody"}`, -32002, "unknown_session")
	p.refused("session/prompt", promptParams(s, "x"), -32002, "not_active")
	if f := p.call("session/close", `{"sessionId":"nobody"}`); !strings.Contains(string(f.Error.Data), `"sessionId":"nobody"`) {
		t.Errorf("data %s does not name the session", f.Error.Data)
	}
}

func TestAC36a_Delete(t *testing.T) {
	t.Parallel()
	f, reached := hanging()
	p := start(t, &setup{Options: fakeOptions(f)})
	s := p.session("/")
	prompt := p.send("session/prompt", promptParams(s, "go"))
	<-reached
	for range 2 {
		if got := string(p.ok("session/delete", `{"sessionId":"`+s+`"}`)); got != `{}` {
			t.Errorf("result %s", got)
		}
	}
	if got := stopReason(t, p.response(prompt)); got != "cancelled" {
		t.Errorf("stop reason %q", got)
	}
	if got := listed(p, `{"_meta":{"chrys":{"includeActive":true}}}`); len(got) != 0 {
		t.Errorf("still listed: %v", got)
	}
	p.refused("session/load", `{"sessionId":"`+s+`","cwd":"/","mcpServers":[]}`, -32002, "unknown_session")
}

func TestAC36a_DeleteWithinAWorkspace(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	dir := t.TempDir()
	s := p.idle(dir)
	for params, reason := range map[string]string{
		`"cwd":"/"`:                            "cwd_mismatch",
		`"_meta":{"chrys":{"cwd":"/"}}`:        "cwd_mismatch",
		`"cwd":"x"`:                            "cwd_not_absolute",
		`"_meta":{"chrys":{"cwd":["/", "/"]}}`: "invalid_params",
	} {
		p.refused("session/delete", `{"sessionId":"`+s+`",`+params+`}`, -32602, reason)
	}
	p.ok("session/delete", `{"sessionId":"nobody","cwd":"/"}`)
	if got := listed(p, `{}`); len(got) != 1 {
		t.Errorf("listed are %v, want the session", got)
	}
	p.ok("session/delete", fmt.Sprintf(`{"sessionId":%q,"cwd":%q}`, s, dir+"/"))
	if got := listed(p, `{}`); len(got) != 0 {
		t.Errorf("listed are %v, want nothing", got)
	}
}

func TestAC36a_DeleteOfAnotherClientsSession(t *testing.T) {
	t.Parallel()
	core := newCore(t, &setup{})
	p, other := start(t, &setup{core: core}), start(t, &setup{core: core})
	s := p.session("/")
	other.refused("session/delete", `{"sessionId":"`+s+`"}`, -32602, "session_active")
	other.refused("session/prompt", promptParams(s, "x"), -32002, "not_active")
	other.refused("session/resume", `{"sessionId":"`+s+`","cwd":"/"}`, -32602, "session_active")
	if d := cmp.Diff("model=offline/scripted;reasoning_effort=low;mode=manual;", values(set(p, s, "reasoning_effort", "low"))); d != "" {
		t.Errorf("options (-want +got):\n%s", d)
	}
}
