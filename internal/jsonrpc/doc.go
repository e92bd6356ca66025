// Package jsonrpc moves JSON-RPC 2.0 frames between two peers of equal rights.
//
// It knows framing, ids, order and `$/cancel_request`, and nothing else of ACP:
// methods and params are the caller's. It does not encode batches and refuses
// inbound ones.
//
// A [Transport] moves whole frames: [NewStream] one frame a line over two byte
// streams, [Pipe] in memory. A [Conn] runs over one transport for its whole life:
// it starts at [NewConn], ends when the transport does, and has to be closed in
// any case. A Conn is safe for concurrent use.
//
// # Order
//
// One goroutine reads. What it reads is put in line under a key, which the
// caller's [Options.OrderKey] chooses: notifications, requests and responses of
// one key are handled one after another in the order of the wire, those of
// different keys at the same time. A response has the key of its call, so
// [Conn.Call] returns only when everything that was read before under its key is
// handled. `$/cancel_request` alone is acted on when it is read.
//
// The lines are bounded. When they are full the reader stops, and with it the
// peer: back-pressure instead of a limit that ends the connection. For that
// reason a handler must never wait for something that the peer has yet to send;
// it calls [Request.Detach], returns, and goes on elsewhere.
//
// # Writing
//
// One goroutine writes, so the reader never waits for a write and two peers with
// full pipes do not block each other. Every wait for a write ends with the
// caller's context, and the error says how far the frame came: [SendError].
//
// # The end
//
// When the transport ends, what was read before is still handled, calls without a
// response get a [ConnError] at that place of their line, and then [Conn.Done] is
// closed: a peer that answers and exits loses nothing.
package jsonrpc
