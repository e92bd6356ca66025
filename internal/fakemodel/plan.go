package fakemodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Request is what the plan needs of a request, whatever its wire format.
type Request struct {
	Texts   []string // of the user, in order; "" for an entry of somebody else
	Results []bool   // beside Texts: the entry holds tool results
	Tools   map[string]Schema
	Custom  map[string]bool // tools that take one text instead of arguments
	// Namespace is that of a tool, where the agent groups them.
	Namespace map[string]string
	Answer    Schema // of the whole answer, where it has to be JSON
}

// Schema is the JSON Schema of a tool's arguments.
type Schema map[string]any

// Step is one thing that the model says.
type Step struct {
	Text string
	// Tool and Args are a tool call; empty for a text.
	Tool string
	Args map[string]any
	Slow bool // one word after another, with pauses
}

var marker = regexp.MustCompile(`\[do ([a-z]+) ?([^\]]*)\]`)

// Plan is what the model says to a request.
func (r *Request) Plan() []Step {
	task, arg, results := r.task()
	if r.Answer != nil {
		raw, _ := json.Marshal(anyValue(map[string]any(r.Answer)))
		return []Step{{Text: string(raw)}}
	}
	switch {
	case task == "slow":
		return []Step{{Text: counting(300), Slow: true}}
	case task == "tool" && results < 2 && r.deferred(arg):
		return []Step{{Text: "I use a tool. "}, r.searched(arg, results)}
	case len(r.Tools) == 0, task == "", task == "text", results > 0:
		return []Step{{Text: "All is done."}}
	}
	call, ok := r.call(task, arg)
	if !ok {
		return []Step{{Text: fmt.Sprintf("no tool for %s among %s", task, strings.Join(slices.Sorted(maps.Keys(r.Tools)), ", "))}}
	}
	return []Step{{Text: "I use a tool. "}, call}
}

// counting is a text of n words without a repetition, which some agents take for
// a model that has lost its way.
func counting(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "number-%d ", i)
	}
	return out.String()
}

// task finds the last order and how many groups of results came since.
func (r *Request) task() (task, arg string, results int) {
	before := false
	for i, text := range r.Texts {
		if m := marker.FindStringSubmatch(text); m != nil {
			task, arg, results = m[1], m[2], 0
		}
		if r.Results[i] && !before {
			results++
		}
		before = r.Results[i]
	}
	return task, arg, results
}

// The names that agents give their tools, the likely ones first.
var (
	shellTools = []string{"run_shell_command", "bash", "shell", "exec_command", "shell_command", "local_shell"}
	writeTools = []string{"write_file", "write", "apply_patch"}
)

func (r *Request) call(task, arg string) (Step, bool) {
	switch task {
	case "shell":
		return r.first(shellTools, map[string]any{
			"command": arg, "cmd": arg, "description": "a command", "is_background": false,
		})
	case "write":
		if !slices.ContainsFunc(writeTools, func(name string) bool { return r.Tools[name] != nil || r.Custom[name] }) {
			return r.call("shell", "echo written > '"+arg+"'")
		}
		patch := "*** Begin Patch\n*** Add File: " + arg + "\n+written\n*** End Patch\n"
		return r.first(writeTools, map[string]any{
			"file_path": arg, "filePath": arg, "path": arg, "content": "written\n", "input": patch, "patchText": patch,
		})
	case "tool":
		if name := r.named(arg); name != "" {
			return r.first([]string{name}, map[string]any{"folder": "."})
		}
	}
	return Step{}, false
}

// named finds the tool of an MCP server, given as "SERVER TOOL".
func (r *Request) named(arg string) string {
	_, tool, _ := strings.Cut(arg, " ")
	for _, name := range slices.Sorted(maps.Keys(r.Tools)) {
		if strings.Contains(name, tool) {
			return name
		}
	}
	return ""
}

// deferred says whether the agent shows the tools of MCP servers only to a model
// that looks for them.
func (r *Request) deferred(arg string) bool {
	return r.named(arg) == "" && r.Tools["tool_search"] != nil && r.Tools["tool_call"] != nil
}

// searched looks for the tool, then calls it.
func (r *Request) searched(arg string, results int) Step {
	server, tool, _ := strings.Cut(arg, " ")
	name := "mcp__" + server + "__" + tool
	if results == 0 {
		return Step{Tool: "tool_search", Args: map[string]any{"query": "select:" + name}}
	}
	return Step{Tool: "tool_call", Args: map[string]any{"name": name, "arguments": map[string]any{"folder": "."}}}
}

// first calls the first tool that is there, with those of the values that it has
// a name for and something for what else it wants.
func (r *Request) first(names []string, values map[string]any) (Step, bool) {
	for _, name := range names {
		schema, ok := r.Tools[name]
		if !ok {
			continue
		}
		args := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for key, property := range properties {
			if value, ok := values[key]; ok {
				args[key] = shaped(property, value)
			}
		}
		required, _ := schema["required"].([]any)
		for _, key := range required {
			if name, _ := key.(string); args[name] == nil {
				args[name] = anyValue(properties[name])
			}
		}
		if r.Custom[name] {
			args = map[string]any{"input": values["input"]}
		}
		return Step{Tool: name, Args: args}, true
	}
	return Step{}, false
}

// shaped gives a command to a tool that takes a list of words.
func shaped(property, value any) any {
	p, _ := property.(map[string]any)
	if kind, _ := p["type"].(string); strings.EqualFold(kind, "array") {
		return []any{"bash", "-lc", value}
	}
	return value
}

// anyValue is the smallest value of a schema.
func anyValue(property any) any {
	p, _ := property.(map[string]any)
	if list, ok := p["enum"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	kind, _ := p["type"].(string)
	switch strings.ToLower(kind) {
	case "integer", "number":
		return 1000
	case "boolean":
		return false
	case "array":
		return []any{}
	case "object":
		out := map[string]any{}
		properties, _ := p["properties"].(map[string]any)
		for name, property := range properties {
			out[name] = anyValue(property)
		}
		return out
	default:
		return "x"
	}
}
