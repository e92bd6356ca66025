package event

import (
	"strings"
	"unsafe"
)

// Sizes of a [rope], in bytes: its blocks grow up to ropeBlock, and a piece from
// ropePiece on is a block of its own.
const (
	ropeBlock = 32 << 10
	ropePiece = 16 << 10
)

// rope is a text that grows by pieces. What it has taken never moves: a long
// text is copied once, when it is joined, not again and again while it grows.
type rope struct {
	sealed []string
	open   strings.Builder
	size   int
}

// add appends a piece and returns it as part of the rope's memory. A long piece
// is taken over: it must not be changed afterwards.
func (r *rope) add(piece []byte) string {
	r.size += len(piece)
	if len(piece) >= ropePiece {
		r.seal()
		long := unsafe.String(unsafe.SliceData(piece), len(piece))
		r.sealed = append(r.sealed, long)
		return long
	}
	if r.open.Cap()-r.open.Len() < len(piece) {
		r.seal()
		r.open.Grow(max(len(piece), min(r.size, ropeBlock)))
	}
	start := r.open.Len()
	r.open.Write(piece)
	return r.open.String()[start:]
}

func (r *rope) seal() {
	if r.open.Len() > 0 {
		r.sealed = append(r.sealed, r.open.String())
	}
	r.open.Reset()
}

// join returns the whole text and leaves it as the rope's one block.
func (r *rope) join() string {
	r.seal()
	if len(r.sealed) != 1 {
		r.sealed = []string{strings.Join(r.sealed, "")}
	}
	return r.sealed[0]
}
