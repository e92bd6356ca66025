package agentcore

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/store"
)

// triggers are the two ways to cancel a prompt.
func triggers() map[string]func(p *peer, session, id string) {
	return map[string]func(p *peer, session, id string){
		"session/cancel":   func(p *peer, session, _ string) { p.notify("session/cancel", `{"sessionId":"`+session+`"}`) },
		"$/cancel_request": func(p *peer, _, id string) { p.notify("$/cancel_request", `{"requestId":`+id+`}`) },
	}
}

// hanging is a model that says a word and then waits for its end.
func hanging() (f *fake, reached chan struct{}) {
	reached = make(chan struct{}, 10)
	return &fake{stream: func(ctx context.Context, n int, _ *model.Request, yield func(model.Chunk, error) bool) {
		if n > 1 {
			yield(model.Chunk{Text: "ok", End: model.EndStop}, nil)
			return
		}
		if !yield(model.Chunk{Text: "half"}, nil) {
			return
		}
		reached <- struct{}{}
		<-ctx.Done()
		yield(model.Chunk{}, ctx.Err())
	}}, reached
}

func TestAC70_CancelWhileTheModelAnswers(t *testing.T) {
	t.Parallel()
	for name, trigger := range triggers() {
		for _, stream := range []bool{false, true} {
			f, reached := hanging()
			st := setup{Options: fakeOptions(f)}
			st.Stream = stream
			p := start(t, &st)
			s := p.session(t.TempDir())
			id := p.send("session/prompt", promptParams(s, "go"))
			<-reached
			trigger(p, s, id)
			if got := string(p.response(id).Result); got != `{"stopReason":"cancelled"}` {
				t.Errorf("%s: result %s", name, got)
			}
			p.prompt(s, "again")
			told := f.seen()[1].Messages[2]
			want := model.Message{Role: model.RoleAssistant, Text: "(the user cancelled the turn)"}
			if stream {
				want.Text = "half" // what the client has seen is part of the conversation
			}
			if d := cmp.Diff(want, told); d != "" {
				t.Errorf("%s, streaming %v: history (-want +got):\n%s", name, stream, d)
			}
		}
	}
}

func TestAC70_CancelWhileAToolRuns(t *testing.T) {
	t.Parallel()
	for name, trigger := range triggers() {
		f := &fake{stream: func(_ context.Context, n int, _ *model.Request, yield func(model.Chunk, error) bool) {
			if n == 1 {
				a, b := shellCall("echo $$ > pid; sleep 600"), shellCall("true")
				_ = yield(model.Chunk{Call: &a}, nil) && yield(model.Chunk{Call: &b, End: model.EndToolCalls}, nil)
				return
			}
			yield(model.Chunk{Text: "ok", End: model.EndStop}, nil)
		}}
		p := start(t, &setup{Options: fakeOptions(f)})
		dir := t.TempDir()
		s := p.session(dir)
		set(p, s, "mode", "bypass")
		id := p.send("session/prompt", promptParams(s, "go"))
		p.find("the running call", func(f *frame) bool { return f.update()["status"] == "in_progress" })
		trigger(p, s, id)
		if got := string(p.response(id).Result); got != `{"stopReason":"cancelled"}` {
			t.Errorf("%s: result %s", name, got)
		}
		if got, n := ends(p), len(p.updates("tool_call_update")); got != "failed failed" || n != 3 {
			t.Errorf("%s: calls ended with %s after %d updates, want the second one not to begin", name, got, n)
		}
		p.prompt(s, "again")
		results := 0
		for _, m := range f.seen()[1].Messages {
			if m.Role == model.RoleTool {
				results++
			}
		}
		if results != 2 {
			t.Errorf("%s: the model sees %d results of its 2 calls", name, results)
		}
	}
}

func TestAC70_CancelDuringTheRetryPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{stream: func(_ context.Context, _ int, _ *model.Request, yield func(model.Chunk, error) bool) {
			yield(model.Chunk{}, &model.Error{Reason: model.ReasonRateLimited, Retryable: true, RetryAfter: 30 * time.Second})
		}}
		p := start(t, &setup{Options: fakeOptions(f)})
		s := p.session("/")
		id := p.send("session/prompt", promptParams(s, "go"))
		synctest.Wait()
		begun := time.Now()
		p.notify("session/cancel", `{"sessionId":"`+s+`"}`)
		if got := stopReason(t, p.response(id)); got != "cancelled" || time.Since(begun) != 0 {
			t.Errorf("stop reason %q after %v", got, time.Since(begun))
		}
	})
}

func TestAC71_CancelReleasesOpenRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := calling(fileCall("delete_file", "x"))
		p := start(t, &setup{Options: fakeOptions(f)})
		s := p.session(t.TempDir())
		id := p.send("session/prompt", promptParams(s, "go"))
		asked := p.request("session/request_permission", 1)
		begun := time.Now()
		p.notify("session/cancel", `{"sessionId":"`+s+`"}`)
		if got := stopReason(t, p.response(id)); got != "cancelled" || time.Since(begun) != 0 {
			t.Errorf("stop reason %q after %v", got, time.Since(begun))
		}
		p.find("the withdrawal", func(f *frame) bool {
			return f.Method == "$/cancel_request" && strings.Contains(f.raw, `"requestId":`+string(asked.ID))
		})
		p.reply(asked, `{"outcome":{"outcome":"selected","optionId":"allow_once"}}`)
		if got := p.prompt(s, "again"); got != "end_turn" {
			t.Errorf("stop reason %q after the late answer", got)
		}
		if told := f.seen()[1].Messages[3]; !told.IsError || !strings.Contains(told.Text, "cancelled") {
			t.Errorf("the model is told %+v, want that nobody denied the call", told)
		}
	})
}

func TestAC72_CancelRightBehindThePrompt(t *testing.T) {
	t.Parallel()
	for name, trigger := range triggers() {
		f := &fake{stream: func(ctx context.Context, _ int, _ *model.Request, yield func(model.Chunk, error) bool) {
			<-ctx.Done()
			yield(model.Chunk{}, ctx.Err())
		}}
		p := start(t, &setup{Options: fakeOptions(f)})
		s := p.session("/")
		for range 50 {
			id := p.send("session/prompt", promptParams(s, "go"))
			trigger(p, s, id)
			if got := stopReason(t, p.response(id)); got != "cancelled" {
				t.Fatalf("%s: stop reason %q", name, got)
			}
		}
	}
}

func TestAC72_CancelOfNothing(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{Options: Options{DefaultModel: "offline/echo"}})
	s := p.session("/")
	for _, params := range []string{`{"sessionId":"` + s + `"}`, `{"sessionId":"nobody"}`, `{}`, `[]`} {
		p.notify("session/cancel", params)
	}
	p.notify("$/cancel_request", `{"requestId":4711}`)
	if got := p.prompt(s, "go"); got != "end_turn" {
		t.Errorf("stop reason %q", got)
	}
}

// slowStore makes sessions only when its gate opens or the request ends.
type slowStore struct {
	store.Store
	reached chan struct{}
}

func (s *slowStore) wait(ctx context.Context) error {
	s.reached <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

func (s *slowStore) Create(ctx context.Context, h store.Header) (store.Handle, error) {
	if h.Cwd == "/" {
		return nil, s.wait(ctx)
	}
	return s.Store.Create(ctx, h)
}

func (s *slowStore) List(ctx context.Context) ([]store.Info, error) { return nil, s.wait(ctx) }

func TestAC73_CancelOfOtherRequests(t *testing.T) {
	t.Parallel()
	slow := &slowStore{Store: store.NewMemory(), reached: make(chan struct{}, 1)}
	p := start(t, &setup{Options: Options{Store: slow, DefaultModel: "offline/echo"}})
	for method, params := range map[string]string{"session/new": `{"cwd":"/","mcpServers":[]}`, "session/list": `{}`} {
		id := p.send(method, params)
		<-slow.reached
		p.notify("$/cancel_request", `{"requestId":`+id+`}`)
		if f := p.response(id); f.Error == nil || f.Error.Code != -32800 {
			t.Errorf("%s: %s, want -32800", method, f.raw)
		}
	}
	if infos, err := slow.Store.List(t.Context()); err != nil || len(infos) != 0 {
		t.Errorf("stored are %v, %v, want nothing", infos, err)
	}
	id := p.send("session/new", `{"cwd":"`+t.TempDir()+`","mcpServers":[]}`)
	p.response(id)
	p.notify("$/cancel_request", `{"requestId":`+id+`}`)
	p.prompt("sess_2", "late cancels change nothing")
}

// silentServer is an MCP server that never answers; it leaves its process id in a
// file.
func silentServer(dir string) string {
	raw, _ := json.Marshal([]any{map[string]any{
		"name": "slow", "command": "/bin/sh", "args": []string{"-c", "echo $$ > " + filepath.Join(dir, "pid") + "; exec sleep 600"}, "env": []any{},
	}})
	return string(raw)
}

// appears waits for a file.
func appears(t *testing.T, path string) string {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if raw, err := os.ReadFile(path); err == nil && len(raw) > 0 {
			return strings.TrimSpace(string(raw))
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatalf("%s never appeared", path)
		}
	}
}

func TestAC73_CancelWhileAServerIsMounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	core := newCore(t, &setup{})
	p := start(t, &setup{core: core})
	id := p.send("session/new", `{"cwd":"/","mcpServers":`+silentServer(dir)+`}`)
	pid := appears(t, filepath.Join(dir, "pid"))
	p.notify("$/cancel_request", `{"requestId":`+id+`}`)
	if f := p.response(id); f.Error == nil || f.Error.Code != -32800 {
		t.Errorf("%s, want -32800", f.raw)
	}
	if alive(t, pid) {
		t.Errorf("the server %s still runs", pid)
	}
	if infos, err := core.opts.Store.List(t.Context()); err != nil || len(infos) != 0 {
		t.Errorf("stored are %v, %v, want nothing", infos, err)
	}
}

func TestAC76_LostConnectionClosesItsSessions(t *testing.T) {
	t.Parallel()
	core := newCore(t, &setup{script: `
turns: [{repeat: true, steps: [{calls: [{tool: shell, args: {command: "echo $$ > pid; exec sleep 600"}}]}, {text: done}]}]
`})
	p, other := start(t, &setup{core: core}), start(t, &setup{core: core})
	dir := t.TempDir()
	s := p.session(dir)
	kept := other.session("/")
	set(p, s, "mode", "bypass")
	p.send("session/prompt", promptParams(s, "go"))
	pid := appears(t, filepath.Join(dir, "pid"))
	_ = p.pipe.Close()
	if err := p.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if alive(t, pid) {
		t.Errorf("the shell %s still runs", pid)
	}
	if got := listed(other, `{}`); len(got) != 1 || got[0].SessionID != s {
		t.Errorf("listed are %v, want %s, which can be resumed", got, s)
	}
	set(other, kept, "mode", "auto")
	other.ok("session/resume", `{"sessionId":"`+s+`","cwd":"`+dir+`"}`)
}

func TestAC76_EndIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		f := &fake{stream: func(_ context.Context, _ int, _ *model.Request, yield func(model.Chunk, error) bool) {
			<-release // deaf to its context
			yield(model.Chunk{}, context.Canceled)
		}}
		core := newCore(t, &setup{Options: fakeOptions(f)})
		ours, served := serveRaw(t, core)
		for _, raw := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
			`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`,
		} {
			if err := ours.WriteFrame(t.Context(), []byte(raw)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if err := ours.WriteFrame(t.Context(), []byte(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":`+promptParams("sess_1", "x")+`}`)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		begun := time.Now()
		_ = ours.Close()
		if err := <-served; err == nil || time.Since(begun) != closeBound {
			t.Errorf("Serve ended with %v after %v, want an error after %v", err, time.Since(begun), closeBound)
		}
		close(release)
		synctest.Wait()
	})
}

func TestAC77_LostConnectionEndsWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &setup{Options: fakeOptions(calling(fileCall("delete_file", "x")))})
		s := p.session(t.TempDir())
		p.send("session/prompt", promptParams(s, "go"))
		p.request("session/request_permission", 1)
		begun := time.Now()
		_ = p.pipe.Close()
		if err := p.wait(); err != nil || time.Since(begun) != 0 {
			t.Errorf("Serve ended with %v after %v", err, time.Since(begun))
		}
	})
}

func TestClosedCore(t *testing.T) {
	t.Parallel()
	core := newCore(t, &setup{})
	p := start(t, &setup{core: core})
	p.session("/")
	if err := core.Close(); err != nil {
		t.Error(err)
	}
	if err := p.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if _, served := serveRaw(t, core); <-served == nil {
		t.Error("a closed core serves")
	}
}

// gatedStore holds up making things durable, whatever happens to the request.
type gatedStore struct {
	store.Store
	shut atomic.Bool
	gate chan struct{}
}

func (g *gatedStore) wrap(h store.Handle, err error) (store.Handle, error) {
	return &gatedHandle{h, g}, err
}

func (g *gatedStore) Create(ctx context.Context, h store.Header) (store.Handle, error) {
	return g.wrap(g.Store.Create(ctx, h))
}

func (g *gatedStore) Open(ctx context.Context, id string) (store.Handle, error) {
	return g.wrap(g.Store.Open(ctx, id))
}

type gatedHandle struct {
	store.Handle
	store *gatedStore
}

func (h *gatedHandle) Flush(context.Context) error {
	if h.store.shut.CompareAndSwap(true, false) {
		<-h.store.gate
	}
	return h.Handle.Flush(context.Background())
}

func TestAC73_CancelOfWhatIsDoneAlready(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gated := &gatedStore{Store: store.NewMemory(), gate: make(chan struct{})}
		p := start(t, &setup{Options: Options{Store: gated}})
		stored := p.idle("/")
		for method, params := range map[string]string{
			"session/new": `{"cwd":"/","mcpServers":[]}`, "session/resume": openParams(stored, "/"), "session/load": openParams(stored, "/"),
		} {
			gated.shut.Store(true)
			id := p.send(method, params)
			synctest.Wait()
			p.notify("$/cancel_request", `{"requestId":`+id+`}`)
			synctest.Wait()
			gated.gate <- struct{}{}
			if f := p.response(id); f.Error == nil || f.Error.Code != -32800 {
				t.Errorf("%s: %s, want -32800", method, f.raw)
			}
			synctest.Wait()
			if got := listed(p, `{"_meta":{"chrys":{"includeActive":true}}}`); len(got) != 1 || got[0].Meta != nil {
				t.Errorf("%s: left are %+v, want the stored session, inactive", method, got)
			}
		}
		p.ok("session/resume", openParams(stored, "/"))
	})
}
