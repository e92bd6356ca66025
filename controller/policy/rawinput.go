package policy

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// rawFacts are the facts of a raw input.
type rawFacts struct {
	paths   []string // of its own members
	source  []string // among them, where a move comes from
	target  []string // and where it goes
	nested  []string // deeper inside
	urls    []string
	strings []string // every text
}

// all are the paths at any depth.
func (f *rawFacts) all() []string { return slices.Concat(f.paths, f.nested) }

// maxRawDepth bounds the walk through nested values.
const maxRawDepth = 8

func rawPaths(raw json.RawMessage) *rawFacts {
	f := &rawFacts{}
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return f
	}
	f.walk("", v, 0)
	return f
}

func (f *rawFacts) walk(key string, v any, depth int) {
	if depth > maxRawDepth {
		return
	}
	switch x := v.(type) {
	case string:
		f.text(key, x, depth)
	case []any:
		for _, e := range x {
			inner := depth
			if _, isObject := e.(map[string]any); isObject {
				inner++
			}
			f.walk(key, e, inner)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if key == "changes" && depth > 0 {
				f.add(k, depth+1) // a patch as a mapping of files
			}
			f.walk(k, x[k], depth+1)
		}
	}
}

// text takes one string. The members of the input stand at depth 1.
func (f *rawFacts) text(key, s string, depth int) {
	if s == "" {
		return
	}
	f.strings = append(f.strings, s)
	switch {
	case key == "url" || (key == "uri" || key == "resource") && webScheme(s):
		f.urls = append(f.urls, s)
	case key == "uri" || key == "resource":
		if uriScheme(s) != "" {
			f.add(s, depth)
		}
	case pathKey(key):
		f.add(s, depth)
		switch key {
		case "source", "src", "from", "old_path":
			f.source = append(f.source, s)
		case "destination", "dst", "to", "new_path":
			f.target = append(f.target, s)
		}
	case patchText(key, s):
		for _, p := range patchPaths(s) {
			f.add(p, depth)
		}
	}
}

func (f *rawFacts) add(p string, depth int) {
	if depth <= 1 {
		f.paths = append(f.paths, p)
	} else {
		f.nested = append(f.nested, p)
	}
}

func webScheme(s string) bool {
	scheme := uriScheme(s)
	return scheme == "http" || scheme == "https"
}

// pathKey tells whether a member of a raw input names a file.
func pathKey(key string) bool {
	switch key {
	case "path", "paths", "file", "files", "filename", "file_path", "filePath", "filepath", "abs_path", "absolute_path",
		"target_file", "targetFile", "notebook_path", "source", "destination", "src", "dst", "from", "to",
		"old_path", "new_path", "directory", "dir", "dir_path":
		return true
	}
	return false
}

// patchText tells whether a text is a patch, by its member's name or its front.
func patchText(key, s string) bool {
	switch key {
	case "patch", "patchText", "patch_text", "diff", "unified_diff", "input":
		return true
	}
	s = strings.TrimLeft(s, " \t\r\n")
	return strings.HasPrefix(s, "*** Begin Patch") || strings.HasPrefix(s, "diff --git ") || strings.HasPrefix(s, "--- ")
}

// patchPaths are the files in the headers of a patch.
func patchPaths(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if p := patchHeader(strings.TrimRight(line, "\r\n")); p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

func patchHeader(line string) string {
	for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "rename from ", "rename to ", "copy to "} {
		if p, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(p)
		}
	}
	p, ok := strings.CutPrefix(line, "--- ")
	if !ok {
		if p, ok = strings.CutPrefix(line, "+++ "); !ok {
			return ""
		}
	}
	p, _, _ = strings.Cut(p, "\t")
	p = strings.TrimSpace(p)
	if rest, ok := strings.CutPrefix(p, "a/"); ok && line[0] == '-' {
		return rest
	}
	if rest, ok := strings.CutPrefix(p, "b/"); ok && line[0] == '+' {
		return rest
	}
	if strings.HasPrefix(p, "/") && p != "/dev/null" {
		return p
	}
	return ""
}
