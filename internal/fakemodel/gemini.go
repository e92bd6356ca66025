package fakemodel

// readGemini reads a request for generated content.
func readGemini(body map[string]any) *Request {
	r := &Request{Tools: map[string]Schema{}}
	contents, _ := body["contents"].([]any)
	for _, c := range contents {
		content, _ := c.(map[string]any)
		parts, _ := content["parts"].([]any)
		result := false
		for _, part := range parts {
			p, _ := part.(map[string]any)
			result = result || p["functionResponse"] != nil
		}
		said := ""
		if content["role"] != "model" && !result {
			said = text(parts)
		}
		r.add(said, result)
	}
	config, _ := body["generationConfig"].(map[string]any)
	for _, key := range []string{"responseJsonSchema", "responseSchema"} {
		if schema, ok := config[key].(map[string]any); ok {
			r.Answer = schema
		}
	}
	groups, _ := body["tools"].([]any)
	for _, g := range groups {
		group, _ := g.(map[string]any)
		functions, _ := group["functionDeclarations"].([]any)
		for _, f := range functions {
			function, _ := f.(map[string]any)
			name, _ := function["name"].(string)
			schema, ok := function["parametersJsonSchema"].(map[string]any)
			if !ok {
				schema, _ = function["parameters"].(map[string]any)
			}
			r.Tools[name] = schema
		}
	}
	return r
}

// gemini answers in the form of generateContent.
func (a *answer) gemini(plan []Step) {
	chunk := func(parts []any, finish string) map[string]any {
		candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		return map[string]any{
			"candidates": []any{candidate}, "modelVersion": "fake", "responseId": "r",
			"usageMetadata": map[string]any{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120},
		}
	}
	call := func(step Step) map[string]any {
		return map[string]any{"functionCall": map[string]any{"name": step.Tool, "args": step.Args}, "thoughtSignature": "ZmFrZQ=="}
	}
	if !a.stream {
		var parts []any
		for _, step := range plan {
			if step.Tool != "" {
				parts = append(parts, call(step))
			} else {
				parts = append(parts, map[string]any{"text": step.Text})
			}
		}
		a.whole(chunk(parts, "STOP"))
		return
	}
	for _, step := range plan {
		if step.Tool != "" {
			a.event("", chunk([]any{call(step)}, ""))
			continue
		}
		a.pieces(step, func(text string) { a.event("", chunk([]any{map[string]any{"text": text}}, "")) })
	}
	a.event("", chunk([]any{map[string]any{"text": ""}}, "STOP"))
}
