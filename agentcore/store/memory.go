package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// NewMemory returns a store that lives as long as the process.
func NewMemory() Store { return &memory{sessions: map[string]*session{}} }

type memory struct {
	mu       sync.Mutex
	sessions map[string]*session // guarded by mu, as is all of their state
}

// session is the durable state of one id, and who holds it.
type session struct {
	header  Header
	records []json.RawMessage
	bytes   int64
	durable bool // flushed at least once
	open    *memoryHandle
}

func (m *memory) Create(_ context.Context, h Header) (Handle, error) {
	if h.ID == "" {
		return nil, errors.New("creating session: the id is empty")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.sessions[h.ID]; taken {
		return nil, fmt.Errorf("creating session %q: %w", h.ID, ErrExists)
	}
	s := &session{header: clone(h)}
	s.open = &memoryHandle{store: m, session: s, header: clone(h), dirty: true}
	m.sessions[h.ID] = s
	return s.open, nil
}

func (m *memory) Open(_ context.Context, id string) (Handle, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[id]
	switch {
	case s == nil:
		return nil, fmt.Errorf("opening session %q: %w", id, ErrNotFound)
	case s.open != nil:
		return nil, fmt.Errorf("opening session %q: %w", id, ErrInUse)
	}
	s.open = &memoryHandle{store: m, session: s, header: clone(s.header)}
	return s.open, nil
}

func (m *memory) Stat(_ context.Context, id string) (Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[id]
	if s == nil || !s.durable {
		return Info{}, fmt.Errorf("looking up session %q: %w", id, ErrNotFound)
	}
	return s.info(), nil
}

func (m *memory) List(context.Context) ([]Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []Info{}
	for _, s := range m.sessions {
		if s.durable {
			list = append(list, s.info())
		}
	}
	slices.SortFunc(list, func(a, b Info) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

func (m *memory) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	family := m.family(id)
	for member := range family {
		if m.sessions[member].open != nil {
			return fmt.Errorf("deleting session %q: %w", member, ErrInUse)
		}
	}
	for member := range family {
		delete(m.sessions, member)
	}
	return nil
}

// family returns id and all below it, as far as they exist. The mutex is held.
func (m *memory) family(id string) map[string]bool {
	family := map[string]bool{id: true}
	for grown := true; grown; {
		grown = false
		for other, s := range m.sessions {
			if !family[other] && s.header.Parent != "" && family[s.header.Parent] {
				family[other], grown = true, true
			}
		}
	}
	maps.DeleteFunc(family, func(member string, _ bool) bool { return m.sessions[member] == nil })
	return family
}

func (s *session) info() Info {
	return Info{Header: clone(s.header), Records: len(s.records), Bytes: s.bytes, InUse: s.open != nil}
}

func clone(h Header) Header {
	h.Roots = slices.Clone(h.Roots)
	return h
}
