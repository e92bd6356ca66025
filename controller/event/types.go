package event

// Type is run.start.
func (RunStart) Type() string { return "run.start" }

// Type is agent.start.
func (AgentStart) Type() string { return "agent.start" }

// Type is agent.end.
func (AgentEnd) Type() string { return "agent.end" }

// Type is session.start.
func (SessionStart) Type() string { return "session.start" }

// Type is session.end.
func (SessionEnd) Type() string { return "session.end" }

// Type is step.start.
func (StepStart) Type() string { return "step.start" }

// Type is step.end.
func (StepEnd) Type() string { return "step.end" }

// Type is turn.start.
func (TurnStart) Type() string { return "turn.start" }

// Type is turn.end.
func (TurnEnd) Type() string { return "turn.end" }

// Type is message.
func (Message) Type() string { return "message" }

// Type is message.delta.
func (MessageDelta) Type() string { return "message.delta" }

// Type is thought.
func (Thought) Type() string { return "thought" }

// Type is thought.delta.
func (ThoughtDelta) Type() string { return "thought.delta" }

// Type is tool.start.
func (ToolStart) Type() string { return "tool.start" }

// Type is tool.update.
func (ToolUpdate) Type() string { return "tool.update" }

// Type is tool.end.
func (ToolEnd) Type() string { return "tool.end" }

// Type is plan.
func (Plan) Type() string { return "plan" }

// Type is usage.
func (ContextUsage) Type() string { return "usage" }

// Type is config.
func (Config) Type() string { return "config" }

// Type is mode.
func (Mode) Type() string { return "mode" }

// Type is info.
func (Info) Type() string { return "info" }

// Type is commands.
func (Commands) Type() string { return "commands" }

// Type is update.
func (Update) Type() string { return "update" }

// Type is ext.
func (Ext) Type() string { return "ext" }

// Type is permission.
func (Permission) Type() string { return "permission" }

// Type is question.
func (Question) Type() string { return "question" }

// Type implements Body.
func (Unasked) Type() string { return "unasked" }

// Type implements Body.
func (Client) Type() string { return "client" }

// Type implements Body.
func (QuestionComplete) Type() string { return "question.complete" }

// Type is retry.
func (Retry) Type() string { return "retry" }

// Type is assert.
func (Assert) Type() string { return "assert" }

// Type is limit.
func (Limit) Type() string { return "limit" }

// Type is warning.
func (Warning) Type() string { return "warning" }

// Type is result.
func (Result) Type() string { return "result" }

// Bodies returns one zero value of every event type, in the order of the
// documentation: what a schema or a decoder is built from.
func Bodies() []Body {
	return []Body{
		RunStart{},
		AgentStart{},
		AgentEnd{},
		SessionStart{},
		SessionEnd{},
		StepStart{},
		StepEnd{},
		TurnStart{},
		TurnEnd{},
		Message{},
		MessageDelta{},
		Thought{},
		ThoughtDelta{},
		ToolStart{},
		ToolUpdate{},
		ToolEnd{},
		Plan{},
		ContextUsage{},
		Config{},
		Mode{},
		Info{},
		Commands{},
		Update{},
		Ext{},
		Permission{},
		Question{},
		QuestionComplete{},
		Client{},
		Unasked{},
		Retry{},
		Assert{},
		Limit{},
		Warning{},
		Result{},
	}
}
