// Package disk keeps sessions in a folder, one append-only file each.
//
// ID.jsonl is the log: a line {"header":…} whenever the header changes, a line
// {"record":…} for each record. ID.head is what the list needs of it, replaced as
// a whole, so that a list reads no logs; it can be made again from the log. The
// log is locked by the one handle that is open on it, and by nothing else: the
// system frees the lock of a process that is gone, however it went.
//
// A flush is on the disk's side of the process: nothing that was flushed is lost
// with the process. The first flush and the last one are also forced to the disk
// itself. A line that is not complete is dropped, whole, when the log is opened
// next.
package disk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/acpctl/acpctl/agentcore/store"
)

const (
	logSuffix  = ".jsonl"
	headSuffix = ".head"
)

// Disk is a store in a folder.
type Disk struct {
	dir string

	mu    sync.Mutex // guards fresh
	fresh map[string]bool
}

// Open returns the store of a folder, which is made when the first session is
// kept.
func Open(dir string) *Disk { return &Disk{dir: dir, fresh: map[string]bool{}} }

// head is the content of ID.head.
type head struct {
	Header  store.Header `json:"header"`
	Records int          `json:"records"`
	Bytes   int64        `json:"bytes"` // of the records
	Size    int64        `json:"size"`  // of the log that this was made of
}

// line is one line of a log; one of its members is there.
type line struct {
	Header *store.Header   `json:"header,omitempty"`
	Record json.RawMessage `json:"record,omitempty"`
}

// path is the file of a session. Ids are the core's own; one that is not safe as
// a file name, as a client may send, is no session.
func (d *Disk) path(id, suffix string) (string, bool) {
	safe := id != "" && len(id) <= 200 && id[0] != '.' && strings.IndexFunc(id, func(r rune) bool {
		plain := r == '_' || r == '-' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !plain
	}) < 0
	return filepath.Join(d.dir, id+suffix), safe
}

// Create implements [store.Store].
func (d *Disk) Create(_ context.Context, h store.Header) (store.Handle, error) {
	path, safe := d.path(h.ID, logSuffix)
	if !safe {
		return nil, fmt.Errorf("creating session %q: the id is no file name", h.ID)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := os.Lstat(path); err == nil || d.fresh[h.ID] {
		return nil, fmt.Errorf("creating session %q: %w", h.ID, store.ErrExists)
	}
	d.fresh[h.ID] = true
	return &handle{d: d, header: clone(h), dirty: true}, nil
}

// Open implements [store.Store].
func (d *Disk) Open(_ context.Context, id string) (store.Handle, error) {
	path, safe := d.path(id, logSuffix)
	if !safe {
		return nil, fmt.Errorf("opening session %q: %w", id, store.ErrNotFound)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("opening session %q: %w", id, store.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("opening session %q: %w", id, err)
	}
	h, err := d.opened(f, id)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("opening session %q: %w", id, err)
	}
	return h, nil
}

// opened locks a log, drops what is torn, and reads what it holds.
func (d *Disk) opened(f *os.File, id string) (*handle, error) {
	ok, err := lock(f)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, store.ErrInUse
	}
	l, err := readLog(f)
	switch {
	case err != nil:
		return nil, err
	case l.header == nil || l.header.ID != id:
		return nil, store.ErrNotFound
	}
	if err := f.Truncate(l.good); err != nil {
		return nil, err
	}
	h := &handle{d: d, f: f, header: *l.header, size: l.good, records: l.records, bytes: l.bytes}
	return h, nil
}

// Stat implements [store.Store].
func (d *Disk) Stat(_ context.Context, id string) (store.Info, error) {
	info, err := d.info(id)
	if err != nil {
		return store.Info{}, fmt.Errorf("looking up session %q: %w", id, err)
	}
	return info, nil
}

// info reads the head of a session, or where that is not the log's any more, the
// log.
func (d *Disk) info(id string) (store.Info, error) {
	path, safe := d.path(id, logSuffix)
	log, err := os.Stat(path)
	if !safe || errors.Is(err, fs.ErrNotExist) {
		return store.Info{}, store.ErrNotFound
	}
	if err != nil {
		return store.Info{}, err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return store.Info{}, err
	}
	defer func() { _ = f.Close() }()
	free, err := lock(f)
	if err != nil {
		return store.Info{}, err
	}
	headPath, _ := d.path(id, headSuffix)
	var h head
	raw, err := os.ReadFile(headPath)
	if err != nil || json.Unmarshal(raw, &h) != nil || h.Header.ID != id || free && h.Size != log.Size() {
		l, err := readLog(f)
		if err != nil {
			return store.Info{}, err
		}
		if l.header == nil {
			return store.Info{}, store.ErrNotFound
		}
		h = head{Header: *l.header, Records: l.records, Bytes: l.bytes}
	}
	return store.Info{Header: h.Header, Records: h.Records, Bytes: h.Bytes, InUse: !free}, nil
}

// List implements [store.Store].
func (d *Disk) List(ctx context.Context) ([]store.Info, error) {
	entries, err := os.ReadDir(d.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	list := []store.Info{}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), logSuffix)
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info, err := d.info(id)
		if errors.Is(err, store.ErrNotFound) {
			continue // deleted meanwhile, or no session
		}
		if err != nil {
			return nil, fmt.Errorf("listing session %q: %w", id, err)
		}
		list = append(list, info)
	}
	slices.SortFunc(list, func(a, b store.Info) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// Delete implements [store.Store].
func (d *Disk) Delete(ctx context.Context, id string) error {
	list, err := d.List(ctx)
	if err != nil {
		return fmt.Errorf("deleting session %q: %w", id, err)
	}
	family := map[string]bool{id: true}
	for grown := true; grown; {
		grown = false
		for _, s := range list {
			if !family[s.ID] && s.Parent != "" && family[s.Parent] {
				family[s.ID], grown = true, true
			}
		}
	}
	var held []*os.File
	defer func() {
		for _, f := range held {
			_ = f.Close()
		}
	}()
	d.mu.Lock()
	busy := d.fresh[id]
	d.mu.Unlock()
	for _, s := range list {
		if !family[s.ID] {
			continue
		}
		path, _ := d.path(s.ID, logSuffix)
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("deleting session %q: %w", s.ID, err)
		}
		held = append(held, f)
		free, err := lock(f)
		if err != nil {
			return fmt.Errorf("deleting session %q: %w", s.ID, err)
		}
		busy = busy || !free
	}
	if busy {
		return fmt.Errorf("deleting session %q: %w", id, store.ErrInUse)
	}
	for member := range family {
		for _, suffix := range []string{logSuffix, headSuffix} {
			path, safe := d.path(member, suffix)
			if err := os.Remove(path); safe && err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("deleting session %q: %w", member, err)
			}
		}
	}
	return nil
}

func clone(h store.Header) store.Header {
	h.Roots = slices.Clone(h.Roots)
	return h
}

// encoded is one line of a log with its end.
func encoded(l *line) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(l)
	return b.Bytes(), err
}
