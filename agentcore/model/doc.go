// Package model is the seam between the agent core and whatever answers it: one
// request in, a stream of chunks out, and a catalog of what is offered.
//
// It holds no provider and no network code; providers live in packages below it
// and implement [Model]. The types are the core's own, so that neither a wire
// library nor an ACP type reaches a provider or the history by accident.
//
// All values are plain data. A [Model] must allow calls from several sessions at
// the same time; a [Catalog] is not changed once the core has it.
package model
