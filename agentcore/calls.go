package agentcore

import (
	"slices"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/tool"
)

// call plans, asks for, runs and records one tool call.
func (t *turn) call(c model.Call) error {
	plan := t.plan(&c)
	t.s.chain.send(t.s.pending(c.ID, &plan.Plan))
	var res tool.Result
	if t.ctx.Err() != nil {
		res = tool.Errorf("not run: the turn was cancelled")
	} else {
		res = t.perform(&c, plan)
	}
	return t.settle(&c, plan, &res)
}

// plannedCall is a call as it is shown, with what it will do or why it cannot be made.
type plannedCall struct {
	tool.Plan
	refusal *tool.Result
}

func (p *plannedCall) refuse(format string, args ...any) *plannedCall {
	res := tool.Errorf(format, args...)
	p.refusal = &res
	return p
}

func (t *turn) plan(c *model.Call) *plannedCall {
	p := &plannedCall{Plan: tool.Plan{Title: c.Name, Kind: tool.KindOther, RawInput: asJSON(string(c.Args))}}
	for _, tl := range t.s.tools(c.ID) {
		if tl.Spec().Name != c.Name {
			continue
		}
		plan, err := tl.Plan(&t.s.ws, c.Args)
		if err != nil {
			p.Kind = tl.Spec().Kind
			return p.refuse("%v", err)
		}
		plan.RawInput = p.RawInput
		p.Plan = *plan
		return p
	}
	return p.refuse("there is no tool %s", c.Name)
}

// perform runs a call, after the permission where that is needed.
func (t *turn) perform(c *model.Call, plan *plannedCall) tool.Result {
	if plan.refusal != nil {
		return *plan.refusal
	}
	if res, ok := t.permit(c, &plan.Plan); !ok {
		return res
	}
	t.s.chain.send(running(c.ID))
	var show func(tool.Progress)
	if t.s.conn.core.opts.Stream {
		show = func(p tool.Progress) { t.s.chain.send(progress(c.ID, p.Text)) }
	}
	var res tool.Result
	err := guarded(func() error {
		res = plan.Run(t.ctx, show)
		return nil
	})
	if err != nil {
		return tool.Errorf("%v", err)
	}
	return res
}

// settle records the result of a call.
func (t *turn) settle(c *model.Call, plan *plannedCall, res *tool.Result) error {
	r := record{Type: recordTool, ID: c.ID, Text: res.Text, Tool: &recordedTool{
		Name: plan.Title, Kind: plan.Kind, RawInput: plan.RawInput, RawOutput: res.RawOutput,
		Locations: res.Locations, Diffs: res.Diffs, IsError: res.IsError,
	}}
	if err := t.commit(r, t.s.finished(c.ID, res)); err != nil {
		return err
	}
	return t.mirrorTodos()
}

// mirrorTodos stores and shows the to-do list when it has changed.
func (t *turn) mirrorTodos() error {
	list := t.s.ws.Todos.List()
	if slices.Equal(list, t.s.todos) {
		return nil
	}
	t.s.todos = list
	return t.commit(record{Type: recordTodos, Todos: list}, t.s.planUpdates()...)
}
