package recipes

import "context"

// status is how a run stands.
type status struct{ failed, cancelled bool }

// words are the values of the status words of conditions.
func (s status) words(v values) values {
	return v.with("success", !s.failed && !s.cancelled).with("failure", s.failed).
		with("cancelled", s.cancelled).with("always", true)
}

// holds decides whether a step is to run. Without a status word a condition
// counts only while everything went well.
func (c *condition) holds(ctx context.Context, v values, s status) (bool, error) {
	success := !s.failed && !s.cancelled
	if c == nil || c.code == nil {
		return success, nil
	}
	if !c.own && !success {
		return false, nil
	}
	return c.code.Bool(ctx, nil, s.words(v).vars)
}

// cleansUp says whether a step may run when the run was interrupted.
func (s *planStep) cleansUp() bool {
	return s.kind != kindPrompt && s.condition != nil && s.condition.code != nil &&
		(s.condition.code.Uses("always") || s.condition.code.Uses("cancelled"))
}
