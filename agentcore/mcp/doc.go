// Package mcp mounts the MCP servers of one session and offers their tools as
// tools of the bundled agent.
//
// [Parse] checks the declarations as they came over the wire, [Connect] starts
// or reaches all of them or none, and [Mount.Close] ends everything that was
// started, whole process groups included. A server that is lost in between makes its calls fail
// with a tool error and is reached again in the background.
//
// Prompts, resources, sampling and elicitation of MCP are not offered to servers.
// A [Mount] is safe for concurrent use.
package mcp
