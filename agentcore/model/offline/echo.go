package offline

import (
	"context"
	"iter"
	"slices"

	"github.com/acpctl/acpctl/agentcore/model"
)

// echo answers with the text of the last user message.
type echo struct{}

func (echo) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(model.Chunk{}, err)
			return
		}
		text := lastPrompt(req).Text
		if text == "" || yield(model.Chunk{Text: text}, nil) {
			yield(model.Chunk{End: model.EndStop}, nil)
		}
	}
}

// lastPrompt is the last user message; none gives the zero value.
func lastPrompt(req *model.Request) model.Message {
	for _, m := range slices.Backward(req.Messages) {
		if m.Role == model.RoleUser {
			return m
		}
	}
	return model.Message{}
}
