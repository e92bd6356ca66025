package agentcore

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/model/offline"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// frame is any JSON-RPC frame, as the client reads it.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *jsonrpc.Error  `json:"error"`
	raw    string
}

// update is the update member of a session/update, nil for other frames.
func (f *frame) update() map[string]any {
	var p struct {
		Update map[string]any `json:"update"`
	}
	if f.Method != "session/update" || json.Unmarshal(f.Params, &p) != nil {
		return nil
	}
	return p.Update
}

func (f *frame) reason() string {
	var d struct {
		Reason string `json:"reason"`
	}
	if f.Error == nil || json.Unmarshal(f.Error.Data, &d) != nil {
		return ""
	}
	return d.Reason
}

// peer is a raw client: it writes frames as they are, and keeps all that it reads.
type peer struct {
	t      *testing.T
	pipe   jsonrpc.Transport
	served chan error
	answer func(*frame) string // members of the response to a request, empty: none

	mu     sync.Mutex
	cond   *sync.Cond
	frames []*frame
	ended  bool
	nextID int
}

// setup changes what start sets up.
type setup struct {
	Options
	script string
	init   string // clientCapabilities
	answer func(*frame) string
	core   *Core // instead of a new one
	raw    bool  // no initialize
}

// newCore makes a core over the offline models.
func newCore(t *testing.T, st *setup) *Core {
	t.Helper()
	entries, err := offline.New(&offline.Options{Script: []byte(st.script), Match: matchText})
	if err != nil {
		t.Fatal(err)
	}
	o := st.Options
	if o.Models == nil {
		o.Models = &model.Catalog{Entries: entries}
	}
	o.DefaultModel = or(o.DefaultModel, "offline/scripted")
	if o.DefaultModel == "none" {
		o.DefaultModel = ""
	}
	if o.Clock == nil {
		o.Clock = func() time.Time { return time.Unix(1700000000, 0) }
	}
	var mu sync.Mutex
	ids := map[string]int{}
	o.NewID = func(prefix string) string {
		mu.Lock()
		defer mu.Unlock()
		ids[prefix]++
		return fmt.Sprintf("%s%d", prefix, ids[prefix])
	}
	o.Logf = t.Logf
	core, err := New(&o)
	if err != nil {
		t.Fatal(err)
	}
	return core
}

// matchText stands in for jq: an expression fits when the prompt contains it.
func matchText(expr string) (func(any) (any, error), error) {
	return func(in any) (any, error) { return strings.Contains(fmt.Sprint(in), expr), nil }, nil
}

// start serves a core to a new client.
func start(t *testing.T, st *setup) *peer {
	t.Helper()
	core := st.core
	if core == nil {
		core = newCore(t, st)
	}
	ours, served := serveRaw(t, core)
	p := &peer{t: t, pipe: ours, served: served, answer: st.answer}
	p.cond = sync.NewCond(&p.mu)
	reading := make(chan struct{})
	go p.read(reading)
	t.Cleanup(func() {
		_ = ours.Close()
		<-reading
		if err := p.wait(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	if !st.raw {
		caps := or(st.init, "{}")
		p.call("initialize", `{"protocolVersion":1,"clientCapabilities":`+caps+`}`)
	}
	return p
}

// serveRaw serves a core to whoever uses the transport.
func serveRaw(t *testing.T, core *Core) (jsonrpc.Transport, chan error) {
	t.Helper()
	ours, theirs := jsonrpc.Pipe()
	served := make(chan error, 1)
	go func() { served <- core.Serve(context.Background(), theirs) }()
	return ours, served
}

// wait returns what Serve returned.
func (p *peer) wait() error {
	err := <-p.served
	p.served <- err
	return err
}

func (p *peer) read(done chan struct{}) {
	defer close(done)
	for {
		raw, err := p.pipe.ReadFrame()
		f := &frame{raw: string(raw)}
		if err == nil {
			err = json.Unmarshal(raw, f)
		}
		p.mu.Lock()
		if err != nil {
			p.ended = true
		} else {
			p.frames = append(p.frames, f)
		}
		p.cond.Broadcast()
		p.mu.Unlock()
		if err != nil {
			return
		}
		if f.Method != "" && f.ID != nil && p.answer != nil {
			if members := p.answer(f); members != "" {
				p.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, f.ID, members))
			}
		}
	}
}

func (p *peer) write(raw string) {
	if err := p.pipe.WriteFrame(context.Background(), []byte(raw)); err != nil {
		p.t.Errorf("writing %s: %v", raw, err)
	}
}

// send sends a request and returns its id.
func (p *peer) send(method, params string) string {
	p.mu.Lock()
	p.nextID++
	id := fmt.Sprint(p.nextID)
	p.mu.Unlock()
	p.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

func (p *peer) notify(method, params string) {
	p.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// find waits for the first frame that fits.
func (p *peer) find(what string, fits func(*frame) bool) *frame {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for seen := 0; ; {
		for ; seen < len(p.frames); seen++ {
			if fits(p.frames[seen]) {
				return p.frames[seen]
			}
		}
		if p.ended {
			p.t.Fatalf("the connection ended before %s came", what)
		}
		p.cond.Wait()
	}
}

// response waits for the response to a request.
func (p *peer) response(id string) *frame {
	p.t.Helper()
	return p.find("the response to "+id, func(f *frame) bool { return f.Method == "" && string(f.ID) == id })
}

// call sends a request and waits for its response.
func (p *peer) call(method, params string) *frame {
	p.t.Helper()
	return p.response(p.send(method, params))
}

// ok is call for what has to succeed.
func (p *peer) ok(method, params string) json.RawMessage {
	p.t.Helper()
	f := p.call(method, params)
	if f.Error != nil {
		p.t.Fatalf("%s %s: %s", method, params, f.raw)
	}
	return f.Result
}

// refused is call for what has to fail in one way.
func (p *peer) refused(method, params string, code int, reason string) {
	p.t.Helper()
	f := p.call(method, params)
	if f.Error == nil || f.Error.Code != code || f.reason() != reason {
		p.t.Errorf("%s %.200s\n got %.300s\nwant %d %s", method, params, f.raw, code, reason)
	}
}

// request waits for the agent's n-th request of a method, from 1.
func (p *peer) request(method string, n int) *frame {
	p.t.Helper()
	seen := 0
	return p.find(method, func(f *frame) bool {
		if f.Method == method && f.ID != nil {
			seen++
		}
		return f.Method == method && f.ID != nil && seen == n
	})
}

func (p *peer) reply(f *frame, result string) {
	p.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, f.ID, result))
}

// all returns what was read so far.
func (p *peer) all() []*frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*frame(nil), p.frames...)
}

// updates returns the updates of one kind that were read so far.
func (p *peer) updates(kind string) []map[string]any {
	return updatesOf(p.all(), kind)
}

func updatesOf(frames []*frame, kind string) []map[string]any {
	var list []map[string]any
	for _, f := range frames {
		if u := f.update(); u != nil && u["sessionUpdate"] == kind {
			list = append(list, u)
		}
	}
	return list
}

// session makes a session in a new directory and returns its id.
func (p *peer) session(dir string) string {
	p.t.Helper()
	var res struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(p.ok("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, dir)), &res); err != nil {
		p.t.Fatal(err)
	}
	return res.SessionID
}

func promptParams(session, text string) string {
	return fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, session, text)
}

// prompt plays one turn and returns its stop reason.
func (p *peer) prompt(session, text string) string {
	p.t.Helper()
	return stopReason(p.t, p.call("session/prompt", promptParams(session, text)))
}

func stopReason(t *testing.T, f *frame) string {
	t.Helper()
	var res struct {
		StopReason string `json:"stopReason"`
	}
	if f.Error != nil {
		t.Fatalf("session/prompt: %s", f.raw)
	}
	if err := json.Unmarshal(f.Result, &res); err != nil {
		t.Fatal(err)
	}
	return res.StopReason
}

// fake is a model of a test. It keeps the requests it gets.
type fake struct {
	stream func(ctx context.Context, n int, req *model.Request, yield func(model.Chunk, error) bool)

	mu       sync.Mutex
	requests []*model.Request
}

func (f *fake) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		f.mu.Lock()
		f.requests = append(f.requests, req)
		n := len(f.requests)
		f.mu.Unlock()
		f.stream(ctx, n, req, yield)
	}
}

func (f *fake) seen() []*model.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]*model.Request(nil), f.requests...)
}
