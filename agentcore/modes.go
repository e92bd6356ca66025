package agentcore

import (
	"slices"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// Modes: which tool calls are asked for.
const (
	modeManual = "manual"
	modeAuto   = "auto"
	modeBypass = "bypass"
)

// ACP: SessionMode.
type mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// ACP: SessionModeState.
type modeState struct {
	CurrentModeID  string `json:"currentModeId"`
	AvailableModes []mode `json:"availableModes"`
}

func offeredModes() []mode {
	return []mode{
		{modeManual, "Manual", "Asks before everything but reading inside the workspace."},
		{modeAuto, "Auto", "Reads and edits inside the workspace; asks before everything else."},
		{modeBypass, "Bypass", "Asks only before reaching outside the workspace."},
	}
}

func (s *session) modeState() modeState { return modeState{s.currentMode(), offeredModes()} }

func (s *session) currentMode() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode
}

// setMode changes the mode, which counts from the next tool call on.
func (c *conn) setMode(r *jsonrpc.Request) {
	var p struct {
		SessionID string `json:"sessionId"`
		ModeID    string `json:"modeId"`
	}
	err := decode(r, &p)
	if err != nil {
		c.refuse(r, err)
		return
	}
	s, err := c.active(p.SessionID)
	if err == nil {
		err = s.changeMode(p.ModeID)
	}
	if err == nil {
		s.chain.send(update{"sessionUpdate": "config_option_update", "configOptions": s.configOptions()})
	}
	c.answer(r, struct{}{}, err)
}

// changeMode sets and announces the mode.
func (s *session) changeMode(id string) error {
	if !slices.ContainsFunc(offeredModes(), func(m mode) bool { return m.ID == id }) {
		return invalid("unknown_value", "there is no mode "+id, "value", id)
	}
	if err := s.update(func(s *session) error { s.mode = id; return nil }); err != nil {
		return err
	}
	s.chain.send(update{"sessionUpdate": "current_mode_update", "currentModeId": id})
	return nil
}

// mustAsk says whether a call needs the client's permission, and whether an answer
// may count for the rest of the session.
func (s *session) mustAsk(name, kind string, outside bool) (ask, lasting bool) {
	if outside || slices.Contains(s.ask, kind) {
		return true, false
	}
	if s.allowed[name] {
		return false, false
	}
	switch kind {
	case "read", "search", "think":
		return false, false
	case "edit":
		return s.currentMode() == modeManual, true
	}
	return s.currentMode() != modeBypass, true
}
