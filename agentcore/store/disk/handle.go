package disk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"sync"

	"github.com/acpctl/acpctl/agentcore/store"
)

// handle is the access to one log.
type handle struct {
	d *Disk

	mu      sync.Mutex // guards what follows
	f       *os.File   // nil before the first flush
	header  store.Header
	dirty   bool // the header differs from the log's
	pending []json.RawMessage
	size    int64 // of the log
	records int
	bytes   int64
	closed  bool
}

// Header implements [store.Handle].
func (h *handle) Header() store.Header {
	h.mu.Lock()
	defer h.mu.Unlock()
	return clone(h.header)
}

// SetHeader implements [store.Handle].
func (h *handle) SetHeader(header store.Header) error {
	return h.locked(func() error {
		header.ID, header.Parent, header.Created = h.header.ID, h.header.Parent, h.header.Created
		h.header, h.dirty = clone(header), true
		return nil
	})
}

// Append implements [store.Handle].
func (h *handle) Append(records ...json.RawMessage) error {
	for _, r := range records {
		if !json.Valid(r) {
			return errors.New("appending record: not valid JSON")
		}
	}
	return h.locked(func() error {
		for _, r := range records {
			h.pending = append(h.pending, bytes.Clone(r))
		}
		return nil
	})
}

// Read implements [store.Handle].
func (h *handle) Read(ctx context.Context) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		records, err := h.all()
		for _, r := range records {
			if err = ctx.Err(); err != nil {
				break
			}
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// all returns copies of the records, those that are not durable behind the
// others.
func (h *handle) all() (records []json.RawMessage, err error) {
	err = h.locked(func() error {
		if h.f != nil {
			left := h.size
			if err := eachLine(h.f, func(l *line, size int) bool {
				if left -= int64(size); left < 0 {
					return false
				}
				if l.Record != nil {
					records = append(records, bytes.Clone(l.Record))
				}
				return true
			}); err != nil {
				return err
			}
		}
		for _, r := range h.pending {
			records = append(records, bytes.Clone(r))
		}
		return nil
	})
	return records, err
}

// Flush implements [store.Handle]. What fails leaves the log as it was and what
// was to be written for the next flush.
func (h *handle) Flush(context.Context) error {
	return h.locked(h.flush)
}

func (h *handle) flush() error {
	first := h.f == nil
	if !first && !h.dirty && len(h.pending) == 0 {
		return nil
	}
	text, err := h.text(first)
	if err != nil {
		return err
	}
	if first {
		if err := h.make(); err != nil {
			return err
		}
	}
	if _, err := h.f.Write(text); err != nil {
		return h.takeBack(first, err)
	}
	if first {
		if err := h.f.Sync(); err != nil {
			return h.takeBack(first, err)
		}
		h.d.mu.Lock()
		delete(h.d.fresh, h.header.ID)
		h.d.mu.Unlock()
	}
	h.size += int64(len(text))
	h.records += len(h.pending)
	for _, r := range h.pending {
		h.bytes += int64(len(r))
	}
	h.pending, h.dirty = nil, false
	h.writeHead() // only the list is slower without it
	return nil
}

// text is what a flush writes.
func (h *handle) text(first bool) ([]byte, error) {
	var out []byte
	if first || h.dirty {
		header := h.header
		raw, err := encoded(&line{Header: &header})
		if err != nil {
			return nil, err
		}
		out = append(out, raw...)
	}
	for _, r := range h.pending {
		raw, err := encoded(&line{Record: r})
		if err != nil {
			return nil, err
		}
		out = append(out, raw...)
	}
	return out, nil
}

// make makes and locks the log.
func (h *handle) make() error {
	if err := os.MkdirAll(h.d.dir, 0o700); err != nil {
		return err
	}
	path, _ := h.d.path(h.header.ID, logSuffix)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return store.ErrExists
	}
	if err != nil {
		return err
	}
	if ok, err := lock(f); err != nil || !ok {
		return errors.Join(store.ErrInUse, err, f.Close())
	}
	h.f = f
	return nil
}

// takeBack undoes a write that failed half way.
func (h *handle) takeBack(first bool, err error) error {
	if first {
		path, _ := h.d.path(h.header.ID, logSuffix)
		err = errors.Join(err, h.f.Close(), os.Remove(path))
		h.f = nil
		return err
	}
	if cut := h.f.Truncate(h.size); cut != nil {
		err = fmt.Errorf("%w; and what was written of it stays: %w", err, cut)
	}
	return err
}

// writeHead replaces ID.head.
func (h *handle) writeHead() {
	raw, err := json.Marshal(&head{Header: h.header, Records: h.records, Bytes: h.bytes, Size: h.size})
	if err != nil {
		return
	}
	path, _ := h.d.path(h.header.ID, headSuffix)
	if os.WriteFile(path+".new", raw, 0o600) != nil || os.Rename(path+".new", path) != nil {
		_ = os.Remove(path + ".new")
	}
}

// Close implements [store.Handle].
func (h *handle) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	if h.f == nil {
		h.d.mu.Lock()
		delete(h.d.fresh, h.header.ID)
		h.d.mu.Unlock()
		return nil
	}
	return errors.Join(h.f.Sync(), h.f.Close())
}

// locked runs f unless the handle is closed.
func (h *handle) locked(f func() error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return store.ErrClosed
	}
	return f()
}
