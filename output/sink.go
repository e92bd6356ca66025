// Package output turns the event stream into what people and programs read: a
// [Sink] writes events as lines of JSON, as the result alone, or as text. It also
// has what every writer of a run needs: a [Guard] around stdout, an [AtomicFile]
// for output files, and a [Redactor] that masks secrets.
//
// Data goes to stdout, everything for people to stderr. Nothing here knows how a
// run is made; sinks see events and nothing else.
package output

import "github.com/acpctl/acpctl/controller/event"

// Sink takes the events of one run in order.
//
// Write blocks while the reader is slow. Its error means that the event was not
// written and no later one can be: the reader is gone, see [IsReaderGone], or
// the disk is full. Close flushes what is held back and reports what went wrong
// without stopping the stream, such as a filter that failed; it does not close
// the writer below. The event is not kept and not changed. A sink is not safe
// for concurrent use.
type Sink interface {
	Write(e *event.Event) error
	Close() error
}
