//go:build unix

package controller

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

// asked runs a turn in which the agent makes one call of a client service, and
// returns the answer.
func asked(t *testing.T, opts *Options, dir, method, params string, more ...string) frame {
	t.Helper()
	var answer frame
	c := connect(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.request("7", method, `{"sessionId":"s-1",`+params+`}`)
		answer = p.expect("")
		for i, m := range more {
			p.request(fmt.Sprint(100+i), strings.SplitN(m, " ", 2)[0], strings.SplitN(m, " ", 2)[1])
			answer = p.expect("")
		}
		p.endTurn(prompt)
	})
	s, err := c.NewSession(t.Context(), SessionParams{Cwd: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	return answer
}

func serviceOptions() (*Options, *recorder) {
	opts, rec := options()
	opts.Client = ClientServices{FS: true, Terminal: true, Environ: os.Environ()}
	opts.Decide = deciding(policy.Allow)
	return opts, rec
}

// TestClientFSReads holds lines and limits against what ACP says, and everything
// that is no text file inside of the folders against a refusal.
func TestClientFSReads(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	write := func(path, text string) string {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	f := write(filepath.Join(dir, "f.txt"), "one\r\ntwo\nthree")
	write(filepath.Join(dir, "bin"), "a\xff\x00")
	secret := write(filepath.Join(outside, "secret"), "secret")
	for link, to := range map[string]string{"out": secret, "outdir": outside, "in": "f.txt", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, params, content string
		code                  int
	}{
		{"whole", `"path":"` + f + `"`, "one\r\ntwo\nthree", 0},
		{"nulls", `"path":"` + f + `","line":null,"limit":null`, "one\r\ntwo\nthree", 0},
		{"from a line", `"path":"` + f + `","line":2`, "two\nthree", 0},
		{"some lines", `"path":"` + f + `","line":2,"limit":1`, "two\n", 0},
		{"no lines", `"path":"` + f + `","limit":0`, "", 0},
		{"behind the end", `"path":"` + f + `","line":9`, "", 0},
		{"link inside", `"path":"` + dir + `/in"`, "one\r\ntwo\nthree", 0},
		{"missing", `"path":"` + dir + `/no.txt"`, "", -32002},
		{"no text", `"path":"` + dir + `/bin"`, "", -32603},
		{"folder", `"path":"` + dir + `"`, "", -32603},
		{"pipe", `"path":"` + dir + `/pipe"`, "", -32603},
		{"link outside", `"path":"` + dir + `/out"`, "", -32603},
		{"folder link outside", `"path":"` + dir + `/outdir/secret"`, "", -32603},
		{"dots", `"path":"` + dir + `/../` + filepath.Base(outside) + `/secret"`, "", -32603},
		{"outside", `"path":"` + secret + `"`, "", -32603},
		{"loop", `"path":"` + dir + `/loop"`, "", -32603},
		{"device", `"path":"/dev/zero"`, "", -32603},
		{"relative", `"path":"f.txt"`, "", -32602},
		{"a NUL", `"path":"` + f + `\u0000"`, "", -32602},
		{"a negative line", `"path":"` + f + `","line":-1`, "", -32602},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts, _ := serviceOptions()
			answer := asked(t, opts, dir, "fs/read_text_file", tc.params)
			if tc.code != 0 {
				if answer.Error == nil || answer.Error.Code != tc.code || strings.Contains(answer.raw, `"secret"`) {
					t.Errorf("answered %s, want code %d", answer.raw, tc.code)
				}
				return
			}
			var got struct{ Content string }
			if err := json.Unmarshal(answer.Result, &got); err != nil || got.Content != tc.content {
				t.Errorf("answered %s, want %q", answer.raw, tc.content)
			}
		})
	}
}

func TestClientFSWrites(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	script := filepath.Join(dir, "run.sh")
	if err := os.WriteFile(script, []byte("old"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "run.sh", "out": filepath.Join(outside, "f"), "outdir": outside} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		path string
		ok   bool
	}{{"deep/er/new.txt", true}, {"link", true}, {"out", false}, {"outdir/f", false}, {"../f", false}, {".", false}} {
		opts, rec := serviceOptions()
		answer := asked(t, opts, dir, "fs/write_text_file", `"path":"`+dir+"/"+tc.path+`","content":"new ü"`)
		if (answer.Error == nil) != tc.ok {
			t.Errorf("%s: answered %s", tc.path, answer.raw)
		}
		if e := only[event.Client](t, rec); (e.Error == "") != tc.ok || e.Method != "fs/write_text_file" {
			t.Errorf("%s: event %+v", tc.path, e)
		}
	}
	for path, mode := range map[string]os.FileMode{"deep/er/new.txt": 0o644, "run.sh": 0o700} {
		text, err := os.ReadFile(filepath.Join(dir, path))
		info, _ := os.Stat(filepath.Join(dir, path))
		if err != nil || string(text) != "new ü" || info.Mode().Perm()&^0o022 != mode&^0o022 {
			t.Errorf("%s: %q, %v, %v", path, text, info, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*acpctl*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("written outside: %v", left)
	}
}

// TestClientServicesPassTheRules has a rule that denies, and none.
func TestClientServicesPassTheRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, decision := range []policy.Decision{policy.Deny, policy.Uncovered} {
		opts, rec := serviceOptions()
		opts.Decide = deciding(decision)
		answer := asked(t, opts, dir, "terminal/create", `"command":"touch made"`)
		if answer.Error == nil || !strings.Contains(answer.Error.Message, "permission denied") {
			t.Errorf("%s: answered %s", decision, answer.raw)
		}
		p := only[event.Permission](t, rec)
		if p.Decision != string(decision) || p.Kind != "execute" || p.RequestID != "7" {
			t.Errorf("recorded %+v", p)
		}
		if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
			t.Error("the command ran")
		}
	}
	opts, _ := options()
	if answer := asked(t, opts, dir, "fs/read_text_file", `"path":"/x"`); answer.Error == nil || answer.Error.Code != -32601 {
		t.Errorf("without client: answered %s", answer.raw)
	}
}

// TestClientTerminals runs lines by the shell and words without one.
func TestClientTerminals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, params, output string
		exit                 string
		truncated            bool
	}{
		{"line", `"command":"echo $X | tr a-z A-Z; exit 3","env":[{"name":"X","value":"hi"}]`, "HI\n", `{"exitCode":3,"signal":null}`, false},
		{"words", `"command":"echo","args":["$X;","a b"]`, "$X; a b\n", `{"exitCode":0,"signal":null}`, false},
		{"cut", `"command":"printf 'abc\\303\\274def'","outputByteLimit":4`, "def", `{"exitCode":0,"signal":null}`, true},
		{"no text", `"command":"printf '\\377ok'"`, "\ufffdok", `{"exitCode":0,"signal":null}`, false},
		{"a child holds the pipe", `"command":"sleep 600 & echo done"`, "done\n", `{"exitCode":0,"signal":null}`, false},
		{"signal", `"command":"kill -9 $$"`, "", `{"exitCode":null,"signal":"killed"}`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts, _ := serviceOptions()
			const id = `{"sessionId":"s-1","terminalId":"term-1"}`
			answer := asked(t, opts, t.TempDir(), "terminal/create", tc.params, "terminal/wait_for_exit "+id, "terminal/output "+id)
			var got struct {
				Output     string
				Truncated  bool
				ExitStatus json.RawMessage
			}
			if err := json.Unmarshal(answer.Result, &got); err != nil || got.Output != tc.output || got.Truncated != tc.truncated || string(got.ExitStatus) != tc.exit {
				t.Errorf("answered %s", answer.raw)
			}
		})
	}
}

// TestClientTerminalReleaseWhileWaiting answers both and ends the command.
func TestClientTerminalReleaseWhileWaiting(t *testing.T) {
	t.Parallel()
	opts, rec := serviceOptions()
	answers := map[string]frame{}
	c := connect(t, opts, func(p *peer) {
		prompt := p.prompted()
		p.request("1", "terminal/create", `{"sessionId":"s-1","command":"echo ready; sleep 600"}`)
		p.expect("")
		p.request("2", "terminal/wait_for_exit", `{"sessionId":"s-1","terminalId":"term-1"}`)
		p.request("3", "terminal/release", `{"sessionId":"s-1","terminalId":"term-1"}`)
		for range 2 {
			f := p.expect("")
			answers[string(f.ID)] = f
		}
		p.request("4", "terminal/output", `{"sessionId":"s-1","terminalId":"term-1"}`)
		answers["4"] = p.expect("")
		p.endTurn(prompt)
	})
	s, err := c.NewSession(t.Context(), SessionParams{Cwd: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(t.Context(), say("hi")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(answers["2"].raw, `"signal":"killed"`) || answers["3"].Error != nil || answers["4"].Error == nil {
		t.Errorf("answers %v", answers)
	}
	if n := len(bodies[event.Client](rec)); n != 3 {
		t.Errorf("%d client events, want one for each call that was taken on", n)
	}
}

// TestClientTerminalsEndWithTheSession leaves no command, whatever the agent did
// not release.
func TestClientTerminalsEndWithTheSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	t.Run("session", func(t *testing.T) { // its connection is closed at its end
		opts, _ := serviceOptions()
		answer := asked(t, opts, dir, "terminal/create", `"command":"echo $$ > pid; exec sleep 600"`,
			`terminal/create {"sessionId":"s-1","command":"until test -s pid; do sleep 0.01; done"}`,
			`terminal/wait_for_exit {"sessionId":"s-1","terminalId":"term-2"}`)
		if answer.Error != nil {
			t.Fatal(answer.raw)
		}
	})
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	var pid int
	if _, scan := fmt.Sscan(string(text), &pid); err != nil || scan != nil {
		t.Fatal(err, scan)
	}
	if groupAlive(pid) {
		t.Error("the command still runs")
	}
}
