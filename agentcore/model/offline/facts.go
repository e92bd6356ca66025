package offline

import "github.com/acpctl/acpctl/agentcore/model"

// factsOf is what expressions of steps see.
func factsOf(req *model.Request) map[string]any {
	prompt := lastPrompt(req)
	return map[string]any{
		"prompt": prompt.Text, "images": len(prompt.Images), "turn": req.Turn, "step": req.Step,
		"model": req.Model, "effort": req.Effort, "results": resultsOf(req.Messages),
	}
}

// resultsOf is the results of the calls in the last answer, in their order.
func resultsOf(messages []model.Message) []any {
	results := []any{}
	names := map[string]string{}
	for _, m := range messages {
		switch m.Role {
		case model.RoleAssistant:
			results = []any{}
			for _, c := range m.Calls {
				names[c.ID] = c.Name
			}
		case model.RoleUser:
			results = []any{}
		case model.RoleTool:
			results = append(results, map[string]any{"tool": names[m.CallID], "text": m.Text, "isError": m.IsError})
		}
	}
	return results
}
