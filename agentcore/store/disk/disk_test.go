package disk

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acpctl/acpctl/agentcore/store"
	"github.com/acpctl/acpctl/agentcore/store/storetest"
)

func TestAC17_DiskKeepsTheContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store { t.Helper(); return Open(filepath.Join(t.TempDir(), "sessions")) })
}

// saved makes a closed session with records.
func saved(t *testing.T, d *Disk, id string, records ...string) string {
	t.Helper()
	h, err := d.Create(t.Context(), store.Header{ID: id, Cwd: "/w", Created: time.Unix(100, 0).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := h.Append(json.RawMessage(r)); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	path, _ := d.path(id, logSuffix)
	return path
}

func records(t *testing.T, d *Disk, id string) string {
	t.Helper()
	h, err := d.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Close() }()
	var out []string
	for r, err := range h.Read(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(r))
	}
	return strings.Join(out, " ")
}

func TestFilesAreTheUsersAlone(t *testing.T) {
	t.Parallel()
	d := Open(filepath.Join(t.TempDir(), "a", "sessions"))
	path := saved(t, d, "s1", `1`)
	for file, mode := range map[string]os.FileMode{path: 0o600, d.dir: 0o700, strings.TrimSuffix(path, logSuffix) + headSuffix: 0o600} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
	for _, id := range []string{"../x", "", ".", "a/b", "a\x00", strings.Repeat("x", 300)} {
		if _, err := d.Open(t.Context(), id); err == nil {
			t.Errorf("opened %q", id)
		}
	}
}

// TestAC18_TornLinesAreDropped cuts a log at every byte: what was whole is there,
// and the session goes on behind it.
func TestAC18_TornLinesAreDropped(t *testing.T) {
	t.Parallel()
	d := Open(t.TempDir())
	path := saved(t, d, "s1", `{"a":"é"}`, `[1,2]`, `"three"`)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(whole), '\n') + 1
	for n := first; n <= len(whole); n++ {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		// The head is older than the log, as after a crash between the two.
		if err := os.Remove(strings.TrimSuffix(path, logSuffix) + headSuffix); err != nil {
			t.Fatal(err)
		}
		want := strings.Count(string(whole[first:n]), "\n")
		info, err := d.Stat(t.Context(), "s1")
		if err != nil || info.Records != want {
			t.Fatalf("cut at %d: %d records, %v, want %d", n, info.Records, err, want)
		}
		h, err := d.Open(t.Context(), "s1")
		if err != nil {
			t.Fatal(n, err)
		}
		if err := h.Append(json.RawMessage(`"next"`)); err != nil {
			t.Fatal(err)
		}
		if err := h.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		_ = h.Close()
		if got := records(t, d, "s1"); !strings.HasSuffix(got, `"next"`) || strings.Count(got, " ") != want {
			t.Fatalf("cut at %d: %s", n, got)
		}
	}
}

// TestListReadsNoLogs spoils the logs behind their size: the heads are enough.
func TestListReadsNoLogs(t *testing.T) {
	t.Parallel()
	d := Open(t.TempDir())
	for i := range 50 {
		path := saved(t, d, fmt.Sprintf("s%02d", i), `"x"`)
		info, _ := os.Stat(path)
		if err := os.WriteFile(path, []byte(strings.Repeat("?", int(info.Size()))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := d.List(t.Context())
	if err != nil || len(list) != 50 || list[0].Records != 1 {
		t.Errorf("%d sessions, %v", len(list), err)
	}
}

func TestHeadIsMadeAgain(t *testing.T) {
	t.Parallel()
	d := Open(t.TempDir())
	path := saved(t, d, "s1", `1`, `2`)
	if err := os.Remove(strings.TrimSuffix(path, logSuffix) + headSuffix); err != nil {
		t.Fatal(err)
	}
	if info, err := d.Stat(t.Context(), "s1"); err != nil || info.Records != 2 || info.Cwd != "/w" {
		t.Errorf("%+v, %v", info, err)
	}
}

func FuzzLog(f *testing.F) {
	f.Add(`{"header":{"ID":"s1","Cwd":"/w"}}` + "\n" + `{"record":{"a":1}}` + "\n" + `{"rec`)
	f.Add("{}\n{}\n")
	f.Fuzz(func(t *testing.T, text string) {
		d := Open(t.TempDir())
		path, _ := d.path("s1", logSuffix)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := d.Open(t.Context(), "s1")
		if err != nil {
			return
		}
		before := 0
		for _, err := range h.Read(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			before++
		}
		if err := h.Append(json.RawMessage(`1`)); err != nil {
			t.Fatal(err)
		}
		if err := h.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		_ = h.Close()
		if info, err := d.Stat(t.Context(), "s1"); err != nil || info.Records != before+1 {
			t.Errorf("%d records, %v, want %d", info.Records, err, before+1)
		}
	})
}
