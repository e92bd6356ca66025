package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
)

type memoryHandle struct {
	store   *memory
	session *session

	// Guarded by the store's mutex.
	header  Header
	pending []json.RawMessage
	dirty   bool // the header differs from the durable one
	closed  bool
}

func (h *memoryHandle) Header() Header {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	return clone(h.header)
}

func (h *memoryHandle) SetHeader(header Header) error {
	return h.locked(func() {
		header.ID, header.Parent, header.Created = h.header.ID, h.header.Parent, h.header.Created
		h.header, h.dirty = clone(header), true
	})
}

func (h *memoryHandle) Read(ctx context.Context) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		var records []json.RawMessage
		err := h.locked(func() { records = slices.Concat(h.session.records, h.pending) })
		if err != nil {
			yield(nil, err)
			return
		}
		for _, r := range records {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(bytes.Clone(r), nil) {
				return
			}
		}
	}
}

func (h *memoryHandle) Append(records ...json.RawMessage) error {
	for _, r := range records {
		if !json.Valid(r) {
			return errors.New("appending record: not valid JSON")
		}
	}
	return h.locked(func() {
		for _, r := range records {
			h.pending = append(h.pending, bytes.Clone(r))
		}
	})
}

func (h *memoryHandle) Flush(context.Context) error {
	return h.locked(func() {
		s := h.session
		for _, r := range h.pending {
			s.bytes += int64(len(r))
		}
		s.records, h.pending = append(s.records, h.pending...), nil
		if h.dirty {
			s.header, h.dirty = clone(h.header), false
		}
		s.durable = true
	})
}

func (h *memoryHandle) Close() error {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed, h.session.open = true, nil
	if !h.session.durable {
		delete(h.store.sessions, h.session.header.ID)
	}
	return nil
}

// locked runs f under the mutex unless the handle is closed.
func (h *memoryHandle) locked(f func()) error {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	f()
	return nil
}
