//go:build unix

package controller

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acpctl/acpctl/controller/event"
)

func TestCT01_ArgvEnvironmentAndFolderAreExact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spaced := filepath.Join(dir, "with space")
	if err := os.Symlink(os.Args[0], spaced); err != nil {
		t.Skip(err)
	}
	cmd := commandFor(t, "env")
	cmd.Argv, cmd.Dir = []string{"./with space", "a b", "$HOME", `"`}, dir
	cmd.Env = []string{playVariable + "=env", "ONLY=this"}
	_, err := Connect(t.Context(), cmd, nil)
	f := failure(t, err, event.ClassStart, "agent_exited")
	want := fmt.Sprintf(`[%s=env ONLY=this] %s ["a b" "$HOME" "\""]`, playVariable, dir)
	if !strings.Contains(string(f.Data), mustJSON(want)) {
		t.Errorf("data %s\nlack %s", f.Data, mustJSON(want))
	}
}

func mustJSON(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return strings.Trim(string(raw), `"`)
}

func TestF03_AgentThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, []byte("#!/no/such/interpreter\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		cmd    Command
		reason string
		want   []string
	}{
		{"no such command", Command{Argv: []string{"no-such-agent"}, Path: "/usr/bin::/bin"}, "command_not_found", []string{"no-such-agent", "/usr/bin::/bin"}},
		{"no such file", Command{Argv: []string{dir + "/none"}}, "command_not_found", []string{dir + "/none", "does not exist"}},
		{"not executable", Command{Argv: []string{plain}}, "command_not_found", []string{plain, "not executable"}},
		{"a folder", Command{Argv: []string{dir}}, "command_not_found", []string{"is a folder"}},
		{"no such folder", Command{Argv: []string{os.Args[0]}, Dir: dir + "/none"}, "no_such_folder", []string{dir + "/none"}},
		{"does not run", Command{Argv: []string{broken}}, "agent_not_started", []string{broken}},
		{"empty", Command{}, "no_command", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts, rec := options()
			_, err := Connect(t.Context(), &tc.cmd, opts)
			f := failure(t, err, event.ClassStart, tc.reason)
			for _, w := range tc.want {
				if !strings.Contains(f.Message, w) {
					t.Errorf("message %q lacks %q", f.Message, w)
				}
			}
			if rec.types() != "" {
				t.Errorf("events %s", rec.types())
			}
		})
	}
}

func TestLookupTakesThePathGiven(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tool"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, found := range map[string]bool{dir: true, "/none" + string(os.PathListSeparator) + dir: true, "/none": false, "": false} {
		cmd := &Command{Argv: []string{"tool"}, Path: path}
		if program, f := cmd.lookup(); (f == nil) != found || found && program != filepath.Join(dir, "tool") {
			t.Errorf("on %q: %q, %v", path, program, f)
		}
	}
}

func TestF03_AgentExitsBeforeInitialize(t *testing.T) {
	t.Parallel()
	cmd := commandFor(t, "exits")
	_, err := Connect(t.Context(), cmd, nil)
	f := failure(t, err, event.ClassStart, "agent_exited")
	for _, w := range []string{os.Args[0], "exit status 1", "npm error code ENOTEMPTY"} {
		if !strings.Contains(f.Message, w) {
			t.Errorf("message %q lacks %q", f.Message, w)
		}
	}
	if !strings.Contains(string(f.Data), `"exitCode":1`) || !strings.Contains(string(f.Data), "ENOTEMPTY") {
		t.Errorf("data %s", f.Data)
	}
}
