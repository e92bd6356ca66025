package agentcore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/store"
)

func TestAC03_UnparsableLine(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	p.write(`{bad`)
	p.ok("session/list", `{}`)
	refused := p.find("the refusal", func(f *frame) bool { return f.Error != nil && f.Error.Code == -32700 })
	if !strings.Contains(refused.raw, `"id":null`) {
		t.Errorf("refusal %s, want id null", refused.raw)
	}
}

func TestAC04_BatchIsRefusedWhole(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	p.write(`[{"jsonrpc":"2.0","id":9,"method":"session/list","params":{}}]`)
	p.ok("session/list", `{}`)
	refused := p.find("the refusal", func(f *frame) bool { return f.reason() == "batch_not_supported" })
	if refused.Error.Code != -32600 || !strings.Contains(refused.raw, `"id":null`) {
		t.Errorf("refusal %s, want -32600 with id null", refused.raw)
	}
	for _, f := range p.all() {
		if string(f.ID) == "9" {
			t.Errorf("an item of the batch was answered: %s", f.raw)
		}
	}
}

func TestAC05_LargePrompt(t *testing.T) {
	t.Parallel()
	f := &fake{stream: sayOK}
	o := fakeOptions(f)
	o.DefaultModel = "test/other"
	p := start(t, &setup{Options: o})
	size := maxImage
	if testing.Short() {
		size /= 20
	}
	image := imageBlock("image/png", b64(png+strings.Repeat("x", size-len(png))))
	p.ok("session/prompt", `{"sessionId":"`+p.session("/")+`","prompt":[`+image+`,`+image+`]}`)
	if got := f.seen()[0].Messages[1].Images; len(got) != 2 || len(got[1].Data) != size {
		t.Errorf("the model got %d images", len(got))
	}
}

func TestAC07_IDsKeepTheirType(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	p.write(`{"jsonrpc":"2.0","id":71,"method":"session/list","params":{}}`)
	p.write(`{"jsonrpc":"2.0","id":"71","method":"session/list","params":{"cwd":"x"}}`)
	if f := p.response("71"); f.Error != nil {
		t.Errorf("71 is answered with %s", f.raw)
	}
	if f := p.response(`"71"`); f.reason() != "cwd_not_absolute" {
		t.Errorf("\"71\" is answered with %s", f.raw)
	}
}

func TestAC13_NewSessionParams(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	writeFile(t, file, "")
	for params, reason := range map[string]string{
		`{"cwd":".","mcpServers":[]}`:                           "cwd_not_absolute",
		`{"cwd":"","mcpServers":[]}`:                            "cwd_not_absolute",
		`{"mcpServers":[]}`:                                     "cwd_not_absolute",
		`{"cwd":"/does/not/exist","mcpServers":[]}`:             "cwd_not_found",
		fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, file):         "cwd_not_directory",
		`{"cwd":"/"}`:                                           "mcp_invalid",
		`{"cwd":"/","mcpServers":null}`:                         "mcp_invalid",
		`{"cwd":7,"mcpServers":[]}`:                             "invalid_params",
		`[]`:                                                    "invalid_params",
		`{"cwd":"/","mcpServers":[],"additionalDirectories":1}`: "invalid_params",
	} {
		p.refused("session/new", params, -32602, reason)
	}
	if got := listed(p, `{"_meta":{"chrys":{"includeActive":true}}}`); len(got) != 0 {
		t.Errorf("refused sessions are listed: %v", got)
	}
}

func TestAC14_SessionIsStoredWithoutEvents(t *testing.T) {
	t.Parallel()
	core := newCore(t, &setup{})
	p := start(t, &setup{core: core})
	s := p.session(t.TempDir())
	info, err := core.opts.Store.Stat(t.Context(), s)
	if err != nil || info.Records != 0 {
		t.Errorf("stored are %d records, %v, want the header alone", info.Records, err)
	}
}

func TestAC15_FailedSessionLeavesNothing(t *testing.T) {
	t.Parallel()
	core := newCore(t, &setup{})
	p := start(t, &setup{core: core})
	p.refused("session/new", `{"cwd":"/","mcpServers":[{"name":"x","command":"/bin/false","args":[],"env":[]}]}`, -32603, "mcp_connect_failed")
	if infos, err := core.opts.Store.List(t.Context()); err != nil || len(infos) != 0 {
		t.Errorf("stored are %v, %v, want nothing", infos, err)
	}
}

// faultyStore fails to make anything durable when it is told to.
type faultyStore struct {
	store.Store
	failing atomic.Bool
}

func (f *faultyStore) Create(ctx context.Context, h store.Header) (store.Handle, error) {
	handle, err := f.Store.Create(ctx, h)
	return &faultyHandle{handle, f}, err
}

type faultyHandle struct {
	store.Handle
	store *faultyStore
}

func (h *faultyHandle) Flush(ctx context.Context) error {
	if h.store.failing.Load() {
		return errors.New("disk full")
	}
	return h.Handle.Flush(ctx)
}

func TestAC15_StorageFailureLeavesNothing(t *testing.T) {
	t.Parallel()
	faulty := &faultyStore{Store: store.NewMemory()}
	p := start(t, &setup{Options: Options{Store: faulty, DefaultModel: "offline/echo"}})
	faulty.failing.Store(true)
	p.refused("session/new", `{"cwd":"/","mcpServers":[]}`, -32603, "storage_error")
	if got := listed(p, `{"_meta":{"chrys":{"includeActive":true}}}`); len(got) != 0 {
		t.Errorf("listed are %v, want nothing", got)
	}
	faulty.failing.Store(false)
	s := p.session("/")
	faulty.failing.Store(true)
	p.refused("session/prompt", promptParams(s, "x"), -32603, "storage_error")
	p.refused("session/set_mode", `{"sessionId":"`+s+`","modeId":"auto"}`, -32603, "storage_error")
	faulty.failing.Store(false)
	if got := p.prompt(s, "y"); got != "end_turn" {
		t.Errorf("stop reason %q after the store works again", got)
	}
}

func TestAC16_NewSessionResult(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	var res newSessionResult
	if err := json.Unmarshal(p.ok("session/new", `{"cwd":"/","mcpServers":[]}`), &res); err != nil {
		t.Fatal(err)
	}
	if res.SessionID == "" || res.Modes.CurrentModeID != "manual" || len(res.Modes.AvailableModes) != 3 {
		t.Errorf("result %+v", res)
	}
	if last := res.ConfigOptions[len(res.ConfigOptions)-1]; last.ID != "mode" || last.CurrentValue != res.Modes.CurrentModeID {
		t.Errorf("option %+v, want the mode %s", last, res.Modes.CurrentModeID)
	}
}

func TestAC16_NoModel(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{Options: Options{DefaultModel: "none"}})
	p.refused("session/new", `{"cwd":"/","mcpServers":[]}`, -32603, "no_model")
	p = start(t, &setup{Options: Options{DefaultModel: "nobody/knows"}})
	p.refused("session/new", `{"cwd":"/","mcpServers":[]}`, -32603, "no_model")
}

func TestAC65_PlanOfANewSession(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	p.session("/")
	plan := p.find("the plan", func(f *frame) bool { return f.update()["sessionUpdate"] == "plan" })
	if d := cmp.Diff([]any{}, plan.update()["entries"]); d != "" {
		t.Errorf("entries (-want +got):\n%s", d)
	}
}

const readScript = `
turns:
  - repeat: true
    steps:
    - calls: [{tool: read_file, args: {path: PATH}}]
    - text: done
`

func TestAC78_FurtherRoots(t *testing.T) {
	t.Parallel()
	cwd, a, b := t.TempDir(), t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(a, "f"), "text")
	core := newCore(t, &setup{script: strings.ReplaceAll(readScript, "PATH", filepath.Join(a, "f"))})
	p := start(t, &setup{core: core})
	roots := func(list ...string) string {
		raw, _ := json.Marshal(map[string]any{"cwd": cwd, "mcpServers": []any{}, "additionalDirectories": list})
		return string(raw)
	}
	p.refused("session/new", roots("x"), -32602, "root_not_absolute")
	p.refused("session/new", roots("/does/not/exist"), -32602, "root_not_found")
	p.refused("session/new", roots(filepath.Join(a, "f")), -32602, "root_not_found")
	var res struct{ SessionID string }
	if err := json.Unmarshal(p.ok("session/new", roots(b, a, cwd, b)), &res); err != nil {
		t.Fatal(err)
	}
	p.prompt(res.SessionID, "read")
	if asked := count(p, "session/request_permission"); asked != 0 {
		t.Errorf("reading in a further root was asked for %d times", asked)
	}
	p.ok("session/close", `{"sessionId":"`+res.SessionID+`"}`)
	if d := cmp.Diff([]string{b, a}, listed(p, `{}`)[0].Dirs); d != "" {
		t.Errorf("listed roots (-want +got):\n%s", d)
	}
	resume := func(members string) []string {
		p.ok("session/resume", fmt.Sprintf(`{"sessionId":%q,"cwd":%q%s}`, res.SessionID, cwd, members))
		p.ok("session/close", `{"sessionId":"`+res.SessionID+`"}`)
		return listed(p, `{}`)[0].Dirs
	}
	if got := resume(`,"_meta":{"chrys":{"keepAdditionalDirectories":true}}`); len(got) != 2 {
		t.Errorf("kept roots %v, want both", got)
	}
	if got := resume(``); len(got) != 0 {
		t.Errorf("roots %v are restored although nobody asked for it", got)
	}
}

// count counts the agent's requests of a method.
func count(p *peer, method string) int {
	n := 0
	for _, f := range p.all() {
		if f.Method == method {
			n++
		}
	}
	return n
}

func TestEX61_SessionIDsAreSafeNames(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	for _, id := range []string{"", "../x", "/etc/x", "a/b", "a\x00", ".x", "é", strings.Repeat("a", 129)} {
		raw, _ := json.Marshal(id)
		for _, method := range []string{"session/load", "session/resume", "session/delete", "session/close", "session/prompt"} {
			p.refused(method, `{"sessionId":`+string(raw)+`,"cwd":"/","mcpServers":[],"prompt":[{"type":"text","text":"x"}]}`, -32602, "bad_session_id")
		}
	}
	p.refused("session/close", `{"sessionId":"`+strings.Repeat("a", 128)+`"}`, -32002, "unknown_session")
}

func TestCanonicalPathOfWhatIsGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if canonical(link) != canonical(dir) || canonical("/does/./not/exist/") != "/does/not/exist" {
		t.Errorf("canonical: %q of the link, %q of the directory", canonical(link), canonical(dir))
	}
}
