package model

import "strings"

// Entry is one model that can be selected.
type Entry struct {
	Provider      string // first part of the value; no slash
	ID            string // as the provider knows it; may contain slashes
	Name          string // for people; empty: the id
	Efforts       []string
	DefaultEffort string // empty with efforts: the provider decides
	Vision        bool   // accepts images
	ContextSize   int    // tokens; 0: not known
	Model         Model  // Required
}

// Value is the opaque identifier of the entry in config options: provider/id.
func (e Entry) Value() string { return e.Provider + "/" + e.ID }

// Title is the name for people.
func (e Entry) Title() string {
	if e.Name == "" {
		return e.ID
	}
	return e.Name
}

// Catalog is the ordered list of models on offer. A nil catalog is empty.
type Catalog struct{ Entries []Entry }

// Find returns the entry with the value provider/id.
func (c *Catalog) Find(value string) (Entry, bool) {
	if c == nil {
		return Entry{}, false
	}
	for _, e := range c.Entries {
		if e.Value() == value {
			return e, true
		}
	}
	return Entry{}, false
}

// Vision reports whether at least one model accepts images.
func (c *Catalog) Vision() bool {
	if c == nil {
		return false
	}
	for _, e := range c.Entries {
		if e.Vision {
			return true
		}
	}
	return false
}

// With returns a catalog that also offers value, an unlisted provider/id. The
// new entry takes the route of the first entry with the same provider and
// promises nothing: no efforts and no vision. A value that is listed already, or whose provider has
// no entry, changes nothing, and ok says whether the value is offered now.
func (c *Catalog) With(value string) (_ *Catalog, ok bool) {
	if _, listed := c.Find(value); listed {
		return c, true
	}
	provider, id, found := strings.Cut(value, "/")
	if c == nil || !found || id == "" {
		return c, false
	}
	for _, e := range c.Entries {
		if e.Provider == provider {
			added := Entry{Provider: provider, ID: id, Model: e.Model}
			entries := append(make([]Entry, 0, len(c.Entries)+1), c.Entries...)
			return &Catalog{Entries: append(entries, added)}, true
		}
	}
	return c, false
}
