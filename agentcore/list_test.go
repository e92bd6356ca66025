package agentcore

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/store"
)

// page gets one page of the list.
func page(p *peer, params string) listResult {
	p.t.Helper()
	var res listResult
	if err := json.Unmarshal(p.ok("session/list", params), &res); err != nil {
		p.t.Fatal(err)
	}
	return res
}

func listed(p *peer, params string) []sessionInfo {
	p.t.Helper()
	return page(p, params).Sessions
}

// idle makes a session and closes it.
func (p *peer) idle(dir string) string {
	p.t.Helper()
	s := p.session(dir)
	p.ok("session/close", `{"sessionId":"`+s+`"}`)
	return s
}

func TestAC22_List(t *testing.T) {
	t.Parallel()
	core := newCore(t, &setup{})
	p := start(t, &setup{core: core})
	if got := string(p.ok("session/list", `{}`)); got != `{"sessions":[]}` {
		t.Errorf("an empty list is %s", got)
	}
	real, other := t.TempDir(), t.TempDir()
	link := filepath.Join(other, "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	s := p.idle(link)
	p.idle(other)
	child, err := core.opts.Store.Create(t.Context(), store.Header{ID: "child", Parent: s, Cwd: real})
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = child.Close()
	want := []sessionInfo{{SessionID: s, Cwd: link, UpdatedAt: "2023-11-14T22:13:20Z"}}
	for _, cwd := range []string{real, link, link + "/", real + "/./"} {
		if d := cmp.Diff(want, listed(p, fmt.Sprintf(`{"cwd":%q}`, cwd))); d != "" {
			t.Errorf("sessions of %s (-want +got):\n%s", cwd, d)
		}
	}
	if got := string(p.ok("session/list", `{"cwd":"/does/not/exist"}`)); got != `{"sessions":[]}` {
		t.Errorf("of a missing directory: %s", got)
	}
	p.refused("session/list", `{"cwd":"x"}`, -32602, "cwd_not_absolute")
	p.refused("session/list", `{"cwd":7}`, -32602, "invalid_params")
}

func TestAC23_Pages(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	const all = 120
	for range all {
		p.idle("/")
	}
	seen := map[string]bool{}
	params := `{}`
	for n := 1; ; n++ {
		got := page(p, params)
		for _, s := range got.Sessions {
			seen[s.SessionID] = true
		}
		if got.NextCursor == "" {
			if n != 3 {
				t.Errorf("%d pages, want 3", n)
			}
			break
		}
		// What was listed already may go, and what is new may come.
		p.ok("session/delete", `{"sessionId":"`+got.Sessions[49].SessionID+`"}`)
		params = `{"cursor":"` + got.NextCursor + `"}`
	}
	if len(seen) != all {
		t.Errorf("%d sessions on all pages, want %d", len(seen), all)
	}
}

func TestAC23_BadCursors(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	for range pageSize + 1 {
		p.idle("/")
	}
	cursor := page(p, `{}`).NextCursor
	last := "A"
	if strings.HasSuffix(cursor, last) {
		last = "Q"
	}
	for _, params := range []string{
		`{"cursor":""}`, `{"cursor":"x"}`, `{"cursor":"!"}`,
		`{"cursor":"` + cursor[:len(cursor)-1] + last + `"}`, `{"cursor":"` + cursor[1:] + `"}`,
		`{"cwd":"/","cursor":"` + cursor + `"}`, `{"cursor":"` + cursor + `","_meta":{"chrys":{"includeActive":true}}}`,
	} {
		p.refused("session/list", params, -32602, "bad_cursor")
	}
	if got := page(p, `{"cursor":"`+cursor+`"}`); len(got.Sessions) != 1 {
		t.Errorf("the second page has %d sessions, want 1", len(got.Sessions))
	}
}

func TestAC24_NewestFirst(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	p := start(t, &setup{Options: Options{Clock: func() time.Time { return time.Unix(now.Load(), 0) }}})
	ids := map[int]string{}
	for i, at := range []int64{10, 20, 20, 15} {
		now.Store(at)
		ids[i] = p.idle("/")
	}
	var got []string
	for _, s := range listed(p, `{}`) {
		got = append(got, s.SessionID)
	}
	if d := cmp.Diff([]string{ids[1], ids[2], ids[3], ids[0]}, got); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
}

func TestAC25_ActiveSessions(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	s := p.session("/")
	if got := listed(p, `{}`); len(got) != 0 {
		t.Errorf("the active session is listed: %v", got)
	}
	got := listed(p, `{"_meta":{"chrys":{"includeActive":true}}}`)
	if len(got) != 1 || cmp.Diff(map[string]any{"chrys": map[string]any{"active": true}}, got[0].Meta) != "" {
		t.Errorf("with active ones: %+v", got)
	}
	p.ok("session/close", `{"sessionId":"`+s+`"}`)
	if got := listed(p, `{}`); len(got) != 1 || got[0].Meta != nil {
		t.Errorf("after close: %+v", got)
	}
}

func TestAC26_RootsFilter(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{})
	a, b := t.TempDir(), t.TempDir()
	dirs := func(list ...string) string {
		raw, _ := json.Marshal(list)
		return `"additionalDirectories":` + string(raw)
	}
	for _, roots := range []string{dirs(a, b), dirs(b, a)} {
		var res struct{ SessionID string }
		if err := json.Unmarshal(p.ok("session/new", `{"cwd":"/","mcpServers":[],`+roots+`}`), &res); err != nil {
			t.Fatal(err)
		}
		p.ok("session/close", `{"sessionId":"`+res.SessionID+`"}`)
	}
	for filter, want := range map[string]int{dirs(a, b): 1, dirs(a): 0, dirs(): 2} {
		if got := listed(p, `{`+filter+`}`); len(got) != want {
			t.Errorf("%s: %d sessions, want %d", filter, len(got), want)
		}
	}
	p.refused("session/list", `{`+dirs("a")+`}`, -32602, "root_not_absolute")
}

func TestAC27_Title(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{Options: Options{DefaultModel: "offline/echo"}})
	s := p.session("/")
	p.prompt(s, "fix\n  the "+strings.Repeat("é", 100))
	p.prompt(s, "another")
	p.ok("session/close", `{"sessionId":"`+s+`"}`)
	want := "fix the " + strings.Repeat("é", 71) + "…"
	if got := listed(p, `{}`)[0].Title; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
}
