// Package agentcore is the bundled agent: a complete ACP v1 agent over whatever
// models it is given.
//
// A [Core] holds what all connections share: the models, the store and the
// settings. [Core.Serve] answers one connection until that ends; it does not care
// whether the transport is a pair of pipes or in memory, so a client in the same
// process meets the agent that every other client meets.
//
// # Order
//
// What a client asks of one session takes effect in the order of the wire: options,
// modes and the admission of prompts are handled one after another, the turn itself
// runs beside them. What a turn has done is stored first and told afterwards, through
// one chain per session, so that updates come in the order of the stored facts, and
// all of a turn's before its answer.
//
// # Extensions
//
// The agent speaks the standard alone to a client that does not ask for more. What it
// has beyond it is announced in the answer to initialize (agentCapabilities._meta.chrys)
// and sent only to clients that opted in. [Options.StandardOnly] turns all of it off.
package agentcore
