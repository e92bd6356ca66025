// Package policy decides tool calls by permission rules.
//
// It is a gate on what an agent asks, not a sandbox: a program that a rule
// allows can do what it likes. The rule language is described in docs/rules.md.
//
// A [Spec] is compiled into a [Policy], which holds prepared patterns, never
// changes, and may be used by many goroutines at once. [Policy.Decide] takes
// the facts of one tool call, a [Call] merged from all its updates, and the
// world it would run in, an [Env]. The package is pure: links are read through
// Env.Readlink, and it knows no file system, clock or environment of its own.
//
// Strictness runs one way: deny, then uncovered, then ask, then allow, then
// the default. What cannot be known is never allowed by a rule with a pattern,
// and what might meet a deny is at least uncovered. The order of rules has no
// meaning.
package policy
