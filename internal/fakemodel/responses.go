package fakemodel

import (
	"maps"
	"strings"
)

// readResponses reads a request for a response.
func readResponses(body map[string]any) *Request {
	r := &Request{Tools: map[string]Schema{}, Custom: map[string]bool{}, Namespace: map[string]string{}}
	input, _ := body["input"].([]any)
	for _, i := range input {
		item, _ := i.(map[string]any)
		kind, _ := item["type"].(string)
		switch {
		case strings.HasSuffix(kind, "_output"):
			r.add("", true)
		case item["role"] == "user":
			r.add(text(item["content"]), false)
		default:
			r.add("", false)
		}
	}
	r.tools(body["tools"], "")
	return r
}

// tools reads a list of tools, also of a namespace.
func (r *Request) tools(list any, namespace string) {
	tools, _ := list.([]any)
	for _, t := range tools {
		tool, _ := t.(map[string]any)
		name, _ := tool["name"].(string)
		schema, _ := tool["parameters"].(map[string]any)
		switch tool["type"] {
		case "function":
			r.Tools[name], r.Namespace[name] = schema, namespace
		case "custom":
			r.Tools[name], r.Custom[name] = Schema{}, true
		case "namespace":
			r.tools(tool["tools"], name)
		}
	}
}

// responses answers in the form of responses.
func (a *answer) responses(plan []Step, req *Request) {
	response := map[string]any{"id": a.id("resp"), "object": "response", "model": "fake", "status": "in_progress", "output": []any{}}
	var output []any
	seq := 0
	send := func(kind string, fields map[string]any) {
		if !a.stream {
			return
		}
		fields["type"], fields["sequence_number"] = kind, seq
		seq++
		a.event(kind, fields)
	}
	send("response.created", map[string]any{"response": response})
	for i, step := range plan {
		item := a.item(step, req)
		opened := maps.Clone(item)
		if step.Tool == "" {
			opened["content"], opened["status"] = []any{}, "in_progress"
		}
		send("response.output_item.added", map[string]any{"output_index": i, "item": opened})
		at := map[string]any{"item_id": item["id"], "output_index": i, "content_index": 0}
		if step.Tool == "" {
			a.pieces(step, func(text string) {
				send("response.output_text.delta", merged(at, map[string]any{"delta": text}))
			})
			send("response.output_text.done", merged(at, map[string]any{"text": step.Text}))
		}
		send("response.output_item.done", map[string]any{"output_index": i, "item": item})
		output = append(output, item)
	}
	response["status"], response["output"] = "completed", output
	response["usage"] = map[string]any{
		"input_tokens": 100, "output_tokens": 20, "total_tokens": 120,
		"input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
	}
	if !a.stream {
		a.whole(response)
		return
	}
	send("response.completed", map[string]any{"response": response})
}

// item is one item of the output.
func (a *answer) item(step Step, req *Request) map[string]any {
	switch {
	case step.Tool == "":
		return map[string]any{"id": a.id("msg"), "type": "message", "role": "assistant", "status": "completed", "content": []any{map[string]any{"type": "output_text", "text": step.Text, "annotations": []any{}}}}
	case req.Custom[step.Tool]:
		return map[string]any{"id": a.id("ctc"), "type": "custom_tool_call", "call_id": a.id("call"), "name": step.Tool, "input": step.Args["input"], "status": "completed"}
	default:
		call := map[string]any{"id": a.id("fc"), "type": "function_call", "call_id": a.id("call"), "name": step.Tool, "arguments": arguments(step), "status": "completed"}
		if n := req.Namespace[step.Tool]; n != "" {
			call["namespace"] = n
		}
		return call
	}
}

func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
