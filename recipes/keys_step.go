package recipes

// stepObject is one entry of steps.
func stepObject() *object {
	return &object{name: "step", doc: "One step: exactly one of `prompt`, `run` and `set`.", oneOf: []string{kindPrompt, kindRun, kindSet}, keys: []key{
		{name: "id", form: &form{scalar: identifier}, doc: "Name, for `$steps` and events. Without one the step is `step1`, `step2`, ... in events and cannot be referred to."},
		{name: "if", form: anExpr, doc: "Condition, true or false. `success()` holds too, unless the condition names one of `success`, `failure`, `cancelled`, `always`."},
		{name: "prompt", form: promptForm(), doc: "Prompt for the agent."},
		{name: "run", form: aWord, doc: "Command for `sh -c`, in `cwd`. `${{ }}` is refused here: values come through `env`. Fails with exit 8 when the command does not exit with 0."},
		{name: "set", form: &form{entries: anExpr, keys: identifier}, doc: "Values, read as `$steps.ID.NAME`."},
		{name: "env", form: environment, doc: "Of a `run` step: variables."},
		{name: "parse", form: &form{scalar: word, words: []string{"json", "lines", "none"}}, doc: "Of a `run` step: what stdout is: `json` gives `$steps.ID.json`, `lines` gives `$steps.ID.lines`. Default: `none`."},
		{name: "output", form: &form{object: outputObject()}, doc: "Of a `prompt` step: structured output, read as `$steps.ID.output`."},
		{name: "assert", form: assertForm(), doc: "Conditions on the step's result."},
		{name: "continueOnError", form: aBool, doc: "Whether the run goes on, and may end well, when the step fails."},
		{name: "session", form: &form{scalar: word, words: []string{"main", "new"}, later: []string{"*"}}, doc: "Of a `prompt` step: `main` (default) or a `new` session for this step alone."},
		{name: "model", form: models, doc: "Of a `prompt` step: as for the recipe. What a step selects stays until another one selects."},
		{name: "effort", form: aText, doc: "Likewise."},
		{name: "mode", form: aText, doc: "Likewise."},
		{name: "config", form: options, doc: "Likewise, added to the recipe's."},
		{name: "permissions", form: &form{object: permissionsObject()}, doc: "Of a `prompt` step: rules added to the recipe's."},
		{name: "limits", form: &form{object: stepLimits()}, doc: "Bounds of this step. Reaching one fails the step."},
		{name: "foreach", later: true},
		{name: "parallel", later: true},
		{name: "attach", later: true},
		{name: "retry", later: true},
		{name: "uses", later: true},
		{name: "with", later: true},
		{name: "save", later: true},
		{name: "timeout", hint: "limits: {time: 10m}"},
		{name: "name", hint: "id: NAME"},
	}}
}
