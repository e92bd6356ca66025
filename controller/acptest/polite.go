package acptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Polite is an agent that does everything right. It offers the options model
// (m-small, m-large), effort (low, high) and mode (ask, code), opens sessions
// sess-1, sess-2 and so on, and answers a prompt with a thought, a call of
// `echo hello` for which it asks permission, and the message "Done: " with the
// prompt's text, or "Not allowed." A cancel ends its turn as cancelled.
//
// A plain one only says its message.
func Polite(plain bool) *Scenario {
	st := step{line: 1, verb: "polite"}
	if plain {
		st.args = []string{"plain"}
	}
	return &Scenario{name: "polite", steps: []step{st}}
}

// option is a config option of the polite agent.
type option struct {
	id, category string
	values       []string
	current      string
}

// polite answers requests as a well-behaved agent does.
type polite struct {
	p     *player
	plain bool
	turn  func(prompt *frame) error // replaces the turn; nil: the usual one
	only  []string                  // methods that are answered; empty: all

	sessions, turns int
	options         []option
}

const politeInitialize = `{"protocolVersion":1,"agentInfo":{"name":"acptest","title":"Scripted agent","version":"1.0.0"},` +
	`"agentCapabilities":{"loadSession":false,"promptCapabilities":{"image":true,"audio":false,"embeddedContext":true},` +
	`"mcpCapabilities":{"http":true,"sse":false},"sessionCapabilities":{"close":{}}},"authMethods":[]}`

// serve answers a frame; taken is false when it is none of those it answers.
func (o *polite) serve(f *frame) (taken bool, err error) {
	if o.only != nil && !slices.Contains(o.only, f.Method) {
		return false, nil
	}
	switch f.Method {
	case "initialize":
		return true, o.p.result(f, politeInitialize)
	case "session/new":
		return true, o.newSession(f)
	case "session/set_config_option":
		return true, o.setOption(f)
	case "session/set_mode", "session/close":
		return true, o.p.result(f, "{}")
	case "session/prompt":
		if o.turn != nil {
			return true, o.turn(f)
		}
		return true, o.prompt(f)
	default:
		if f.ID == nil || f.Method == "" {
			return true, nil // a cancel without a turn, an answer that came too late
		}
		return true, o.unknown(f)
	}
}

// unknown refuses a request.
func (o *polite) unknown(f *frame) error {
	return o.p.w.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, f.ID))
}

func (o *polite) newSession(f *frame) error {
	o.sessions++
	o.p.session = fmt.Sprintf("sess-%d", o.sessions)
	o.options = []option{
		{"model", "model", []string{"m-small", "m-large"}, "m-small"},
		{"effort", "thought_level", []string{"low", "high"}, "low"},
		{"mode", "mode", []string{"ask", "code"}, "ask"},
	}
	return o.p.result(f, fmt.Sprintf(`{"sessionId":%q,"configOptions":%s}`, o.p.session, o.offered()))
}

// offered is the list of options on the wire.
func (o *polite) offered() string {
	var list []string
	for _, op := range o.options {
		var choices []string
		for _, v := range op.values {
			choices = append(choices, fmt.Sprintf(`{"value":%q,"name":%q}`, v, strings.ToUpper(v)))
		}
		list = append(list, fmt.Sprintf(`{"id":%q,"name":%q,"category":%q,"type":"select","currentValue":%q,"options":[%s]}`,
			op.id, strings.ToUpper(op.id), op.category, op.current, strings.Join(choices, ",")))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func (o *polite) setOption(f *frame) error {
	var params struct{ ConfigID, Value string }
	if err := json.Unmarshal(f.Params, &params); err != nil {
		return fmt.Errorf("session/set_config_option: %w", err)
	}
	for i := range o.options {
		op := &o.options[i]
		for _, v := range op.values {
			if op.id == params.ConfigID && v == params.Value {
				op.current = v
				return o.p.result(f, fmt.Sprintf(`{"configOptions":%s}`, o.offered()))
			}
		}
	}
	return o.p.w.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Invalid params","data":"no such option or value"}}`, f.ID))
}

// prompt is the usual turn.
func (o *polite) prompt(f *frame) error {
	o.turns++
	said := "Done: " + promptText(f)
	if !o.plain {
		outcome, err := o.work()
		switch {
		case err != nil:
			return err
		case outcome == "cancelled":
			return o.p.result(f, `{"stopReason":"cancelled"}`)
		case !strings.HasPrefix(outcome, "allow"):
			said = "Not allowed."
		}
	}
	return errors.Join(
		o.update(`{"sessionUpdate":"agent_message_chunk","messageId":"msg-%d","content":{"type":"text","text":%s}}`, o.turns, quote(said[:4])),
		o.update(`{"sessionUpdate":"agent_message_chunk","messageId":"msg-%d","content":{"type":"text","text":%s}}`, o.turns, quote(said[4:])),
		o.update(`{"sessionUpdate":"usage_update","used":15,"size":1000}`),
		o.p.result(f, `{"stopReason":"end_turn","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15}}`),
	)
}

// work thinks and calls a tool. It returns the chosen option, or cancelled.
func (o *polite) work() (outcome string, err error) {
	const call = `"toolCallId":"call-%d","title":"echo hello","kind":"execute","rawInput":{"command":"echo hello"}`
	err = errors.Join(
		o.update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"I will say hello."}}`),
		o.update(`{"sessionUpdate":"tool_call",`+call+`,"status":"pending"}`, o.turns),
		o.p.w.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"ask-%d","method":"session/request_permission","params":{"sessionId":%q,"toolCall":{`+call+`},"options":[`+
			`{"optionId":"allow","name":"Allow","kind":"allow_once"},{"optionId":"allow-always","name":"Always allow","kind":"allow_always"},`+
			`{"optionId":"reject","name":"Reject","kind":"reject_once"}]}}`, o.turns, o.p.session, o.turns)),
		o.p.w.flush(),
	)
	if err == nil {
		outcome, err = o.decision()
	}
	if err != nil || outcome == "cancelled" {
		return outcome, err
	}
	if outcome == "reject" {
		return outcome, o.update(`{"sessionUpdate":"tool_call_update","toolCallId":"call-%d","status":"failed"}`, o.turns)
	}
	return outcome, errors.Join(
		o.update(`{"sessionUpdate":"tool_call_update","toolCallId":"call-%d","status":"in_progress"}`, o.turns),
		o.update(`{"sessionUpdate":"tool_call_update","toolCallId":"call-%d","status":"completed","content":[{"type":"content","content":{"type":"text","text":"hello\n"}}]}`, o.turns),
	)
}

// decision waits for the answer to the permission request. A cancel may come
// before or behind it.
func (o *polite) decision() (string, error) {
	for {
		raw, err := o.p.w.read()
		if err != nil {
			return "", err
		}
		f, err := readFrame(raw)
		if err != nil {
			return "", err
		}
		switch {
		case f.Method == "session/cancel":
			return "cancelled", nil
		case f.Method == "" && string(f.ID) == fmt.Sprintf(`"ask-%d"`, o.turns):
			return optionOf(f), nil
		case f.Method == "session/prompt":
			return "", fmt.Errorf("%w: a prompt while one runs: %.200s", errMismatch, f.raw)
		}
		if _, err := o.serve(f); err != nil {
			return "", err
		}
		if err := o.p.w.flush(); err != nil {
			return "", err
		}
	}
}

// optionOf is the chosen option of an answer; anything else is a cancel.
func optionOf(f *frame) string {
	var result struct{ Outcome struct{ OptionID string } }
	if json.Unmarshal(f.Result, &result) != nil || result.Outcome.OptionID == "" {
		return "cancelled"
	}
	return result.Outcome.OptionID
}

func (o *polite) update(format string, args ...any) error {
	return o.p.w.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`,
		o.p.session, fmt.Sprintf(format, args...)))
}

// promptText is the text of a prompt's first block.
func promptText(f *frame) string {
	var params struct{ Prompt []struct{ Text string } }
	if json.Unmarshal(f.Params, &params) != nil || len(params.Prompt) == 0 {
		return ""
	}
	return params.Prompt[0].Text
}
