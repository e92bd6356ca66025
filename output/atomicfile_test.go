package output

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestAtomicFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, old, want string
		commit          bool
	}{
		{"new", "", "new", true},
		{"replaces", "old", "new", true},
		{"discarded", "old", "old", false},
		{"discarded without an old one", "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "out.json")
			if c.old != "" {
				writeFile(t, path, c.old)
			}
			a := createAtomic(t, path)
			if _, err := io.WriteString(a, "new"); err != nil {
				t.Fatal(err)
			}
			if got := content(t, path); got != c.old {
				t.Errorf("before the end the file has %q", got)
			}
			end := a.Discard
			if c.commit {
				end = a.Commit
			}
			if err := end(); err != nil {
				t.Fatal(err)
			}
			if got := content(t, path); got != c.want {
				t.Errorf("file has %q, want %q", got, c.want)
			}
			if list, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(list) > 0 {
				t.Errorf("left over: %v", list)
			}
		})
	}
}

func TestAtomicFileKeepsPermissionsAndLinks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("has no such permissions")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "out"), filepath.Join(dir, "link")
	writeFile(t, path, "old")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("out", link); err != nil {
		t.Skip(err)
	}
	a := createAtomic(t, link)
	if err := a.Commit(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o640 || info.Size() != 0 {
		t.Errorf("target is %v, %v", info, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is no link any more: %v, %v", info, err)
	}
}

func TestAtomicFileSkipsLeftovers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "out")
	first := createAtomic(t, path)
	second := createAtomic(t, path)
	if err := second.Commit(); err != nil {
		t.Error(err)
	}
	if err := first.Discard(); err != nil {
		t.Error(err)
	}
}

func TestAtomicFileWritesDevicesDirectly(t *testing.T) {
	t.Parallel()
	a := createAtomic(t, os.DevNull)
	if _, err := io.WriteString(a, "x"); err != nil {
		t.Error(err)
	}
	if err := a.Commit(); err != nil {
		t.Error(err)
	}
}

func TestAtomicFileErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "none", "out"), dir} {
		if _, err := CreateAtomic(path); err == nil {
			t.Errorf("CreateAtomic(%s) succeeded", path)
		}
	}
	path := filepath.Join(dir, "out")
	writeFile(t, path, "old")
	a := createAtomic(t, path)
	_ = a.f.Close() // stands for a full disk
	if _, err := io.WriteString(a, "x"); err == nil {
		t.Error("the write succeeded")
	}
	if err := a.Commit(); err == nil || content(t, path) != "old" {
		t.Errorf("Commit = %v, file has %q", err, content(t, path))
	}
}

func createAtomic(t *testing.T, path string) *AtomicFile {
	t.Helper()
	a, err := CreateAtomic(path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// content is empty when there is no file.
func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}
