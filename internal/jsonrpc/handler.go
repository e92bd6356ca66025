package jsonrpc

import (
	"context"
	"encoding/json"
)

// Handler handles what the peer asks and tells. Under one key both methods run one
// at a time, in wire order; under different keys at the same time. They may block:
// that holds up their key, and the reader once its lines are full. They must not
// wait for the peer, and not call [Conn.Close]; where both peers may have more to
// say than the transport holds, that includes waiting for a write. A panic is
// contained.
type Handler interface {
	// HandleRequest may return before the request is answered if it called
	// [Request.Detach]; a request that is neither answered nor detached is answered
	// -32603. ctx is that of the request.
	HandleRequest(ctx context.Context, r *Request)
	// HandleNotification handles a notification other than `$/cancel_request`. ctx
	// ends when the connection is closed; at the end of the peer's stream it does
	// not.
	HandleNotification(ctx context.Context, n *Notification)
}

// Notification is a frame that wants no answer. Params is nil when absent. Raw is
// the whole frame as it was read, of which Params is a part; neither may be
// changed.
type Notification struct {
	Method string
	Params json.RawMessage
	Raw    []byte
}

// Junk is a line that is no frame, or a frame that nobody waits for.
type Junk struct {
	Line   []byte // its first 200 bytes
	Size   int    // of the whole line, in bytes
	Limit  int    // the limit it is over; reason too_large only
	Reason string // one of the constants below
	// Message is what an error response says that belongs to no call.
	Message string
}

// Reasons of [Junk].
const (
	JunkNotJSON         = "not_json"
	JunkNotFrame        = "not_jsonrpc"
	JunkBatch           = "batch"
	JunkTooLarge        = "too_large"
	JunkUnknownResponse = "unknown_response"
	JunkTruncated       = "truncated" // JSON that the end of the stream cut off
)

func newJunk(reason string, line []byte) *Junk {
	head := make([]byte, min(len(line), headSize))
	copy(head, line)
	return &Junk{Line: head, Size: len(line), Reason: reason}
}
