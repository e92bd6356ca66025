package event

import "encoding/json"

// Bounds of the unknown updates that a snapshot keeps: they are there to be
// looked at, not to be a second history.
const (
	unknownCount = 64
	unknownBytes = 262144
)

// unknownUpdates keeps the most recent updates of unknown kinds.
type unknownUpdates struct {
	list    []json.RawMessage
	bytes   int
	omitted int // evicted, or too big to be kept
}

// add keeps an update, which it owns from now on. One that alone exceeds the
// bound is left out and evicts nothing.
func (u *unknownUpdates) add(update json.RawMessage) {
	if len(update) > unknownBytes {
		u.omitted++
		return
	}
	drop := 0
	for len(u.list)-drop >= unknownCount || u.bytes+len(update) > unknownBytes {
		u.bytes -= len(u.list[drop])
		drop++
	}
	if drop > 0 {
		u.omitted += drop
		u.list = append([]json.RawMessage(nil), u.list[drop:]...)
	}
	u.list = append(u.list, update)
	u.bytes += len(update)
}
