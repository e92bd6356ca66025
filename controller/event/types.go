package event

// The type of each event as it stands on the line.

func (RunStart) Type() string     { return "run.start" }
func (AgentStart) Type() string   { return "agent.start" }
func (AgentEnd) Type() string     { return "agent.end" }
func (SessionStart) Type() string { return "session.start" }
func (SessionEnd) Type() string   { return "session.end" }
func (StepStart) Type() string    { return "step.start" }
func (StepEnd) Type() string      { return "step.end" }
func (TurnStart) Type() string    { return "turn.start" }
func (TurnEnd) Type() string      { return "turn.end" }
func (Message) Type() string      { return "message" }
func (MessageDelta) Type() string { return "message.delta" }
func (Thought) Type() string      { return "thought" }
func (ThoughtDelta) Type() string { return "thought.delta" }
func (ToolStart) Type() string    { return "tool.start" }
func (ToolUpdate) Type() string   { return "tool.update" }
func (ToolEnd) Type() string      { return "tool.end" }
func (Plan) Type() string         { return "plan" }
func (ContextUsage) Type() string { return "usage" }
func (Config) Type() string       { return "config" }
func (Mode) Type() string         { return "mode" }
func (Info) Type() string         { return "info" }
func (Commands) Type() string     { return "commands" }
func (Update) Type() string       { return "update" }
func (Ext) Type() string          { return "ext" }
func (Permission) Type() string   { return "permission" }
func (Question) Type() string     { return "question" }
func (Retry) Type() string        { return "retry" }
func (Assert) Type() string       { return "assert" }
func (Limit) Type() string        { return "limit" }
func (Warning) Type() string      { return "warning" }
func (Result) Type() string       { return "result" }

// Bodies returns one zero value of every event type, in the order of the
// documentation: what a schema or a decoder is built from.
func Bodies() []Body {
	return []Body{
		RunStart{}, AgentStart{}, AgentEnd{}, SessionStart{}, SessionEnd{},
		StepStart{}, StepEnd{}, TurnStart{}, TurnEnd{},
		Message{}, MessageDelta{}, Thought{}, ThoughtDelta{},
		ToolStart{}, ToolUpdate{}, ToolEnd{},
		Plan{}, ContextUsage{}, Config{}, Mode{}, Info{}, Commands{}, Update{}, Ext{},
		Permission{}, Question{}, Retry{}, Assert{}, Limit{}, Warning{}, Result{},
	}
}
