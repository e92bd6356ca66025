// Package storetest is the contract of package store as tests. Every backend runs
// the whole suite in its own tests; it is not for use outside of tests.
package storetest

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/acpctl/acpctl/agentcore/store"
)

// Run runs the suite. Each of its tests calls open for a fresh and empty store of
// its own, which open may close with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	tests := map[string]func(*suite){
		"a session is durable from its first flush":    testFirstFlush,
		"what was not flushed is lost":                 testUnflushed,
		"ids are taken once":                           testTaken,
		"one handle at a time":                         testOneHandle,
		"a handle reads what it appended":              testReadYourWrites,
		"records are copies":                           testCopies,
		"records are JSON":                             testJSON,
		"the header changes but for its identity":      testHeader,
		"the list is newest first":                     testList,
		"deleting takes the children along":            testDelete,
		"nothing is deleted while a handle is open":    testDeleteInUse,
		"a closed handle does nothing":                 testClosed,
		"reading stops with the context or the caller": testReadStops,
		"many sessions at once":                        testConcurrent,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(&suite{T: t, Store: open(t)})
		})
	}
}

// suite is one test with its store. Its methods end the test when a call that
// must succeed does not.
type suite struct {
	*testing.T
	store.Store
}

func (s *suite) create(h store.Header) store.Handle {
	s.Helper()
	handle, err := s.Create(s.Context(), h)
	s.must(err)
	return handle
}

// saved makes a durable session with records and closes it.
func (s *suite) saved(h store.Header, records ...string) {
	s.Helper()
	handle := s.create(h)
	s.append(handle, records...)
	s.must(handle.Flush(s.Context()))
	s.must(handle.Close())
}

func (s *suite) open(id string) store.Handle {
	s.Helper()
	handle, err := s.Open(s.Context(), id)
	s.must(err)
	return handle
}

func (s *suite) append(h store.Handle, records ...string) {
	s.Helper()
	for _, r := range records {
		s.must(h.Append(json.RawMessage(r)))
	}
}

func (s *suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) fails(err, want error) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Errorf("got error %v, want %v", err, want)
	}
}

func (s *suite) holds(h store.Handle, want ...string) {
	s.Helper()
	var got []string
	for r, err := range h.Read(s.Context()) {
		s.must(err)
		got = append(got, string(r))
	}
	if !slices.Equal(got, want) {
		s.Errorf("records: got %q, want %q", got, want)
	}
}

func (s *suite) lists(want ...string) {
	s.Helper()
	list, err := s.List(s.Context())
	s.must(err)
	got := make([]string, len(list))
	for i, info := range list {
		got[i] = info.ID
	}
	if list == nil || !slices.Equal(got, want) {
		s.Errorf("list: got %q, want %q", got, want)
	}
}
