// Package fakemodel is a model server for tests: agents that other people wrote
// run against it offline. It speaks chat completions, responses and
// generateContent, streamed or whole, and is an authority on none of them: it
// answers what the agents that it was tried with need.
//
// What it says is in the prompt. The last user message with "[do NAME]" picks
// what is done, and how many tool results came since picks the step, so nothing
// is kept between requests:
//
//	[do text]          a short text
//	[do shell LINE]    the agent's shell tool with LINE, then a text
//	[do write FILE]    its tool that writes files, or its shell, with the text "written", then a text
//	[do tool SERVER TOOL]
//	                   the tool of an MCP server, which is looked for where the agent wants that, then a text
//	[do slow]          many words, slowly
//
// It is used by tests only.
package fakemodel
