package jsonrpc

import (
	"encoding/json"
	"time"
)

// Direction is the way of a frame, as seen from here.
type Direction string

// Directions.
const (
	In  Direction = "in"
	Out Direction = "out"
)

// Options configure [NewConn]; nil is legal. Functions are called from goroutines
// of the connection; a panic of theirs is contained.
type Options struct {
	// Handler handles inbound requests and notifications. Nil: requests are answered
	// -32601, notifications dropped. Recommended.
	Handler Handler
	// OrderKey names the line of a frame; "" is a key like any other. It runs on the
	// reader and must be quick. Nil: all frames share the key "". Optional.
	OrderKey func(method string, params json.RawMessage) string
	// OnJunk is told of each line that is no frame, in order with the frames of the
	// key "". Optional.
	OnJunk func(Junk)
	// Tap sees every frame once: an inbound one when it is read, an outbound one when
	// it is handed to the transport, on each attempt. So an answer is never seen
	// before what it answers. One call at a time; reading and writing wait for it. It
	// must not keep or change the slice. Optional.
	Tap func(dir Direction, frame []byte)
	// OnPanic is told what a function of the caller panicked with. Optional.
	OnPanic func(value any, stack []byte)
	// ReplyParseError answers what JSON-RPC asks a server to answer although no
	// request can be made out, with id null: a line that is not JSON with -32700, a
	// frame over the transport's limit with -32600 and reason frame_too_large.
	ReplyParseError bool
	// WriteTimeout is for how long one write may make no progress before the
	// connection ends with [ErrWriteTimeout]. Default 60 s.
	WriteTimeout time.Duration
	// QueueBytes and QueueFrames bound what is read and not handled yet; the reader
	// pauses when one is reached, and goes on when an eighth of both is free. One
	// frame of any size is always let in. Default 4 MiB and 1024.
	QueueBytes, QueueFrames int
	// MaxInflight bounds the inbound requests that are not answered yet; the reader
	// pauses when it is reached. Default 4096.
	MaxInflight int
}

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.WriteTimeout <= 0 {
		c.WriteTimeout = time.Minute
	}
	if c.QueueBytes <= 0 {
		c.QueueBytes = 4 << 20
	}
	if c.QueueFrames <= 0 {
		c.QueueFrames = 1024
	}
	if c.MaxInflight <= 0 {
		c.MaxInflight = 4096
	}
	return c
}
