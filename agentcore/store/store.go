package store

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"
)

// Errors that every backend returns, possibly wrapped.
var (
	ErrNotFound = errors.New("session not found")
	ErrExists   = errors.New("session exists already")
	ErrInUse    = errors.New("session is in use")
	ErrClosed   = errors.New("session handle is closed")
)

// Header is what is known of a session without its log.
type Header struct {
	ID      string    // file-name-safe; Required
	Parent  string    // id of the session that this is a child of; empty: top level
	Cwd     string    // absolute
	Roots   []string  // further roots in the client's order
	Title   string    // empty: none yet
	Created time.Time // the list's order
	Updated time.Time // zero: never
	Model   string    // selected provider/id; empty: the default
	Effort  string    // empty: the model's default
	Mode    string    // empty: the default
}

// Info is an entry of the list.
type Info struct {
	Header
	Records int   // durable records of the log
	Bytes   int64 // their size
	InUse   bool  // a handle is open, in this process or another
}

// Store keeps sessions.
type Store interface {
	// Create reserves the id and returns its handle; [ErrExists] when the id is
	// taken. Nothing is durable before the first Flush.
	Create(ctx context.Context, h Header) (Handle, error)
	// Open returns the handle of a durable session: [ErrNotFound], or [ErrInUse]
	// while another handle is open.
	Open(ctx context.Context, id string) (Handle, error)
	// Stat returns the durable state of one session, or [ErrNotFound].
	Stat(ctx context.Context, id string) (Info, error)
	// List returns all durable sessions, children too, newest first, equal
	// times by id. It reads no logs.
	List(ctx context.Context) ([]Info, error)
	// Delete removes a session and its children. An unknown id is not an
	// error. [ErrInUse] when a handle of any of them is open; then all stay.
	Delete(ctx context.Context, id string) error
}

// Handle is the only access to one session's log.
type Handle interface {
	// Header returns the header as last set through this handle.
	Header() Header
	// SetHeader replaces all of the header but ID, Parent and Created. Durable
	// with the next Flush.
	SetHeader(h Header) error
	// Read yields the records from the first one, appended ones that are not
	// yet durable included. The records are copies.
	Read(ctx context.Context) iter.Seq2[json.RawMessage, error]
	// Append adds records, each one JSON value. Durable with the next Flush.
	Append(records ...json.RawMessage) error
	// Flush makes header and records durable. With nothing to write it does
	// nothing, but for the first time, when it writes the header alone.
	Flush(ctx context.Context) error
	// Close gives the session free. What was not flushed is lost, and a session
	// never flushed leaves no trace. Closing again does nothing.
	Close() error
}
