package storetest

import (
	"context"
	"encoding/json"

	"github.com/acpctl/acpctl/agentcore/store"
)

func testFirstFlush(s *suite) {
	h := s.create(store.Header{ID: "a", Cwd: "/w"})
	s.lists()
	_, err := s.Stat(s.Context(), "a")
	s.fails(err, store.ErrNotFound)
	s.must(h.Flush(s.Context()))
	s.must(h.Flush(s.Context()))
	info, err := s.Stat(s.Context(), "a")
	s.must(err)
	if info.Cwd != "/w" || info.Records != 0 || info.Bytes != 0 || !info.InUse {
		s.Errorf("got %+v", info)
	}
	s.append(h, `{"n":1}`, `[2]`)
	s.must(h.Flush(s.Context()))
	s.must(h.Close())
	info, err = s.Stat(s.Context(), "a")
	s.must(err)
	if info.Records != 2 || info.Bytes < 10 || info.InUse {
		s.Errorf("got %+v", info)
	}
	h = s.open("a")
	s.holds(h, `{"n":1}`, `[2]`)
	s.append(h, `3`)
	s.must(h.Flush(s.Context()))
	s.holds(h, `{"n":1}`, `[2]`, `3`)
	s.must(h.Close())
}

func testUnflushed(s *suite) {
	h := s.create(store.Header{ID: "gone"})
	s.append(h, `1`)
	s.must(h.Close())
	s.lists()
	_, err := s.Open(s.Context(), "gone")
	s.fails(err, store.ErrNotFound)
	s.must(s.create(store.Header{ID: "gone"}).Close()) // the id is free again

	s.saved(store.Header{ID: "kept"}, `1`)
	h = s.open("kept")
	s.append(h, `2`)
	s.must(h.SetHeader(store.Header{Title: "lost"}))
	s.must(h.Close())
	h = s.open("kept")
	s.holds(h, `1`)
	if h.Header().Title != "" {
		s.Errorf("got %+v", h.Header())
	}
	s.must(h.Close())
}

func testTaken(s *suite) {
	h := s.create(store.Header{ID: "a"})
	_, err := s.Create(s.Context(), store.Header{ID: "a"})
	s.fails(err, store.ErrExists)
	s.must(h.Flush(s.Context()))
	s.must(h.Close())
	_, err = s.Create(s.Context(), store.Header{ID: "a"})
	s.fails(err, store.ErrExists)
	if _, err = s.Create(s.Context(), store.Header{}); err == nil {
		s.Error("an empty id is taken")
	}
}

func testOneHandle(s *suite) {
	first := s.create(store.Header{ID: "a"})
	s.must(first.Flush(s.Context()))
	_, err := s.Open(s.Context(), "a")
	s.fails(err, store.ErrInUse)
	s.must(first.Close())
	second := s.open("a")
	s.must(first.Close()) // closing again does not take it from the second
	_, err = s.Open(s.Context(), "a")
	s.fails(err, store.ErrInUse)
	s.must(second.Close())
	_, err = s.Open(s.Context(), "b")
	s.fails(err, store.ErrNotFound)
}

func testReadYourWrites(s *suite) {
	h := s.create(store.Header{ID: "a"})
	s.holds(h)
	s.append(h, `1`)
	s.holds(h, `1`)
	s.must(h.Flush(s.Context()))
	s.append(h, `2`)
	s.holds(h, `1`, `2`)
	s.must(h.Close())
}

func testCopies(s *suite) {
	h := s.create(store.Header{ID: "a", Roots: []string{"/r"}})
	record := json.RawMessage(`"abc"`)
	s.must(h.Append(record))
	record[1] = 'X'
	for r, err := range h.Read(s.Context()) {
		s.must(err)
		r[1] = 'Y'
	}
	h.Header().Roots[0] = "/changed"
	s.must(h.Flush(s.Context()))
	s.holds(h, `"abc"`)
	if got := h.Header().Roots[0]; got != "/r" {
		s.Errorf("root: got %s", got)
	}
	s.must(h.Close())
}

func testJSON(s *suite) {
	h := s.create(store.Header{ID: "a"})
	if err := h.Append(json.RawMessage(`1`), json.RawMessage(`{`)); err == nil {
		s.Error("half a record is taken")
	}
	s.holds(h) // all or none
	s.append(h, "{\n\"a\": \"line\\nbreak \u2028\"\n}")
	var got map[string]string
	for r, err := range h.Read(s.Context()) {
		s.must(err)
		s.must(json.Unmarshal(r, &got))
	}
	if got["a"] != "line\nbreak \u2028" {
		s.Errorf("got %q", got)
	}
	s.must(h.Close())
}

func testClosed(s *suite) {
	h := s.create(store.Header{ID: "a", Cwd: "/w"})
	s.must(h.Flush(s.Context()))
	s.must(h.Close())
	s.must(h.Close())
	s.fails(h.Append(json.RawMessage(`1`)), store.ErrClosed)
	s.fails(h.Flush(s.Context()), store.ErrClosed)
	s.fails(h.SetHeader(store.Header{}), store.ErrClosed)
	for _, err := range h.Read(s.Context()) {
		s.fails(err, store.ErrClosed)
	}
}

func testReadStops(s *suite) {
	h := s.create(store.Header{ID: "a"})
	s.append(h, `1`, `2`, `3`)
	count := 0
	for _, err := range h.Read(s.Context()) {
		s.must(err)
		count++
		break
	}
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	var last error
	for _, err := range h.Read(ctx) {
		if last = err; err == nil {
			count++
		}
		cancel()
	}
	if count != 2 {
		s.Errorf("got %d records, want 2", count)
	}
	s.fails(last, context.Canceled)
	s.must(h.Close())
}
