package controller

import (
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
)

// policyCall collects what is known of a tool call for a decision.
func policyCall(tc *event.ToolCallState) *policy.Call {
	call := new(policy.Call)
	if err := call.Merge(tc.Raw); err != nil {
		call.ToolCallID, call.Kind, call.Title = tc.ToolCallID, tc.Kind, tc.Title
	}
	return call
}

// facts are the command and the paths that events show.
func facts(tc *event.ToolCallState, env *policy.Env) (command string, paths []string) {
	f := policyCall(tc).Facts(env)
	return f.Command, f.Paths
}
