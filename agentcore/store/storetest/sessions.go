package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/acpctl/acpctl/agentcore/store"
)

func testHeader(s *suite) {
	created := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	s.saved(store.Header{ID: "a", Parent: "p", Created: created, Cwd: "/w"})
	h := s.open("a")
	want := store.Header{
		ID: "a", Parent: "p", Created: created, Cwd: "/v", Roots: []string{"/x", "/y"}, Title: "t",
		Updated: created.Add(time.Hour), Model: "m/n", Effort: "low", Mode: "auto",
	}
	changed := want
	changed.ID, changed.Parent, changed.Created = "b", "q", time.Time{}
	s.must(h.SetHeader(changed))
	s.sameHeader(h.Header(), want)
	s.must(h.Flush(s.Context()))
	s.must(h.Close())
	info, err := s.Stat(s.Context(), "a")
	s.must(err)
	s.sameHeader(info.Header, want)
}

func (s *suite) sameHeader(got, want store.Header) {
	s.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		s.Errorf("header:\n got %s\nwant %s", g, w)
	}
}

func testList(s *suite) {
	s.lists()
	at := func(sec int) time.Time { return time.Unix(int64(sec), 0).UTC() }
	s.saved(store.Header{ID: "old", Created: at(1)}, `1`)
	s.saved(store.Header{ID: "new", Created: at(3), Updated: at(9)})
	s.saved(store.Header{ID: "b", Created: at(2)})
	s.saved(store.Header{ID: "a", Created: at(2), Parent: "old"})
	s.lists("new", "a", "b", "old")
}

func testDelete(s *suite) {
	s.must(s.Delete(s.Context(), "unknown"))
	s.saved(store.Header{ID: "top"}, `1`)
	s.saved(store.Header{ID: "child", Parent: "top"})
	s.saved(store.Header{ID: "grandchild", Parent: "child"})
	s.saved(store.Header{ID: "other"})
	s.must(s.Delete(s.Context(), "top"))
	s.lists("other")
	_, err := s.Open(s.Context(), "child")
	s.fails(err, store.ErrNotFound)
	s.must(s.Delete(s.Context(), "top"))
	s.must(s.create(store.Header{ID: "top"}).Close())
}

func testDeleteInUse(s *suite) {
	s.saved(store.Header{ID: "top"})
	child := s.create(store.Header{ID: "child", Parent: "top"})
	s.must(child.Flush(s.Context()))
	s.fails(s.Delete(s.Context(), "top"), store.ErrInUse)
	s.fails(s.Delete(s.Context(), "child"), store.ErrInUse)
	s.must(child.Close())
	s.must(s.Delete(s.Context(), "top"))
	s.lists()
}

func testConcurrent(s *suite) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			id := fmt.Sprintf("s%d", i)
			h, err := s.Create(s.Context(), store.Header{ID: id})
			if err != nil {
				s.Error(err)
				return
			}
			for n := range 20 {
				err = errors.Join(err, h.Append(json.RawMessage(fmt.Sprint(n))), h.Flush(s.Context()))
				_, listErr := s.List(s.Context())
				err = errors.Join(err, listErr, h.SetHeader(store.Header{Title: strings.Repeat("t", n)}))
			}
			if err = errors.Join(err, h.Flush(s.Context()), h.Close()); err != nil {
				s.Error(err)
			}
		})
	}
	wg.Wait()
	list, err := s.List(s.Context())
	s.must(err)
	for _, info := range list {
		if info.Records != 20 || len(info.Title) != 19 {
			s.Errorf("got %+v", info)
		}
	}
	if len(list) != 8 {
		s.Errorf("got %d sessions, want 8", len(list))
	}
}
