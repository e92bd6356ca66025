// Package controller drives one agent over the Agent Client Protocol: it opens
// the agent, negotiates, opens sessions, runs turns, and answers what the agent
// asks. It prints nothing, reads no environment and knows no recipe; what
// happens is told as [event.Event] values, in order.
//
// The types in the order one meets them:
//
//   - An [Agent] opens the transport: [Command] starts a process and speaks on
//     its stdio, [InProcess] serves an agent over in-memory frames.
//   - [Connect] returns a [Conn] once the agent answered initialize.
//   - [Conn.NewSession] opens a [Session]; [Session.Select] sets model, effort,
//     mode and other options; [Session.Prompt] runs one turn.
//   - [Conn.Close] closes the sessions and ends the agent, always within a bound.
//
// # Order
//
// Everything the agent sends is handled in the order of the wire, by one owner
// at a time, and events leave in that order through [Options.Emit]. Emit may
// block: the connection is then not read any further, which slows the agent
// down. Decisions about permission requests and questions run beside that order,
// so that a slow one holds up neither updates nor other sessions; the answer is
// still checked against the state of the turn at the moment it is sent.
//
// # Answers
//
// Each request of the agent has one owner, bound to its connection and request.
// At most one response is ever written for it. A failed write may be tried
// again with the same decision, a request that the agent withdrew is answered
// with -32800 only, and a turn that was cancelled answers cancelled.
//
// # Failures
//
// Errors of every exported function are *[event.Failure]: its class says what a
// caller can do and which exit code it means. A turn that failed still returns
// what is known of it.
//
// A Conn and its sessions are safe for concurrent use; a session runs one turn
// at a time.
package controller
