package agentcore

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/tool"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// ACP: PermissionOption. Ids and kinds are the same words here.
type permissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

const (
	allowOnce   = "allow_once"
	allowAlways = "allow_always"
	rejectOnce  = "reject_once"
)

// permit gets the permission for a call where one is needed. Otherwise res is what
// the model is told.
func (t *turn) permit(c *model.Call, plan *tool.Plan) (res tool.Result, ok bool) {
	ask, lasting := t.s.mustAsk(plan.Title, plan.Kind, plan.Outside)
	if !ask {
		return res, true
	}
	switch t.requestPermission(c.ID, plan, lasting) {
	case allowOnce:
		return res, true
	case allowAlways:
		t.s.allowed[plan.Title] = true
		return res, true
	case "":
		return tool.Errorf("not run: the turn was cancelled"), false
	}
	return tool.Errorf("denied: the user did not allow this call"), false
}

// requestPermission returns the option that the client chose, empty when the turn is
// cancelled. Whatever is no clear answer is a rejection.
func (t *turn) requestPermission(id string, plan *tool.Plan, lasting bool) string {
	options := []permissionOption{{allowOnce, "Allow", allowOnce}}
	if lasting {
		options = append(options, permissionOption{allowAlways, "Allow " + plan.Title + " in this session", allowAlways})
	}
	options = append(options, permissionOption{rejectOnce, "Reject", rejectOnce})
	call := t.s.pending(id, plan)
	delete(call, "sessionUpdate")
	t.s.addPlaces(call, nil, plan.Diffs)

	ctx, stop := context.WithTimeout(t.ctx, t.s.conn.core.opts.PermissionTimeout)
	defer stop()
	raw, err := t.s.conn.rpc.Call(ctx, "session/request_permission",
		map[string]any{"sessionId": t.s.id, "toolCall": call, "options": options}, &jsonrpc.CallOptions{CancelOnDone: true})
	switch {
	case t.ctx.Err() != nil:
		return ""
	case err != nil:
		return rejectOnce
	}
	chosen := outcomeOf(raw)
	switch {
	case chosen == stopCancelled:
		t.stop()
		return ""
	case slices.ContainsFunc(options, func(o permissionOption) bool { return o.OptionID == chosen }):
		return chosen
	}
	return rejectOnce
}

// outcomeOf is the chosen option, "cancelled", or empty for what is no answer.
func outcomeOf(raw json.RawMessage) string {
	var p struct {
		Outcome struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return ""
	}
	switch p.Outcome.Outcome {
	case "cancelled":
		return stopCancelled
	case "selected":
		if p.Outcome.OptionID != stopCancelled {
			return p.Outcome.OptionID
		}
	}
	return ""
}
