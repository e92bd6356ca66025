// Package tool holds the tools that the bundled agent offers its model: files,
// search, the shell and the to-do list.
//
// A call has two halves. [Tool.Plan] checks the arguments and says what would be
// done: title, kind, paths, whether anything lies outside the session's roots, and the diffs. The
// core shows that in its tool call and permission request. [Plan.Run] then does
// it. Planning changes nothing and may read files; nothing is written and no process started
// before Run.
//
// Whether a call may run is not decided here. A tool that must talk to the client
// (questions) is the core's own and not in this package.
//
// Tools are stateless and safe for concurrent use; what belongs to a session is
// in its [Workspace].
package tool
