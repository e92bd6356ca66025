package recipes

import "sync"

// The forms that many keys have.
var (
	aWord       = &form{scalar: word}
	aText       = &form{scalar: template}
	aVariable   = &form{scalar: variables}
	anExpr      = &form{scalar: expression}
	aBool       = &form{scalar: boolean}
	aCount      = &form{scalar: count}
	aDuration   = &form{scalar: duration}
	anyTree     = &form{scalar: anything, tree: true}
	environment = &form{entries: aVariable, keys: variableName}
	models      = &form{scalar: template, list: aText}
	options     = &form{entries: anyTree, keys: word}
)

// recipeObject is the whole language: every key with its form and meaning. It is
// the source of the schema and of the reference.
var recipeObject = sync.OnceValue(func() *object {
	return &object{name: "recipe", doc: "The file.", oneOf: []string{"steps", "prompt"}, keys: []key{
		{name: "version", form: &form{scalar: count, exactly: 1}, required: true, doc: "Version of the language: 1."},
		{name: "name", form: aWord, doc: "Name of the recipe in events. Default: the name of the file."},
		{name: "inputs", form: &form{entries: &form{object: inputObject}, keys: identifier}, doc: "What a caller gives: `-i NAME=VALUE`, `--inputs FILE` or the variable `ACPCTL_INPUT_name`, also with the name in upper case. An input without `default` must be given."},
		{name: "secrets", form: &form{list: &form{scalar: variableName}}, doc: "Names of environment variables. They must be set, to 6 bytes or more; their values are masked everywhere and withheld from agents and `run` steps, which get them only through `env`."},
		{name: "agent", form: &form{scalar: variables, object: agentObject()}, doc: "`core` (the bundled agent), a command line, which is split into words as a shell does and run without one, or a mapping. Default: `core`."},
		{name: "model", form: models, doc: "Model, or several: the first one that the agent offers. None offered: exit 2."},
		{name: "effort", form: aText, doc: "Reasoning effort, by the agent's own names."},
		{name: "mode", form: aText, doc: "Session mode, by the agent's own names."},
		{name: "config", form: options, doc: "Any other session config option, by its id."},
		{name: "cwd", form: aText, doc: "Folder of the session and of `run` steps, relative to the caller's. Default: the caller's."},
		{name: "addDirs", form: &form{list: aText}, doc: "Further folders of the workspace, relative to the caller's."},
		{name: "session", form: &form{scalar: word, words: []string{"new", "continue"}, object: fromObject}, doc: "Where the session comes from: `new` (default), `continue` (the agent's newest session of this folder; none: exit 4), or a mapping."},
		{name: "mcpServers", form: serversForm(), doc: "MCP servers for the agent to mount, by name, as in `.mcp.json`."},
		{name: "mcpFiles", form: &form{list: aText}, doc: "Files in the shape of `.mcp.json`, relative to the recipe."},
		{name: "permissions", form: &form{object: permissionsObject()}, doc: "Rules that answer the agent's permission requests. See docs/rules.md."},
		{name: "questions", form: &form{object: questionsObject()}, doc: "Rules that answer the agent's questions."},
		{name: "limits", form: &form{object: runLimits()}, doc: "Bounds of the whole run. Reaching one ends the run."},
		{name: "steps", form: &form{list: &form{object: stepObject()}}, doc: "What to do, in order. Required, but for the short form."},
		{name: "prompt", form: promptForm(), doc: "Short form: with `prompt` and without `steps` the recipe is one prompt step with the id `prompt`."},
		{name: "output", form: &form{object: outputObject()}, doc: "Of the short form: structured output."},
		{name: "assert", form: assertForm(), doc: "Of the short form: conditions."},
		{name: "outputs", form: &form{entries: anExpr, keys: identifier}, doc: "Values for `result.outputs`, computed at the end."},
		{name: "watch", later: true},
		{name: "client", form: &form{object: clientObject}, doc: "What the agent may have done on this side. Each call passes the permission rules and stays inside the session's folders."},
		{name: "timeout", hint: "limits: {time: 20m}"},
		{name: "env", hint: "env belongs to a run step, to agent or to an MCP server"},
		{name: "foreach", later: true},
	}}
})

var fromObject = &object{name: "session", doc: "A session that the agent has. One that is gone is exit 4. The session of a step's own `session: new` is always new.", oneOf: []string{"resume", "load", "fork"}, keys: []key{
	{name: "resume", form: aText, doc: "Id of the session to go on with, or `last` for the newest of this folder. Its history is not sent again, unless the agent can only load."},
	{name: "load", form: aText, doc: "Id of the session to go on with; its history comes first, as events with `replay: true`."},
	{name: "fork", form: aText, doc: "Id of the session to make a copy of and go on with that, where the agent can."},
	{name: "orNew", form: &form{scalar: boolean}, doc: "Begin a new session where there is no such session, with a warning. Default: `false`."},
}}

var clientObject = &object{name: "client", doc: "Services for the agent, all off by default.", keys: []key{
	{name: "fs", form: aBool, doc: "`fs/read_text_file` and `fs/write_text_file`."},
	{name: "terminal", form: aBool, doc: "`terminal/*`: commands, in process groups of their own, ended with the session. They get the environment without `secrets` and the keys of model providers."},
}}

var inputObject = &object{name: "input", doc: "One input. The keys are JSON Schema's, and the value is held against them.", keys: []key{
	{name: "type", form: &form{scalar: word, words: []string{"string", "integer", "number", "boolean", "array", "object"}}, doc: "Type. Default: `string`. Text from the command line is read as this type; arrays and objects as JSON."},
	{name: "description", form: aWord, doc: "What it is for."},
	{name: "default", form: anyTree, doc: "Value when none is given."},
	{name: "enum", form: &form{list: anyTree}, doc: "The values that are allowed."},
	{name: "const", form: anyTree, doc: "The only value that is allowed."},
	{name: "minimum", form: &form{scalar: anything}, doc: "Least number."},
	{name: "maximum", form: &form{scalar: anything}, doc: "Greatest number."},
	{name: "exclusiveMinimum", form: &form{scalar: anything}, doc: "Number that it must be above."},
	{name: "exclusiveMaximum", form: &form{scalar: anything}, doc: "Number that it must be below."},
	{name: "multipleOf", form: &form{scalar: anything}, doc: "Number that it must be a multiple of."},
	{name: "minLength", form: aCount, doc: "Least length of a string, in characters."},
	{name: "maxLength", form: aCount, doc: "Greatest length of a string."},
	{name: "pattern", form: &form{scalar: pattern}, doc: "Regular expression that must be found in a string."},
	{name: "items", form: &form{tree: true}, doc: "Schema of the elements of an array."},
	{name: "minItems", form: aCount, doc: "Least number of elements."},
	{name: "maxItems", form: aCount, doc: "Greatest number of elements."},
	{name: "uniqueItems", form: aBool, doc: "Whether elements must differ."},
	{name: "properties", form: &form{tree: true}, doc: "Schemas of the members of an object."},
	{name: "required", form: &form{list: aWord}, doc: "Members that an object must have."},
	{name: "additionalProperties", form: &form{scalar: boolean, tree: true}, doc: "Whether an object may have other members."},
}}

func agentObject() *object {
	core := &object{name: "core", doc: "The bundled agent.", keys: []key{
		{name: "script", form: aVariable, doc: "Script of the model `offline/scripted`, relative to the recipe. See docs/scripted-model.md."},
	}}
	return &object{name: "agent", doc: "The agent: `core`, `command` with `env`, or `url`.", keys: []key{
		{name: "core", form: &form{object: core}, doc: "The bundled agent."},
		{name: "command", form: &form{scalar: variables, list: aVariable}, doc: "Program and arguments: a list, taken exactly, or a line to split. A program with a `/` is relative to the recipe."},
		{name: "env", form: environment, doc: "Added to what the agent inherits: the environment without `secrets`."},
		{name: "url", form: aVariable, doc: "Address of a remote agent, `ws://` or `wss://`: ACP over a WebSocket, one frame a text message."},
		{name: "headers", form: &form{entries: aVariable, keys: word}, doc: "Of `url`: headers of the request that opens it, such as `Authorization: Bearer ${TOKEN}`. Values are masked."},
		{name: "caFile", form: aText, doc: "Of `url`: PEM file of the certificates that the server is held against, relative to the recipe. Default: the system's."},
		{name: "name", hint: "agent: NAME"},
	}}
}

func serversForm() *form {
	return &form{keys: word, entries: &form{object: &object{name: "mcpServer", doc: "One MCP server: `command` (stdio) or `url` (http).", keys: []key{
		{name: "type", form: &form{scalar: word, words: []string{"stdio", "http"}}, doc: "Transport. Default: by the other keys."},
		{name: "command", form: aVariable, doc: "Program of a stdio server. With a `/` it is relative to the recipe."},
		{name: "args", form: &form{list: aVariable}, doc: "Its arguments."},
		{name: "env", form: environment, doc: "Its environment, beside PATH, HOME, locale and temporary folders."},
		{name: "url", form: aVariable, doc: "Address of an http server."},
		{name: "headers", form: &form{entries: aVariable, keys: word}, doc: "Headers of each request. Values are masked."},
		{name: "required", form: aBool, doc: "Whether the run fails, with exit 12, when the agent says that it could not mount the server."},
		{name: "timeout", later: true},
		{name: "tools", later: true},
		{name: "check", later: true},
	}}}}
}

func permissionsObject() *object {
	rule := &object{name: "rule", doc: "A rule with more than its text.", keys: []key{
		{name: "rule", form: &form{scalar: permission}, required: true, doc: "The rule."},
		{name: "except", form: &form{scalar: permission}, doc: "Calls that the rule does not mean, in the same language."},
		{name: "message", form: aText, doc: "Said with a denial."},
	}}
	test := &object{name: "policyTest", doc: "A call and what the rules say to it. `validate` and every run hold them.", keys: []key{
		{name: "call", form: &form{tree: true}, required: true, doc: "The call, as `acpctl policy check` reads it."},
		{name: "expect", form: &form{scalar: word, words: []string{"allow", "ask", "deny", "uncovered"}}, required: true, doc: "The decision."},
	}}
	rules := &form{list: &form{scalar: permission, object: rule}}
	reaction := &form{scalar: word, words: []string{"fail", "continue", "cancel"}}
	return &object{name: "permissions", doc: "Deny comes before ask, ask before allow, then the default; the order of rules has no meaning.", keys: []key{
		{name: "default", form: &form{scalar: word, words: []string{"deny", "ask", "allow"}}, doc: "What applies when no rule does. Default: `deny`, and the call is listed as uncovered."},
		{name: "allow", form: rules, doc: "Rules to allow."},
		{name: "ask", form: rules, doc: "Rules to ask a person for, on a terminal; without one the call is uncovered."},
		{name: "deny", form: rules, doc: "Rules to deny."},
		{name: "onUncovered", form: reaction, doc: "When a call is uncovered: `fail` (default: the run goes on and ends with exit 5), `continue` (listed, exit 0), `cancel` (the turn is cancelled and the step fails)."},
		{name: "onDeny", form: reaction, doc: "When a rule denies a call, the same values. Default: `continue`."},
		{name: "remember", form: &form{scalar: word, words: []string{"once", "session"}}, doc: "`session` lets an allow rule pick the agent's `allow_always`. Default: `once`. Not for a step."},
		{name: "tests", form: &form{list: &form{object: test}}, doc: "Tests of the rules. Not for a step."},
		{name: "onUnasked", form: &form{scalar: word, words: []string{"fail", "warn"}}, doc: "A call that the agent ran without asking and that the rules deny or do not cover: `fail` (default: exit 5) or `warn` (only the event). Not for a step."},
	}}
}

func questionsObject() *object {
	answer := &object{name: "answer", doc: "One rule: `match` or `when`, and one of `answer`, `content`, `jq`. The first rule that fits a field answers it.", keys: []key{
		{name: "match", form: &form{scalar: pattern}, doc: "Regular expression, found in the title, text or name of a field, or in the message."},
		{name: "when", form: anExpr, doc: "Condition; `.` is the question."},
		{name: "answer", form: &form{scalar: anything, list: &form{scalar: anything}}, doc: "Label or value of an option, or free text; a list where several may be chosen."},
		{name: "content", form: &form{entries: anyTree, keys: word}, doc: "Answers by name of the field."},
		{name: "jq", form: anExpr, doc: "Expression that gives the answers by name of the field; `.` is the question."},
	}}
	urls := &object{name: "urls", doc: "Consent to open addresses, such as the page of a login. Only https, without a user name, of exactly one of the hosts; any other is answered `cancel`.", keys: []key{
		{name: "hosts", form: &form{list: aText}, required: true, doc: "Hosts, exactly as in the address, with the port if it has one."},
		{name: "open", form: &form{list: aText}, doc: "Program and arguments that open an address, which is added at the end: `[xdg-open]`. Default: it is only shown, in the `question` event."},
	}}
	return &object{name: "questions", doc: "A question is answered as a whole or not at all.", keys: []key{
		{name: "default", form: &form{scalar: word, words: []string{"stop", "decline", "cancel", "defaults", "ask"}}, doc: "When no rule answers: `stop` (default: the turn is cancelled, exit 6), `decline`, `cancel`, `defaults` (what the question offers as such), `ask` (a terminal; without one like `stop`)."},
		{name: "answers", form: &form{list: &form{object: answer}}, doc: "Rules, in order."},
		{name: "urls", form: &form{object: urls}, doc: "Addresses that the agent wants opened. Without it they are refused."},
	}}
}

func runLimits() *object {
	o := stepLimits()
	return &object{name: "limits", doc: o.doc, keys: append(o.keys, key{
		name: "grace", form: aDuration, doc: "How long an end may take: a proper cancel, and steps that run `always`. Default: 10s, after a signal 2s.",
	})}
}

func stepLimits() *object {
	return &object{name: "stepLimits", doc: "0 is no limit. Time and idle are exit 3, the others 9.", keys: []key{
		{name: "time", form: aDuration, doc: "Wall time."},
		{name: "idle", form: aDuration, doc: "Silence of the agent in a turn. Default: 15m."},
		{name: "toolCalls", form: aCount, doc: "Tool calls."},
		{name: "turns", form: aCount, doc: "Turns, those that ask for output again included."},
		{name: "tokens", later: true},
		{name: "cost", later: true},
		{name: "outputBytes", later: true},
	}}
}

func promptForm() *form {
	return &form{scalar: template, object: &object{name: "prompt", doc: "A prompt in a file.", keys: []key{
		{name: "file", form: aText, required: true, doc: "File, relative to the recipe. `${{ }}` in it sees what a prompt here would, and `$vars`."},
		{name: "vars", form: &form{entries: anyTree, keys: identifier}, doc: "Values for `$vars` in the file."},
	}}}
}

func outputObject() *object {
	return &object{name: "output", doc: "The final message must be one JSON value, or hold one fenced block with it, that matches the schema.", keys: []key{
		{name: "schema", form: &form{scalar: template, tree: true}, required: true, doc: "JSON Schema (2020-12): a file, relative to the recipe, or the schema itself."},
		{name: "retries", form: aCount, doc: "How often the agent is prompted again with the validator's errors. Default: 1. Then exit 7."},
	}}
}

func assertForm() *form {
	return &form{list: &form{object: &object{name: "assert", doc: "A condition on the step's result; a failed one is exit 8.", keys: []key{
		{name: "that", form: anExpr, required: true, doc: "Condition; `.` is the step's result."},
		{name: "message", form: aText, doc: "What it means when it fails."},
	}}}}
}
