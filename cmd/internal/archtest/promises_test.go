package archtest

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPromisesHaveTests holds the ids of testdata/promises.txt against the names
// of the tests: an id is kept by a function Test<id>…, also Test<id>_<id>…, or by a script whose file
// name starts with the id in lower case (a field case as field_f07.txtar).
func TestPromisesHaveTests(t *testing.T) {
	kept := keptIDs(t)
	for _, id := range promisedIDs(t) {
		if !kept[id] {
			t.Errorf("%s has no test: name one Test%s_… or a script %s_….txtar", id, id, strings.ToLower(id))
		}
	}
}

func promisedIDs(t *testing.T) []string {
	t.Helper()
	list, err := os.ReadFile("testdata/promises.txt")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for line := range strings.Lines(string(list)) {
		line, _, _ = strings.Cut(line, "#")
		ids = append(ids, strings.Fields(line)...)
	}
	if len(ids) == 0 {
		t.Fatal("testdata/promises.txt lists nothing")
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(ids))); len(sorted) != len(ids) {
		t.Errorf("testdata/promises.txt lists an id twice: %d of %d are different", len(sorted), len(ids))
	}
	return ids
}

var (
	testOfID   = regexp.MustCompile(`(?m)^func Test((?:(?:CT|AC|EX|RO|F)\d+_?)+)`)
	idOfTest   = regexp.MustCompile(`[A-Z]+\d+`)
	scriptOfID = regexp.MustCompile(`^(?:field_)?((?:ct|ac|ex|ro|f)\d+)[a-z]?(?:_.*)?\.txtar$`)
)

// keptIDs walks the module for the ids that tests are named after.
func keptIDs(t *testing.T) map[string]bool {
	t.Helper()
	kept := map[string]bool{}
	err := filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		maps.Copy(kept, idsOf(t, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func idsOf(t *testing.T, path string) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	switch name := filepath.Base(path); {
	case strings.HasSuffix(name, ".txtar"):
		if m := scriptOfID.FindStringSubmatch(name); m != nil {
			ids[strings.ToUpper(m[1])] = true
		}
	case strings.HasSuffix(name, "_test.go"):
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testOfID.FindAllStringSubmatch(string(source), -1) {
			for _, id := range idOfTest.FindAllString(m[1], -1) {
				ids[id] = true
			}
		}
	}
	return ids
}
