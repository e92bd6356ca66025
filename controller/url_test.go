package controller

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

func urlQuestion(id, elicitation, address string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"elicitation/create","params":{"sessionId":"s-1","mode":"url","message":"Log in","elicitationId":"` + elicitation + `","url":"` + address + `"}}`
}

// TestCT48_ConsentIsAnActOfItsOwn shows what is odd about an address, opens it
// only after an accept, and sends no content.
func TestCT48_ConsentIsAnActOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, address, action string
		announced             bool
		code                  int    // of the refusal
		warnings              string // of the event
	}{
		{"not announced", "https://a.example/x", "", false, -32602, ""},
		{"accepted", "https://a.example/x?y=1", ActionAccept, true, 0, ""},
		{"declined", "https://a.example/", ActionDecline, true, 0, ""},
		{"cancelled, odd", "http://u@xn--80ak6aa92e.example:8080/", ActionCancel, true, 0, "not encrypted, holds a user name, the host is spelled in Punycode"},
		{"another scheme", "file:///etc/passwd", ActionAccept, true, -32602, ""},
		{"script", "javascript:alert(1)", ActionAccept, true, -32602, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				opts, rec := options()
				opts.URLs = tc.announced
				var opened []string
				opts.OpenURL = func(_ context.Context, address string) error { opened = append(opened, address); return nil }
				opts.Answer = func(context.Context, *event.Question) Answer { return Answer{Action: tc.action, By: "rule"} }
				var answer frame
				s := session(t, opts, func(p *peer) {
					prompt := p.prompted()
					p.send(urlQuestion("7", "e-1", tc.address))
					answer = p.expect("")
					p.endTurn(prompt)
				})
				if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if tc.code != 0 {
					if answer.Error == nil || answer.Error.Code != tc.code || len(opened) > 0 {
						t.Errorf("answered %s, opened %q", answer.raw, opened)
					}
					return
				}
				if string(answer.Result) != `{"action":"`+tc.action+`"}` {
					t.Errorf("answered %s", answer.raw)
				}
				if (len(opened) == 1) != (tc.action == ActionAccept) {
					t.Errorf("opened %q", opened)
				}
				q := only[event.Question](t, rec)
				if q.URL != tc.address || q.Mode != "url" || q.Host == "" || strings.Join(q.Warnings, ", ") != tc.warnings {
					t.Errorf("shown %+v", q)
				}
				_ = s.c.OpenAgain("e-1")
				synctest.Wait()
				if tc.action == ActionAccept && len(opened) != 2 {
					t.Errorf("opened again: %q", opened)
				}
			})
		})
	}
}

// TestCT49_CompleteOnce completes an open address once, whatever else the agent
// says, and a lost connection ends what is open.
func TestCT49_CompleteOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opts, rec := options()
		opts.URLs = true
		opts.Answer = func(context.Context, *event.Question) Answer { return Answer{Action: ActionAccept} }
		var mu sync.Mutex
		ended := map[string]time.Duration{}
		begin := time.Now()
		opts.OpenURL = func(ctx context.Context, address string) error {
			<-ctx.Done()
			mu.Lock()
			defer mu.Unlock()
			ended[address] = time.Since(begin)
			return nil
		}
		s := session(t, opts, func(p *peer) {
			prompt := p.prompted()
			for i, e := range []string{"one", "two"} {
				p.send(urlQuestion(string(rune('1'+i)), e, "https://a.example/"+e))
				p.expect("")
			}
			time.Sleep(time.Second)
			for _, e := range []string{"one", "one", "unknown"} {
				p.notify("elicitation/complete", `{"elicitationId":"`+e+`"}`)
			}
			p.endTurn(prompt)
		})
		other := connect(t, opts, func(p *peer) {
			p.open("")
			p.notify("elicitation/complete", `{"elicitationId":"two"}`)
		})
		if _, err := other.NewSession(t.Context(), SessionParams{Cwd: "/work"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if c := only[event.QuestionComplete](t, rec); c.ElicitationID != "one" || c.RequestID != "1" {
			t.Errorf("completed %+v", c)
		}
		time.Sleep(time.Minute)
		_ = s.c.Close(t.Context())
		if s.c.OpenAgain("two") == nil {
			t.Error("an address is open behind the connection")
		}
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if ended["https://a.example/one"] != time.Second || ended["https://a.example/two"] != 61*time.Second {
			t.Errorf("ended %v", ended)
		}
	})
}

// TestCT50_OutsideOfASession answers cancel and warns once.
func TestCT50_OutsideOfASession(t *testing.T) {
	t.Parallel()
	opts, rec := options()
	var answer frame
	s := session(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.send(`{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"requestId":3,"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}}`)
		answer = p.expect("")
		p.endTurn(prompt)
	})
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	if string(answer.Result) != `{"action":"cancel"}` || len(bodies[event.Warning](rec)) != 1 {
		t.Errorf("answered %s, warnings %v", answer.raw, bodies[event.Warning](rec))
	}
}
