// Package event holds the event stream: the closed set of events that a run
// emits, their one-line JSON form, the failure that ends a run, and the exit
// codes. It is a leaf: it knows nothing of how turns are run or printed.
//
// An [Event] is an envelope around one [Body]. Every line has v, seq (from 1,
// without gaps), time (RFC 3339 UTC with milliseconds), type and run, and where
// they apply step, item, index, sessionId and turn; the body's own fields follow
// flat, in camelCase, with ACP's names where ACP has one. Absent means unknown.
//
// Most events of a session are made by a [Projector] from the updates of its agent;
// it also keeps the session's [Snapshot]. [Event.AppendJSON] writes a line, [Parse]
// reads one, and [Schema] describes all of them; fields.txt is the source of what
// the schema and docs/events.md say about each field.
//
// What stays compatible: a new field or a new type is a minor change, anything
// else raises [Version]. Payloads of ACP are raw JSON beside lifted fields, so
// that a newer agent's fields pass through unchanged.
//
// Events are plain data, safe to read concurrently and not to be changed once
// emitted. A projector has one owner.
package event
