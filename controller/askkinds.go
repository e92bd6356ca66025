package controller

import (
	"slices"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
)

// silentIn returns the kinds that agents are known to run unasked in a mode; all
// says that it is every kind. Names are compared without case and punctuation.
func silentIn(mode string) (kinds []string, all bool) {
	switch strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(mode)) {
	case "yolo", "bypass", "bypasspermissions", "fullaccess", "dontask":
		return nil, true
	case "auto", "autoedit", "acceptedits":
		return []string{"edit", "delete", "move"}, false
	}
	return nil, false
}

// quietKinds are the kinds that agents run unasked in every mode, as a rule.
func quietKinds() []string { return []string{"read", "search", "think"} }

// checkAsking holds the kinds with ask or deny rules against what the agent is
// known to ask for in its mode. An agent that announces the extension was told
// to ask. What the mode runs unasked is refused, unless that is allowed; what
// nobody can be sure of is a warning, once per session.
func (s *Session) checkAsking() *event.Failure {
	o := &s.c.opts
	if len(o.AskKinds) == 0 || s.c.info.Capabilities.Chrys {
		return nil
	}
	s.c.stage.enter()
	defer s.c.stage.leave()
	offer := s.offered()
	mode := offer.current(Mode)
	silent, all := silentIn(mode)
	unasked := both(o.AskKinds, silent)
	if all {
		unasked = o.AskKinds
	}
	if len(unasked) > 0 && !o.AllowBypass {
		f := failf(event.ClassUsage, "mode_never_asks", "in mode %q the agent does not ask before calls of kind %s, which have ask or deny rules", mode, strings.Join(unasked, ", "))
		f.Hints = []string{"choose another mode with --mode", "--allow-bypass lets the run go on without these rules"}
		return f
	}
	if unsure := both(o.AskKinds, quietKinds()); !s.warned && len(unsure)+len(unasked) > 0 {
		s.warned = true
		s.start()
		s.show(event.Warning{
			Code:    "ask_not_enforced",
			Message: "the agent may not ask before calls of kind " + strings.Join(slices.Compact(slices.Concat(unasked, unsure)), ", ") + ": their ask and deny rules hold only for what it asks",
		})
	}
	return nil
}

// both returns the elements of a that are also in b.
func both(a, b []string) []string {
	var out []string
	for _, v := range a {
		if slices.Contains(b, v) {
			out = append(out, v)
		}
	}
	return out
}
