// Package transcript writes and reads recordings of a connection: every frame that
// passed, with its direction and time, one JSON object a line.
//
//	{"acpctl":"1.0.0","v":1,"acp":1}
//	{"t":0,"dir":"out","frame":{"jsonrpc":"2.0","id":0,"method":"initialize"}}
//	{"t":12,"dir":"in","frame":{"jsonrpc":"2.0","id":0,"result":{}}}
//
// The first line is the [Header]. Frames are kept as they were on the wire, byte for
// byte, but for what is masked. The package does not interpret them.
//
// A later version may add members to both kinds of line, which a [Reader] ignores;
// a changed meaning raises the version of the form.
package transcript

import "encoding/json"

// Form is the version of the form that this package writes and reads.
const Form = 1

// Header is the first line of a recording. Acpctl is the version of the program,
// ACP that of the protocol. Form is set by the [Writer].
type Header struct {
	Acpctl string `json:"acpctl"`
	Form   int    `json:"v"`
	ACP    int    `json:"acp"`
}

// Direction is the way of a frame, as seen by acpctl.
type Direction string

// Directions.
const (
	In  Direction = "in"
	Out Direction = "out"
)

// Frame is one recorded frame. Ms is the time since the recording began, in
// milliseconds. Raw is the frame as it was on the wire.
type Frame struct {
	Ms  int64
	Dir Direction
	Raw json.RawMessage
}
