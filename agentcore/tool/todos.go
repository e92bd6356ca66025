package tool

import (
	"slices"
	"sync"
)

// Todo is one entry of the to-do list. ACP: PlanEntry.
type Todo struct {
	Content  string `json:"content"`
	Priority string `json:"priority"` // high, medium or low
	Status   string `json:"status"`   // pending, in_progress or completed
}

// Todos is the to-do list of a session. The zero value is an empty list; it is
// safe for concurrent use.
type Todos struct {
	mu      sync.Mutex
	entries []Todo // guarded by mu
}

// List returns a copy of the entries, never nil.
func (t *Todos) List() []Todo {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Todo{}, t.entries...)
}

// Replace sets the whole list and reports whether that changed anything.
func (t *Todos) Replace(entries []Todo) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.Equal(t.entries, entries) {
		return false
	}
	t.entries = slices.Clone(entries)
	return true
}
