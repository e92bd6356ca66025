package cli

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/acpctl/acpctl/controller"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/recipes"
)

// driver is what a recipe runs on: one connection to one agent, opened when the
// first session is needed, so a recipe without a prompt starts no agent.
type driver struct {
	agent controller.Agent
	opts  *controller.Options
	env   policyEnv
	login *terminalLogin                        // nil: none
	lock  func(id string) (*sessionLock, error) // of a session that is gone on with; nil: none
	locks []*sessionLock
	// loggedIn: a login in a terminal was tried.
	loggedIn bool

	mu sync.Mutex // guards conn
	// conn is nil until the first session.
	conn *controller.Conn

	current atomic.Value // string: the step whose turn it is, for the events of sessions
}

// setStep names the step that runs; empty between steps.
func (d *driver) setStep(id string) { d.current.Store(id) }

func (d *driver) step() string {
	id, _ := d.current.Load().(string)
	return id
}

// Open makes a session for spec.
func (d *driver) Open(ctx context.Context, spec recipes.SessionSpec) (recipes.Session, error) {
	conn, err := d.connect(ctx)
	if err != nil {
		return nil, err
	}
	params := controller.SessionParams{Cwd: spec.Cwd, AddDirs: spec.AddDirs, MCPServers: mcpServers(spec.MCPServers)}
	s, err := d.open(ctx, conn, spec.From, params)
	if again, ok, failed := d.loginAndReconnect(ctx, event.AsFailure(err)); failed != nil {
		return nil, failed
	} else if ok {
		s, err = d.open(ctx, again, spec.From, params)
	}
	if err != nil {
		return nil, err
	}
	return &session{s: s, env: d.env}, nil
}

func (d *driver) connect(ctx context.Context) (*controller.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn != nil {
		return d.conn, nil
	}
	conn, err := controller.Connect(ctx, d.agent, d.opts)
	if err != nil {
		return nil, err
	}
	d.conn = conn
	return conn, nil
}

// Close ends the sessions and the agent. It is bounded by the shutdown ladder.
func (d *driver) Close(ctx context.Context) error {
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	for _, l := range d.locks {
		defer l.release()
	}
	if conn == nil {
		return nil
	}
	return conn.Close(ctx)
}

// Kill ends the agent's process group at once, for a second signal. It does not
// wait for a connection that is just being made.
func (d *driver) Kill() {
	if !d.mu.TryLock() {
		return
	}
	conn := d.conn
	d.mu.Unlock()
	if conn != nil {
		conn.Kill()
	}
}

// session adapts a controller session to what the runner needs.
type session struct {
	s   *controller.Session
	env policyEnv
}

func (s *session) ID() string { return s.s.ID() }

func (s *session) Select(ctx context.Context, sel recipes.Selection) error {
	return s.s.Select(ctx, controller.Selection{Models: sel.Models, Effort: sel.Effort, Mode: sel.Mode, Config: sel.Config})
}

func (s *session) Prompt(ctx context.Context, p recipes.Prompt) (recipes.Turn, error) {
	t, err := s.s.Prompt(ctx, controller.Prompt{
		Blocks: p.Blocks, Idle: p.Idle, ToolCalls: p.ToolCalls,
		Decide: s.decider(p.Policy), Answer: answerer(p.Questions),
		OnUncovered: controller.Reaction(p.OnUncovered), OnDeny: controller.Reaction(p.OnDeny),
	})
	return recipes.Turn{
		StopReason: t.StopReason, Text: t.Text, Usage: t.Usage, Cost: t.Cost, ToolCalls: t.ToolCalls,
		Changes: t.Changes, Denials: t.Denials, Uncovered: t.Uncovered, Unasked: t.Unasked, Question: t.Question, Duration: t.Duration,
	}, err
}

func (s *session) Close(ctx context.Context) error { return s.s.Close(ctx) }

func (s *session) decider(p *policy.Policy) func(*policy.Call) policy.Outcome {
	if p == nil {
		return nil
	}
	return func(call *policy.Call) policy.Outcome { return p.Decide(call, s.env.forCall()) }
}

func answerer(q *recipes.Questions) func(context.Context, *event.Question) controller.Answer {
	if q == nil {
		return nil
	}
	return func(_ context.Context, question *event.Question) controller.Answer {
		a := q.Answer(question)
		return controller.Answer{Action: a.Action, Content: a.Content, By: a.By, Rule: a.Rule, At: a.At}
	}
}

func mcpServers(list []recipes.MCPServer) []controller.MCPServer {
	out := make([]controller.MCPServer, len(list))
	for i, m := range list {
		out[i] = controller.MCPServer{
			Name: m.Name, Type: m.Type, Command: m.Command, Args: m.Args, URL: m.URL,
			Env: pairs(m.Env), Headers: pairs(m.Headers),
		}
	}
	return out
}

func pairs(list []recipes.Variable) []controller.NameValue {
	out := make([]controller.NameValue, len(list))
	for i, v := range list {
		out[i] = controller.NameValue{Name: v.Name, Value: v.Value}
	}
	return out
}
