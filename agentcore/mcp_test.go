package agentcore

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
)

// serverMode is the variable that makes the test binary an MCP server.
const serverMode = "TEST_MCP_SERVER"

// TestMain fails when a test leaves a goroutine of this package behind.
func TestMain(m *testing.M) {
	if os.Getenv(serverMode) != "" {
		serveMCP()
		return
	}
	code := m.Run()
	if left := leaked(); code == 0 && left != "" {
		fmt.Fprintf(os.Stderr, "goroutines left behind:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// leaked returns the stacks of goroutines in this package that do not end soon.
func leaked() string {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var left []string
	for range 200 {
		buf := make([]byte, 1<<20)
		stacks := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
		left = slices.DeleteFunc(stacks[1:], func(s string) bool { return !strings.Contains(s, "acpctl/agentcore") })
		if len(left) == 0 {
			return ""
		}
		<-tick.C
	}
	return strings.Join(left, "\n\n")
}

// serveMCP is an MCP server with one tool, which tells where it runs.
func serveMCP() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var req struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion string }
		}
		if json.Unmarshal(in.Bytes(), &req) != nil || req.ID == nil {
			continue
		}
		var result any = struct{}{}
		switch req.Method {
		case "initialize":
			result = map[string]any{
				"protocolVersion": req.Params.ProtocolVersion, "capabilities": map[string]any{"tools": struct{}{}},
				"serverInfo": map[string]string{"name": "test", "version": "1"},
			}
		case "tools/list":
			result = map[string]any{"tools": []any{map[string]any{"name": "where", "inputSchema": map[string]any{"type": "object"}}}}
		case "tools/call":
			cwd, _ := os.Getwd()
			text, _ := json.Marshal(whereabouts{os.Getpid(), cwd, os.Environ()})
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": string(text)}}}
		}
		raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": req.ID, "result": result})
		fmt.Println(string(raw))
	}
}

// whereabouts are what the tool of the server tells.
type whereabouts struct {
	Pid int
	Cwd string
	Env []string
}

// working declares the test binary as the server fs.
func working() string {
	raw, _ := json.Marshal(map[string]any{
		"name": "fs", "command": os.Args[0], "args": []string{},
		"env": []any{map[string]string{"name": serverMode, "value": "1"}, map[string]string{"name": "DECLARED", "value": "yes"}},
	})
	return string(raw)
}

const broken = `{"name":"broken","command":"/bin/false","args":[],"env":[]}`

func whereCall() model.Call { return model.Call{Name: "mcp__fs__where", Args: []byte("{}")} }

// mounted makes a session with servers.
func (p *peer) mounted(dir string, servers ...string) string {
	p.t.Helper()
	var res struct{ SessionID string }
	raw := p.ok("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[%s]}`, dir, strings.Join(servers, ",")))
	if err := json.Unmarshal(raw, &res); err != nil {
		p.t.Fatal(err)
	}
	return res.SessionID
}

// told is what the tool told the model in one request.
func told(t *testing.T, req *model.Request) whereabouts {
	t.Helper()
	var w whereabouts
	if err := json.Unmarshal([]byte(req.Messages[len(req.Messages)-1].Text), &w); err != nil {
		t.Fatalf("%v in %+v", err, req.Messages)
	}
	return w
}

func TestAC51_ServersRunInTheSessionsDirectory(t *testing.T) {
	t.Parallel()
	f := calling(whereCall())
	st := setup{Options: fakeOptions(f), answer: allowing}
	st.Environ = []string{"PATH=/bin:/usr/bin", "OPENAI_API_KEY=secret"}
	p := start(t, &st)
	dir := t.TempDir()
	p.prompt(p.mounted(dir, working()), "go")
	got := told(t, f.seen()[1])
	if canonical(got.Cwd) != canonical(dir) || !slices.Contains(got.Env, "DECLARED=yes") || slices.Contains(got.Env, "OPENAI_API_KEY=secret") {
		t.Errorf("the server runs in %s with %q", got.Cwd, got.Env)
	}
	p.refused("session/new", `{"cwd":"/","mcpServers":[{"type":"sse","name":"x","url":"http://localhost/","headers":[]}]}`, -32602, "mcp_transport_unsupported")
}

func TestAC52_WrongDeclarations(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	mark := filepath.Join(t.TempDir(), "mark")
	server := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"command":"/bin/touch","args":[%q],"env":[]}`, name, mark)
	}
	f := p.call("session/new", `{"cwd":"/","mcpServers":[`+server("My Srv")+`,`+server("my_srv")+`]}`)
	if f.Error == nil || f.Error.Code != -32602 || string(f.Error.Data) != `{"field":"name","reason":"mcp_invalid","server":"my_srv"}` {
		t.Errorf("refused with %s", f.raw)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a server was started")
	}
}

func TestAC53_OneFailureTakesAllBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	core := newCore(t, &setup{})
	p := start(t, &setup{core: core})
	// The first server lives until the second one has failed.
	first := fmt.Sprintf(`{"name":"first","command":"/bin/sh","args":["-c",%q],"env":[{"name":%q,"value":"1"}]}`,
		"echo $$ > "+filepath.Join(dir, "pid")+"; exec "+os.Args[0], serverMode)
	f := p.call("session/new", `{"cwd":"/","mcpServers":[`+first+`,`+broken+`]}`)
	if f.Error == nil || f.Error.Code != -32603 || f.reason() != "mcp_connect_failed" || !strings.Contains(string(f.Error.Data), `"server":"broken"`) {
		t.Errorf("refused with %s", f.raw)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "pid")); err == nil && alive(t, strings.TrimSpace(string(raw))) {
		t.Errorf("the first server %s still runs", raw)
	}
	if infos, err := core.opts.Store.List(t.Context()); err != nil || len(infos) != 0 {
		t.Errorf("stored are %v, %v, want nothing", infos, err)
	}
}

func TestAC54_SessionsHaveTheirOwnServers(t *testing.T) {
	t.Parallel()
	f := calling(whereCall())
	p := start(t, &setup{Options: fakeOptions(f), answer: allowing})
	for range 2 {
		p.prompt(p.mounted("/", working()), "go")
	}
	requests := f.seen()
	if a, b := told(t, requests[1]), told(t, requests[3]); a.Pid == b.Pid {
		t.Errorf("both sessions use the server %d", a.Pid)
	}
}

func TestAC55_ToolsAreAskedForAndReleased(t *testing.T) {
	t.Parallel()
	f := calling(whereCall())
	p := start(t, &setup{Options: fakeOptions(f), answer: allowing})
	s := p.mounted("/", working())
	p.prompt(s, "go")
	if asked := p.request("session/request_permission", 1); !strings.Contains(asked.raw, `"title":"mcp__fs__where"`) {
		t.Errorf("asked %s", asked.raw)
	}
	pid := told(t, f.seen()[1]).Pid
	p.ok("session/close", `{"sessionId":"`+s+`"}`)
	if alive(t, fmt.Sprint(pid)) {
		t.Errorf("the server %d still runs", pid)
	}
}

func TestAC31_ServersAreThoseOfTheRequest(t *testing.T) {
	t.Parallel()
	f := &fake{stream: sayOK}
	p := start(t, &setup{Options: fakeOptions(f)})
	s := p.mounted("/", working())
	p.prompt(s, "with")
	p.ok("session/close", `{"sessionId":"`+s+`"}`)
	p.refused("session/resume", `{"sessionId":"`+s+`","cwd":"/","mcpServers":[`+broken+`]}`, -32603, "mcp_connect_failed")
	if got := listed(p, `{}`); len(got) != 1 {
		t.Errorf("after a failed mount are listed %v, want the session", got)
	}
	p.ok("session/resume", `{"sessionId":"`+s+`","cwd":"/","mcpServers":[]}`)
	p.prompt(s, "without")
	for i, want := range []bool{true, false} {
		has := slices.ContainsFunc(f.seen()[i].Tools, func(s model.ToolSpec) bool { return s.Name == "mcp__fs__where" })
		if has != want {
			t.Errorf("request %d offers the tool: %v, want %v", i, has, want)
		}
	}
}
