package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/acpctl/acpctl/controller"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

// probeReport is what agents probe prints. Durations are milliseconds.
type probeReport struct {
	Name         string          `json:"name,omitempty"`
	Version      string          `json:"version,omitempty"`
	InitializeMs int64           `json:"initializeMs"`
	SessionMs    int64           `json:"sessionMs"`
	Capabilities json.RawMessage `json:"capabilities,omitempty"` // agentCapabilities, unchanged
	AuthMethods  []string        `json:"authMethods,omitempty"`  // id and type
	Options      []probeOption   `json:"options"`
	// Checks say what was tried: models, efforts and modes that were set, and the
	// methods of sessions.
	Checks []probeCheck `json:"checks"`
	Turn   *probeTurn   `json:"turn,omitempty"`
}

// probeOption is something that a session offers, and whether choosing changes
// it.
type probeOption struct {
	ID      string   `json:"id,omitempty"`
	Purpose string   `json:"purpose,omitempty"` // model, effort, mode
	Label   string   `json:"label"`
	Type    string   `json:"type"`
	Current string   `json:"current,omitempty"`
	Choices []string `json:"choices,omitempty"`
	// Honoured says whether another choice took effect; absent when there is none.
	Honoured *bool  `json:"honoured,omitempty"`
	Error    string `json:"error,omitempty"`
}

func (o *probeOption) note() string {
	switch {
	case o.Honoured == nil:
		return ""
	case *o.Honoured:
		return " (can be set)"
	case o.Error != "":
		return " (cannot be set: " + o.Error + ")"
	default:
		return " (setting it changes nothing)"
	}
}

// probeCheck is one thing that was tried.
type probeCheck struct {
	Name     string `json:"name"`
	Offered  bool   `json:"offered"`
	Honoured bool   `json:"honoured"`
	Detail   string `json:"detail,omitempty"`
}

func (c *probeCheck) text() string {
	text := "not offered"
	switch {
	case c.Offered && c.Honoured:
		text = "yes"
	case c.Offered:
		text = "offered, does not work"
	}
	if c.Detail != "" {
		text += ": " + c.Detail
	}
	return text
}

// probeTurn is the turn of --prompt: every permission was denied.
type probeTurn struct {
	StopReason string `json:"stopReason,omitempty"`
	ToolCalls  int    `json:"toolCalls"`
	Asked      int    `json:"asked"` // how many of them it asked for
	Error      string `json:"error,omitempty"`
}

// prober probes one agent.
type prober struct {
	app  *app
	spec agentSpec
	dir  string
	o    *agentsOptions

	report probeReport
	end    event.AgentEnd // of the last connection
	asked  int
}

// run probes over two connections: what outlives a process is tried in a second
// one.
func (p *prober) run(ctx context.Context) (*probeReport, error) {
	id, caps, err := p.first(ctx)
	if err != nil {
		return nil, err
	}
	p.exits()
	if ctx.Err() == nil && (caps.Resume || caps.LoadSession) {
		p.second(ctx, id, caps)
	} else {
		p.check("resume", false, nil, "")
	}
	return &p.report, nil
}

func (p *prober) connect(ctx context.Context) (*controller.Conn, error) {
	agent, err := p.app.openAgent(p.spec)
	if err != nil {
		return nil, err
	}
	return controller.Connect(ctx, agent, &controller.Options{
		ClientName: "acpctl", ClientVersion: version(), Clock: p.app.env.Now, Grace: grace(0), Deadlines: p.app.env.Deadlines,
		AuthMethod: p.o.auth, AllowBypass: true, Emit: p.see,
		Decide: func(*policy.Call) policy.Outcome {
			return policy.Outcome{Decision: policy.Deny, By: "default", Message: "a probe denies everything"}
		},
		Answer: func(context.Context, *event.Question) controller.Answer {
			return controller.Answer{Action: controller.ActionCancel, By: "default"}
		},
	})
}

// see keeps what the events tell and the calls do not.
func (p *prober) see(e event.Event) {
	switch b := e.Body.(type) {
	case event.AgentStart:
		p.report.Name, p.report.Version, p.report.Capabilities = b.Name, b.Version, b.Capabilities
	case event.AgentEnd:
		p.end = b
	case event.Permission:
		p.asked++
	}
}

// first opens the agent and a session, and tries what one connection can.
func (p *prober) first(ctx context.Context) (id string, caps controller.Capabilities, err error) {
	now := p.app.env.Now
	began := now()
	conn, err := p.connect(ctx)
	if err != nil {
		return "", caps, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	p.report.InitializeMs = now().Sub(began).Milliseconds()
	caps = conn.Capabilities()
	for _, m := range conn.AuthMethods() {
		p.report.AuthMethods = append(p.report.AuthMethods, m.ID+" ("+m.Type+")")
	}
	began = now()
	s, err := conn.NewSession(ctx, controller.SessionParams{Cwd: p.dir})
	if err != nil {
		return "", caps, err
	}
	p.report.SessionMs = now().Sub(began).Milliseconds()
	p.options(ctx, s)
	p.turns(ctx, s)
	p.lists(ctx, conn, s.ID(), caps)
	return s.ID(), caps, nil
}

// options sets every option to another choice and back.
func (p *prober) options(ctx context.Context, s *controller.Session) {
	p.report.Options = []probeOption{}
	for _, op := range s.Offered().Options {
		o := probeOption{ID: op.ID, Purpose: op.Purpose, Label: op.Label, Type: op.Type, Current: currentOf(&op)}
		for _, c := range op.Choices {
			o.Choices = append(o.Choices, c.Value)
		}
		if other := otherChoice(&op); other != "" {
			honoured, err := p.set(ctx, s, &op, other)
			o.Honoured = &honoured
			if err != nil {
				o.Error = err.Error()
			}
			_, _ = p.set(ctx, s, &op, o.Current)
		}
		p.report.Options = append(p.report.Options, o)
	}
}

func currentOf(op *controller.Option) string {
	if i := slices.IndexFunc(op.Choices, func(c controller.Choice) bool { return c.Current }); i >= 0 {
		return op.Choices[i].Value
	}
	var text string
	_ = json.Unmarshal(op.Current, &text)
	return text
}

func otherChoice(op *controller.Option) string {
	for _, c := range op.Choices {
		if c.Value != currentOf(op) {
			return c.Value
		}
	}
	return ""
}

// set makes one choice and says whether it is the current one then.
func (p *prober) set(ctx context.Context, s *controller.Session, op *controller.Option, value string) (bool, error) {
	sel := controller.Selection{}
	switch op.Purpose {
	case controller.Model:
		sel.Models = []string{value}
	case controller.Effort:
		sel.Effort = value
	case controller.Mode:
		sel.Mode = value
	default:
		sel.Config = map[string]any{op.ID: value}
	}
	if err := s.Select(ctx, sel); err != nil {
		return false, err
	}
	for _, now := range s.Offered().Options {
		if now.ID == op.ID && now.Purpose == op.Purpose {
			return currentOf(&now) == value, nil
		}
	}
	return false, nil
}

// turns runs the prompt, if there is one, and a second turn that is cancelled.
func (p *prober) turns(ctx context.Context, s *controller.Session) {
	if p.o.prompt == "" || ctx.Err() != nil {
		return
	}
	block, _ := json.Marshal(map[string]string{"type": "text", "text": p.o.prompt})
	prompt := controller.Prompt{Blocks: []json.RawMessage{block}, OnDeny: controller.ReactContinue}
	t, err := s.Prompt(ctx, prompt)
	p.report.Turn = &probeTurn{StopReason: t.StopReason, ToolCalls: len(t.ToolCalls), Asked: p.asked}
	if err != nil {
		p.report.Turn.Error = err.Error()
	}
	short, cancel := context.WithTimeoutCause(ctx, time.Second, &event.Failure{Class: event.ClassTimeout, Reason: "probe", Message: "the probe cancels"})
	defer cancel()
	t, err = s.Prompt(short, prompt)
	detail := t.StopReason
	if err == nil {
		detail = "the turn was over before"
	}
	p.check("cancel", true, nilUnless(t.StopReason != "" || err == nil, "no answer"), detail)
}

// lists tries the list, and that the session stands in it.
func (p *prober) lists(ctx context.Context, conn *controller.Conn, id string, caps controller.Capabilities) {
	if !caps.List {
		p.check("list", false, nil, "")
		return
	}
	n, found := 0, false
	var failed error
	for s, err := range conn.Sessions(ctx, p.dir) {
		if err != nil {
			failed = err
			break
		}
		n++
		found = found || s.ID == id
	}
	detail := fmt.Sprintf("%d sessions of the folder, the open one among them: %v", n, found)
	p.check("list", true, failed, detail)
}

// exits says how the first process ended.
func (p *prober) exits() {
	if len(p.spec.Argv) == 0 {
		return
	}
	switch {
	case p.end.Signal != "":
		p.check("exit", true, fmt.Errorf("it had to be ended: %s", p.end.Signal), "")
	case p.end.ExitCode != nil:
		p.check("exit", true, nil, fmt.Sprintf("status %d when its input ends", *p.end.ExitCode))
	}
}

// second resumes the session in a new process, and deletes it.
func (p *prober) second(ctx context.Context, id string, caps controller.Capabilities) {
	conn, err := p.connect(ctx)
	if err != nil {
		p.check("resume", true, err, "")
		return
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	s, err := conn.ResumeSession(ctx, id, controller.SessionParams{Cwd: p.dir})
	p.check("resume", true, err, "in a new process")
	if s != nil {
		p.check("close", caps.CloseSession, nilUnless(s.Close(ctx) == nil, "an error"), "")
	}
	if caps.DeleteSession {
		p.check("delete", true, conn.DeleteSession(ctx, id), "")
	} else {
		p.check("delete", false, nil, "")
	}
}

func (p *prober) check(name string, offered bool, err error, detail string) {
	c := probeCheck{Name: name, Offered: offered, Honoured: offered && err == nil, Detail: detail}
	if err != nil {
		c.Detail = err.Error()
	}
	p.report.Checks = append(p.report.Checks, c)
}

func nilUnless(ok bool, message string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s", message)
}
