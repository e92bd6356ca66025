package fakemodel

// readChat reads a request for a chat completion.
func readChat(body map[string]any) *Request {
	r := &Request{Tools: map[string]Schema{}}
	messages, _ := body["messages"].([]any)
	for _, m := range messages {
		message, _ := m.(map[string]any)
		switch message["role"] {
		case "user":
			r.add(text(message["content"]), false)
		case "tool":
			r.add("", true)
		default:
			r.add("", false)
		}
	}
	tools, _ := body["tools"].([]any)
	for _, t := range tools {
		tool, _ := t.(map[string]any)
		function, _ := tool["function"].(map[string]any)
		name, _ := function["name"].(string)
		schema, _ := function["parameters"].(map[string]any)
		r.Tools[name] = schema
	}
	return r
}

// chat answers in the form of chat completions.
func (a *answer) chat(plan []Step) {
	id := a.id("chatcmpl")
	usage := map[string]any{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
	finish, message, calls := "stop", "", []any{}
	for _, step := range plan {
		if step.Tool == "" {
			message += step.Text
			continue
		}
		finish = "tool_calls"
		calls = append(calls, map[string]any{"index": len(calls), "id": a.id("call"), "type": "function", "function": map[string]any{"name": step.Tool, "arguments": arguments(step)}})
	}
	if !a.stream {
		whole := map[string]any{"role": "assistant", "content": message}
		if len(calls) > 0 {
			whole["tool_calls"] = calls
		}
		a.whole(map[string]any{"id": id, "object": "chat.completion", "model": "fake", "usage": usage, "choices": []any{map[string]any{"index": 0, "message": whole, "finish_reason": finish}}})
		return
	}
	chunk := func(delta map[string]any, finish any) {
		a.event("", map[string]any{"id": id, "object": "chat.completion.chunk", "model": "fake", "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, step := range plan {
		if step.Tool == "" {
			a.pieces(step, func(text string) { chunk(map[string]any{"content": text}, nil) })
		}
	}
	for _, call := range calls {
		chunk(map[string]any{"tool_calls": []any{call}}, nil)
	}
	chunk(map[string]any{}, finish)
	a.event("", map[string]any{"id": id, "object": "chat.completion.chunk", "model": "fake", "choices": []any{}, "usage": usage})
	a.event("", "[DONE]")
}
