package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// peer plays an agent by hand, frame by frame.
type peer struct {
	t  testing.TB
	tr jsonrpc.Transport
}

// frame is what the client sent.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *jsonrpc.Error  `json:"error"`
	raw    string
}

// playing is an agent in process that plays a script and then reads on until the
// client closes, answering session/close.
func playing(tb testing.TB, script func(p *peer)) *InProcess {
	tb.Helper()
	return &InProcess{Name: "peer", Serve: func(_ context.Context, tr jsonrpc.Transport) error {
		p := &peer{t: tb, tr: tr}
		script(p)
		p.readOn()
		return nil
	}}
}

// readOn reads until the client closes.
func (p *peer) readOn() {
	for f, err := p.read(); err == nil; f, err = p.read() {
		if f.Method == "session/close" {
			p.reply(f, `{}`)
		}
	}
}

func (p *peer) fail(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf(format, args...)
	_ = p.tr.Close()
	runtime.Goexit()
}

func (p *peer) read() (frame, error) {
	raw, err := p.tr.ReadFrame()
	if err != nil {
		return frame{}, err
	}
	var f frame
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, fmt.Errorf("client wrote %q: %w", raw, err)
	}
	f.raw = string(raw)
	return f, nil
}

// expect reads the next frame, which must have this method; "" is a response.
func (p *peer) expect(method string) frame {
	p.t.Helper()
	f, err := p.read()
	if err != nil {
		p.fail("waiting for %q: %v", method, err)
	}
	if f.Method != method {
		p.fail("got %s, want method %q", f.raw, method)
	}
	return f
}

func (p *peer) send(raw string) {
	p.t.Helper()
	if err := p.tr.WriteFrame(context.Background(), []byte(raw)); err != nil && !errors.Is(err, io.EOF) {
		p.t.Logf("peer writing %s: %v", raw, err)
	}
}

func (p *peer) reply(f frame, result string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, f.ID, result))
}

func (p *peer) replyError(f frame, code int, message, data string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q,"data":%s}}`, f.ID, code, message, data))
}

func (p *peer) notify(method, params string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

func (p *peer) request(id, method, params string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
}

// update sends one session/update for session s-1.
func (p *peer) update(update string) {
	p.t.Helper()
	p.notify("session/update", `{"sessionId":"s-1","update":`+update+`}`)
}

func (p *peer) text(text string) {
	p.t.Helper()
	p.update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}`, text))
}

// toolCall announces an execute call.
func (p *peer) toolCall(id, command string) {
	p.t.Helper()
	p.update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":%q,"title":"run","kind":"execute","status":"pending","rawInput":{"command":%q}}`, id, command))
}

const standardOptions = `[{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]`

// permission asks for a call with the standard options.
func (p *peer) permission(id, toolCallID string) {
	p.t.Helper()
	p.request(id, "session/request_permission", fmt.Sprintf(`{"sessionId":"s-1","toolCall":{"toolCallId":%q},"options":%s}`, toolCallID, standardOptions))
}

// initialize answers initialize with these agentCapabilities.
func (p *peer) initialize(capabilities string) {
	p.t.Helper()
	p.reply(p.expect("initialize"), `{"protocolVersion":1,"agentInfo":{"name":"peer","version":"9"},"agentCapabilities":`+capabilities+`}`)
}

// open answers initialize and session/new, the latter with more members.
func (p *peer) open(more string) {
	p.t.Helper()
	p.initialize(`{}`)
	p.reply(p.expect("session/new"), `{"sessionId":"s-1"`+more+`}`)
}

// prompted opens a session and reads the first prompt.
func (p *peer) prompted() frame {
	p.t.Helper()
	p.open("")
	return p.expect("session/prompt")
}

// endTurn answers a prompt.
func (p *peer) endTurn(prompt frame) {
	p.t.Helper()
	p.reply(prompt, `{"stopReason":"end_turn"}`)
}

// recorder keeps the events of a run.
type recorder struct {
	mu     sync.Mutex // guards events
	events []event.Event
}

func (r *recorder) emit(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) all() []event.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]event.Event(nil), r.events...)
}

// types lists the event types, space-separated.
func (r *recorder) types() string {
	var out []string
	for _, e := range r.all() {
		out = append(out, e.Type())
	}
	return strings.Join(out, " ")
}

// bodies returns the bodies of one kind, in order.
func bodies[B event.Body](r *recorder) []B {
	var out []B
	for _, e := range r.all() {
		if b, ok := e.Body.(B); ok {
			out = append(out, b)
		}
	}
	return out
}

// only returns the one body of its kind.
func only[B event.Body](tb testing.TB, r *recorder) B {
	tb.Helper()
	list := bodies[B](r)
	if len(list) != 1 {
		var want B
		tb.Fatalf("%d events of type %s, want 1; all: %s", len(list), want.Type(), r.types())
	}
	return list[0]
}

// warned says whether a warning with this code was emitted.
func warned(r *recorder, code string) bool {
	for _, w := range bodies[event.Warning](r) {
		if w.Code == code {
			return true
		}
	}
	return false
}

// options returns options that record into a new recorder.
func options() (*Options, *recorder) {
	r := &recorder{}
	return &Options{ClientName: "acpctl", ClientVersion: "1", Emit: r.emit, Clock: time.Now}, r
}

// connect connects to a scripted peer; the connection is closed with the test.
func connect(tb testing.TB, opts *Options, script func(p *peer)) *Conn {
	tb.Helper()
	c, err := Connect(tb.Context(), playing(tb, script), opts)
	if err != nil {
		tb.Fatalf("Connect: %v", err)
	}
	tb.Cleanup(func() { _ = c.Close(context.WithoutCancel(tb.Context())) })
	return c
}

// session connects and opens a session.
func session(tb testing.TB, opts *Options, script func(p *peer)) *Session {
	tb.Helper()
	s, err := connect(tb, opts, script).NewSession(tb.Context(), SessionParams{Cwd: "/work"})
	if err != nil {
		tb.Fatalf("NewSession: %v", err)
	}
	return s
}

// say is a prompt of one text block.
func say(text string) Prompt {
	return Prompt{Blocks: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"type":"text","text":%q}`, text))}}
}

// deciding is a policy with one outcome.
func deciding(d policy.Decision) func(*policy.Call) policy.Outcome {
	return func(*policy.Call) policy.Outcome {
		return policy.Outcome{Decision: d, By: "rule", Rule: "execute(x)", At: "r.yaml:3", Layer: "recipe"}
	}
}

// failure asserts that err is a failure of this class and reason.
func failure(tb testing.TB, err error, class event.Class, reason string) *event.Failure {
	tb.Helper()
	var f *event.Failure
	if !errors.As(err, &f) {
		tb.Fatalf("got error %v, want a failure of class %s", err, class)
	}
	if f.Class != class || f.Reason != reason {
		tb.Fatalf("got failure %s/%s (%s), want %s/%s", f.Class, f.Reason, f.Message, class, reason)
	}
	return f
}

// fails is failure for those who need not look closer.
func fails(tb testing.TB, err error, class event.Class, reason string) {
	tb.Helper()
	_ = failure(tb, err, class, reason)
}
