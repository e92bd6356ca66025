package acptest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Chaos writes a scenario of one turn that goes wrong in random ways. Calls whose
// id begins with ok run the command "ok now", those with bad "bad now", and the
// requests for their permission have the call's id: who tests a client allows
// the former and looks at the answers.
func Chaos(rng *rand.Rand) string {
	c := &chaos{Rand: rng}
	c.opening()
	if !c.chance(10) {
		c.line("> session/prompt")
	} else {
		c.line("auto session/prompt") // a prompt that is never answered
	}
	if c.chance(50) {
		c.line("auto session/cancel")
	}
	if c.chance(30) {
		c.line("auto response")
	}
	for range c.IntN(12) {
		c.misbehave()
	}
	c.ending()
	return c.out.String()
}

// chaos is a scenario being written.
type chaos struct {
	*rand.Rand
	out   strings.Builder
	calls int
}

func (c *chaos) line(format string, args ...any) { fmt.Fprintf(&c.out, format+"\n", args...) }

// chance is true in so many of a hundred cases.
func (c *chaos) chance(percent int) bool { return c.IntN(100) < percent }

// opening gets to an open session, mostly.
func (c *chaos) opening() {
	switch c.IntN(20) {
	case 0:
		c.line("line a banner")
		c.line("noise 50")
	case 1:
		c.line(`update {"sessionUpdate":"available_commands_update","availableCommands":[]}`)
	case 2: // the handshake is never answered, or badly
		c.line("> initialize")
		c.line([]string{"hang", "exit 0", "fail initialize -32603 no", `reply initialize {"protocolVersion":99}`, `reply initialize 5`}[c.IntN(5)])
	case 3:
		c.line("> initialize")
		c.line(`reply initialize {"protocolVersion":1,"agentCapabilities":{}}`)
		c.line("> session/new")
		c.line([]string{"hang", "exit 1", "fail session/new -32000 log in", `reply session/new {}`, `reply session/new {"sessionId":7}`}[c.IntN(5)])
	}
	c.line("open")
}

// misbehave writes one thing that an agent should not do, or should.
func (c *chaos) misbehave() {
	switch c.IntN(18) {
	case 0:
		c.line("wait %dms", c.IntN(40_000))
	case 1:
		c.line("%s", chaosLines[c.IntN(len(chaosLines))])
	case 2:
		c.line("< %s", c.frame())
	case 3:
		c.line("flood %d %d", c.IntN(400), c.IntN(200))
	case 4:
		c.line("flood 1 %d", c.IntN(1<<20))
	case 5, 6, 7:
		c.toolCall()
	case 8, 9:
		c.permission()
	case 10:
		c.line(`request "%s" elicitation/create {"sessionId":"sess-1","mode":"form","message":"Which?","requestedSchema":%s}`, c.id("q"), c.schema())
	case 11: // a flood of requests that nobody knows
		for range c.IntN(60) {
			c.line(`request "%s" _vendor/x {"a":1}`, c.id("x"))
		}
	case 12:
		c.line(`notify $/cancel_request {"requestId":"%s"}`, c.anyCall())
	case 13:
		c.line("stderr the agent complains")
	case 14:
		c.line(`update %s`, chaosUpdates[c.IntN(len(chaosUpdates))])
	case 15: // the answer, twice or too early
		c.line(`reply session/prompt {"stopReason":"end_turn"}`)
	case 16:
		c.line(`notify session/update {"sessionId":"sess-9","update":%s}`, chaosUpdates[c.IntN(len(chaosUpdates))])
	case 17:
		c.line(`< {"jsonrpc":"2.0","id":%d,"result":{}}`, c.IntN(9))
	}
}

var chaosLines = []string{
	"line Segmentation fault", `line {"level":"info","id":3}`, "line 42", "line null", "line []", `line {"jsonrpc":"2.0"}`,
	`line {"jsonrpc":"2.0","id":{},"method":"x"}`, `line {"jsonrpc":"1.0","id":2,"result":{}}`, `line [{"jsonrpc":"2.0","method":"x"}]`,
	`line {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess-1"}}`, `line {"jsonrpc":"2.0","method":"session/update"}`,
	`line {"jsonrpc":"2.0","id":"9","method":"session/request_permission","params":{}}`,
	`line {"jsonrpc":"2.0","id":"9","method":"session/request_permission","params":{"sessionId":"sess-1"}}`,
	`line {"jsonrpc":"2.0","id":"8","method":"elicitation/create","params":{"sessionId":"sess-1"}}`,
}

var chaosUpdates = []string{
	`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"bad \ud83d half"}}`,
	`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"","mimeType":"image/png"}}`,
	`{"sessionUpdate":"agent_message_chunk","content":5}`, `{"sessionUpdate":7}`, `{}`, `{"sessionUpdate":"future_kind","content":{}}`,
	`{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high","status":"pending"}]}`, `{"sessionUpdate":"plan","entries":4}`,
	`{"sessionUpdate":"usage_update","used":5,"size":10}`, `{"sessionUpdate":"current_mode_update","currentModeId":"ask"}`,
	`{"sessionUpdate":"config_option_update","configOptions":[]}`, `{"sessionUpdate":"tool_call_update","toolCallId":"never"}`,
	`{"sessionUpdate":"tool_call","title":"no id"}`, `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}`,
	`{"sessionUpdate":"session_info_update","title":"t"}`, `{"sessionUpdate":"available_commands_update","availableCommands":null}`,
}

var chaosStatuses = []string{"pending", "in_progress", "completed", "failed", "weird"}

// id makes a new id; anyCall names one that may have been.
func (c *chaos) id(prefix string) string {
	c.calls++
	return fmt.Sprintf("%s-%d", prefix, c.calls)
}

func (c *chaos) anyCall() string {
	return fmt.Sprintf("%s-%d", []string{"ok", "bad"}[c.IntN(2)], 1+c.IntN(c.calls+1))
}

// command is what a call runs, which its id tells.
func command(id string) string { return strings.TrimRight(id, "-0123456789") + " now" }

func (c *chaos) toolCall() {
	id := c.anyCall()
	kind := []string{"tool_call", "tool_call_update"}[c.IntN(2)]
	c.line(`update {"sessionUpdate":"%s","toolCallId":"%s","title":"run","kind":"execute","status":"%s","rawInput":{"command":"%s"}}`,
		kind, id, chaosStatuses[c.IntN(len(chaosStatuses))], command(id))
}

// permission asks for a call, sometimes under an id that is in use, and may take
// the question back. The request has the call's id, so that its answer can be
// judged.
func (c *chaos) permission() {
	id := c.id([]string{"ok", "bad"}[c.IntN(2)])
	if c.chance(30) {
		id = c.anyCall()
	}
	options := `[{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Allow","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]`
	if c.chance(20) {
		options = []string{`[]`, `[{"optionId":"always","name":"A","kind":"allow_always"}]`, `[{"optionId":"no","name":"N","kind":"reject_once"}]`, `5`}[c.IntN(4)]
	}
	c.line(`request "%s" session/request_permission {"sessionId":"sess-1","toolCall":{"toolCallId":"%s","kind":"execute","rawInput":{"command":"%s"}},"options":%s}`,
		id, id, command(id), options)
	switch c.IntN(6) {
	case 0:
		c.line(`notify $/cancel_request {"requestId":"%s"}`, id)
	case 1:
		c.line("> response %q", id)
	}
}

func (c *chaos) schema() string {
	return []string{
		`{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]}},"required":["a"]}`,
		`{"type":"object","properties":{}}`, `{"type":"object","properties":{"a":{"type":"color"}},"required":["a"]}`, `{}`, `7`,
	}[c.IntN(5)]
}

// frame is a frame that answers or asks something odd.
func (c *chaos) frame() string {
	return []string{
		`{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"?"}}`, `{"jsonrpc":"2.0","error":{"code":-1,"message":"?"}}`,
		`{"jsonrpc":"2.0","id":"2","result":{"stopReason":"end_turn"}}`, `{"jsonrpc":"2.0","id":2.5,"method":"x"}`,
		`{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"sessionId":"sess-1","path":"/etc/passwd"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"sess-1","command":"bad"}}`,
		`{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e"}}`,
	}[c.IntN(7)]
}

// ending is how the turn ends, or does not.
func (c *chaos) ending() {
	switch c.IntN(12) {
	case 0:
		c.line("hang")
	case 1:
		c.line("exit %d", c.IntN(3))
	case 2:
		c.line(`partial {"jsonrpc":"2.0","id":2,"result":{"stopRea`)
		c.line("exit 0")
	case 3:
		c.line("fail session/prompt -32603 the model is gone")
	case 4:
		c.line("> session/cancel")
		c.line(`reply session/prompt {"stopReason":"%s"}`, []string{"cancelled", "end_turn"}[c.IntN(2)])
	case 5:
		c.line("> session/cancel")
		c.line("hang")
	case 6:
		c.line(`reply session/prompt {"stopReason":"%s"}`, []string{"refusal", "max_tokens", "cancelled", "weird", ""}[c.IntN(5)])
	case 7:
		c.line("reply session/prompt %s", []string{"null", "{}", "[]", `"end_turn"`, `{"stopReason":4}`}[c.IntN(5)])
	default:
		c.line(`reply session/prompt {"stopReason":"end_turn"}`)
		if c.chance(30) {
			c.toolCall() // behind the end
			c.permission()
		}
	}
}
