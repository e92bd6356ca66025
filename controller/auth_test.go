package controller

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/acpctl/acpctl/controller/event"
)

const someMethods = `[{"id":"agent-login","name":"Login"},{"id":"key","name":"Key","type":"env_var","vars":[{"name":"A_KEY"},"B_KEY"]},{"id":"tty","name":"Terminal","type":"terminal","args":["login"],"env":{"X":"1"}}]`

// TestCT51_OneLoginOneRetry counts the frames of an agent that asks for a login.
func TestCT51_OneLoginOneRetry(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, method string
		refusals     int
		frames       string
		reason       string
	}{
		{"named and enough", "agent-login", 1, "session/new authenticate session/new", ""},
		{"asks again", "agent-login", 2, "session/new authenticate session/new", "auth_required"},
		{"none named", "", 1, "session/new", "auth_required"},
		{"unknown", "nope", 1, "session/new", "auth_method"},
		{"variables", "key", 1, "session/new", "auth_method"},
		{"terminal", "tty", 1, "session/new", "auth_method"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts, _ := options()
			opts.AuthMethod = tc.method
			var mu sync.Mutex
			var frames []string
			c := connect(t, opts, func(p *peer) {
				p.reply(p.expect("initialize"), `{"protocolVersion":1,"authMethods":`+someMethods+`}`)
				for n := 0; ; {
					f, err := p.read()
					if err != nil {
						return
					}
					mu.Lock()
					frames = append(frames, f.Method)
					mu.Unlock()
					switch {
					case f.Method == "session/new" && n < tc.refusals:
						n++
						p.replyError(f, -32000, "log in", `null`)
					case f.Method == "session/new":
						p.reply(f, `{"sessionId":"s-1"}`)
					default:
						p.reply(f, `{}`)
					}
				}
			})
			_, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
			mu.Lock()
			defer mu.Unlock()
			if got := strings.Join(frames, " "); got != tc.frames {
				t.Errorf("frames %q, want %q", got, tc.frames)
			}
			if tc.reason == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			f := failure(t, err, event.ClassAuth, tc.reason)
			hints := strings.Join(f.Hints, "\n")
			if f.ExitCode() != 11 || hints == "" {
				t.Errorf("exit code %d, hints %q", f.ExitCode(), hints)
			}
		})
	}
}

func TestCT53_LogoutAndVariables(t *testing.T) {
	t.Parallel()
	opts, _ := options()
	var mu sync.Mutex
	var sent []string
	c := connect(t, opts, func(p *peer) {
		p.reply(p.expect("initialize"), `{"protocolVersion":1,"agentCapabilities":{"auth":{"logout":{}}},"authMethods":`+someMethods+`}`)
		f := p.expect("logout")
		mu.Lock()
		sent = append(sent, f.Method)
		mu.Unlock()
		p.reply(f, `{}`)
	})
	if err := c.Logout(t.Context()); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(sent) != 1 {
		t.Errorf("sent %q", sent)
	}
	methods := c.AuthMethods()
	i := slices.IndexFunc(methods, func(m AuthMethod) bool { return m.Type == AuthEnvVar })
	if len(methods) != 3 || i < 0 || !strings.Contains(methods[i].hint(), "set these variables: A_KEY, B_KEY") {
		t.Errorf("methods %+v", methods)
	}
}
