package offline

import (
	"encoding/json"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
)

// script is what the scripted models play.
type script struct {
	given  bool // there is one
	models []model.Entry
	turns  []*turn
}

// turn is played for one prompt.
type turn struct {
	model  string     // id of the only model that plays it; empty: any
	when   expression // of the prompt's text
	repeat bool       // is not used up
	steps  []*step
}

// step answers one request.
type step struct {
	when              expression // of the facts
	thought, text     []string   // chunks
	echo              expression // of the facts; gives the text
	calls             []call
	delay, chunkDelay time.Duration
	usage             *model.Usage
	fails             *model.Error // instead of an end
	end               model.End    // empty: by the calls
}

// call is a tool call to make.
type call struct {
	tool string
	args json.RawMessage
}

// expression is a compiled jq expression; nil when there is none.
type expression func(input any) (any, error)

// fits reports whether the condition is absent or gives something other than
// false and null, which is what jq counts as true.
func (e expression) fits(input any) (bool, error) {
	if e == nil {
		return true, nil
	}
	v, err := e(input)
	return v != nil && v != false, err
}
