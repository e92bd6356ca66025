package agentcore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/acpctl/acpctl/agentcore/tool"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// askName is the tool with which the model asks the user.
const askName = "ask_user"

// askUser is the one tool that talks to the client.
type askUser struct {
	s      *session
	callID string
}

// Spec implements [tool.Tool].
func (askUser) Spec() tool.Spec {
	return tool.Spec{
		Name: askName, Kind: tool.KindThink, Schema: json.RawMessage(askSchema),
		Description: "Ask the user up to 10 questions at once and wait for the answers. Offer options where they are known; " +
			"without options the answer is free text. Never ask for passwords, keys or other credentials.",
	}
}

const askSchema = `{"type":"object","properties":{"questions":{"type":"array","minItems":1,"maxItems":10,"items":{"type":"object",` +
	`"properties":{"question":{"type":"string","description":"the whole question"},` +
	`"header":{"type":"string","description":"a short title"},` +
	`"multiSelect":{"type":"boolean","description":"several options may be chosen"},` +
	`"options":{"type":"array","maxItems":20,"items":{"type":"object","properties":{"label":{"type":"string"},` +
	`"description":{"type":"string"}},"required":["label"],"additionalProperties":false}}},` +
	`"required":["question"],"additionalProperties":false}}},"required":["questions"],"additionalProperties":false}`

// Plan implements [tool.Tool].
func (a askUser) Plan(_ *tool.Workspace, args json.RawMessage) (*tool.Plan, error) {
	b, err := readBatch(args)
	if err != nil {
		return nil, err
	}
	return &tool.Plan{
		Title: askName, Kind: tool.KindThink,
		Run: func(ctx context.Context, _ func(tool.Progress)) tool.Result {
			answers, err := a.put(ctx, b)
			if err != nil {
				return tool.Errorf("ask_user_no_response: %v. Go on without an answer, or ask again if it is needed.", err)
			}
			return b.result(answers)
		},
	}, nil
}

// put asks on the one path that the client offers. What fails there is not tried on
// another: nobody is asked twice.
func (a askUser) put(ctx context.Context, b *batch) ([]inputAnswer, error) {
	c := a.s.conn
	if limit := c.core.opts.AskUserTimeout; limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, limit)
		defer stop()
	}
	var (
		answers []inputAnswer
		err     error
	)
	switch input, form := c.client.requestInput, c.client.form; {
	case input && (c.client.preferInput || !form):
		answers, err = a.requestInput(ctx, b)
	case form:
		answers, err = a.elicit(ctx, b)
	default:
		return nil, errors.New("nobody can be asked here")
	}
	if err != nil {
		return nil, err
	}
	return answers, b.check(answers)
}

// call makes the request to the client. A wait that ends takes the question back.
func (a askUser) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	raw, err := a.s.conn.rpc.Call(ctx, method, params, &jsonrpc.CallOptions{CancelOnDone: true})
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, errors.New("nobody answered in time")
	case ctx.Err() != nil:
		return nil, errors.New("the turn was cancelled")
	case err != nil:
		return nil, errors.New("the question could not be asked")
	}
	return raw, checkText(raw)
}
