package controller

import (
	"encoding/json"
	"testing"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

// FuzzPermissionFacts collects the facts of a call from an update and the request
// for its permission: nothing panics, and a request that names a denied command
// is never allowed, whatever the update said.
func FuzzPermissionFacts(f *testing.F) {
	f.Add(`{"toolCallId":"a","kind":"execute","rawInput":{"command":"ok x"}}`, `{"toolCallId":"a","rawInput":{"command":"rm x"}}`)
	f.Add(`{"toolCallId":"a","kind":"edit","locations":[{"path":"/w/x"}]}`, `{"toolCallId":"a","kind":"execute","rawInput":{"command":["rm","x"]}}`)
	f.Add(`{"toolCallId":"a","title":"ok x"}`, `{"toolCallId":"a","title":null,"kind":null,"rawInput":null,"content":[{"type":"diff","path":"/x","oldText":null,"newText":""}]}`)
	f.Add(`{"toolCallId":"a","kind":"execute","_meta":{"command":"ok"}}`, `{"toolCallId":"a","content":5}`)
	spec := &policy.Spec{}
	spec.Allow = append(spec.Allow, policy.PlainRule("execute(ok *)", "allow", policy.LayerRecipe))
	spec.Deny = append(spec.Deny, policy.PlainRule("execute(rm *)", "deny", policy.LayerRecipe))
	rules, err := policy.Compile(spec)
	if err != nil {
		f.Fatal(err)
	}
	env := &policy.Env{Cwd: "/w", Roots: []string{"/w"}}
	f.Fuzz(func(t *testing.T, update, toolCall string) {
		if !json.Valid([]byte(update)) || !json.Valid([]byte(toolCall)) {
			return // the frame layer has checked that
		}
		p := event.NewProjector(nil)
		p.BeginTurn()
		m := members([]byte(update))
		if m != nil {
			m["sessionUpdate"] = json.RawMessage(`"tool_call"`)
			whole, _ := json.Marshal(m)
			p.Update(whole)
		}
		_, merged := p.Permission(json.RawMessage(toolCall))
		out := rules.Decide(policyCall(&merged), env)
		ask := members([]byte(toolCall))
		if jsonString(ask["kind"]) == "execute" && jsonString(members(ask["rawInput"])["command"]) == "rm x" && out.Decision == policy.Allow {
			t.Errorf("allowed %s after %s", toolCall, update)
		}
		p.EndTurn(true)
	})
}
