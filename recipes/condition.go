package recipes

import (
	"context"

	"github.com/acpctl/acpctl/controller/event"
)

// status is how a run stands.
type status struct{ failed, cancelled bool }

func (s status) success() bool { return !s.failed && !s.cancelled }

// words are the values of the status words of conditions.
func (s status) words(v values) values {
	return v.with("success", s.success()).with("failure", s.failed).with("cancelled", s.cancelled).with("always", true)
}

// skips says why a step does not run, "" if it does. Without a status word a
// condition counts only while all went well. A condition that cannot be
// evaluated is an error of the step.
func (c *condition) skips(ctx context.Context, v values, s status) (string, error) {
	switch {
	case c == nil && s.success():
		return "", nil
	case (c == nil || !c.own) && s.cancelled:
		return skippedEnd, nil
	case (c == nil || !c.own) && s.failed:
		return skippedFailure, nil
	}
	ok, err := c.code.Bool(ctx, nil, s.words(v).vars)
	if err != nil {
		return "", c.src.fault(c.node, err)
	}
	if !ok {
		return skippedCondition, nil
	}
	return "", nil
}

// cleansUp says whether a step may still run when the run was ended. A prompt
// would begin a turn that has no time to end; behind a signal only those run that
// ask for exactly this.
func (s *planStep) cleansUp(why *event.Failure) bool {
	c := s.condition
	if s.kind == kindPrompt || c == nil || !c.own {
		return false
	}
	return why.Class != event.ClassSignal || c.code.Uses("always") || c.code.Uses("cancelled")
}
