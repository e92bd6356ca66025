package policy

import (
	_ "embed" // the tables are files, so that they can be read
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed wrappers.txt
var wrappersText string

//go:embed escapes.txt
var escapesText string

//go:embed options.txt
var optionsText string

//go:embed names.txt
var namesText string

// The tables are read when the first command is judged.
var (
	wrappers   = sync.OnceValue(func() map[string]*wrapper { return readWrappers(wrappersText) })
	escapes    = sync.OnceValue(func() *escapeTable { return readEscapes(escapesText) })
	synonyms   = sync.OnceValue(func() map[string]map[string]byte { return readOptions(optionsText) })
	neverNames = sync.OnceValue(func() []string { return strings.Fields(withoutComments(namesText)) })
)

// withoutComments leaves the lines that do not begin with #.
func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// entries yields the lines "name|name: field..." of a table.
func entries(text string) func(func(names, fields []string) bool) {
	return func(yield func(names, fields []string) bool) {
		for line := range strings.Lines(withoutComments(text)) {
			names, what, ok := strings.Cut(strings.TrimSpace(line), ":")
			// The shell's own name for test is a bracket, no separator.
			if ok && !yield(strings.Split(names, "|"), strings.Fields(what)) {
				return
			}
		}
	}
}

// NeverAssigned tells whether a variable of this name can choose what a command
// runs, so that only a rule that spells it covers it (PATH, LD_PRELOAD, GIT_…).
func NeverAssigned(name string) bool { return neverAssigned(name) }

// neverAssigned tells whether a variable can choose what runs.
func neverAssigned(name string) bool {
	for _, pattern := range neverNames() {
		prefix, suffix, star := strings.Cut(pattern, "*")
		if name == pattern || star && len(name) >= len(prefix)+len(suffix) && strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// readOptions gives each spelling of an option the first letter of its group.
func readOptions(text string) map[string]map[string]byte {
	out := map[string]map[string]byte{}
	for names, groups := range entries(text) {
		same := map[string]byte{}
		for _, group := range groups {
			for spelling := range strings.SplitSeq(group, ",") {
				same[spelling] = group[1]
			}
		}
		for _, name := range names {
			out[name] = same
		}
	}
	return out
}

// wrapper is one line of wrappers.txt.
type wrapper struct {
	clear, assigns, join, rest, text, alone, script, fold bool
	skip                                                  int
	flag, value, shell, split, none, hide, swap           map[string]bool
	optional                                              map[string]bool
	exec, only, marker                                    []string
}

func readWrappers(text string) map[string]*wrapper {
	out := map[string]*wrapper{}
	for names, fields := range entries(text) {
		w := &wrapper{}
		for i := 0; i < len(fields); i++ {
			i += w.read(fields[i], fields[min(i+1, len(fields)-1)])
		}
		for _, name := range names {
			out[name] = w
		}
	}
	return out
}

// read takes one property and returns how many further fields it used.
func (w *wrapper) read(what, list string) int {
	names := strings.Split(list, ",")
	set := func() map[string]bool {
		m := make(map[string]bool, len(names))
		for _, n := range names {
			m[n] = true
		}
		return m
	}
	switch what {
	case "clear":
		w.clear = true
	case "assigns":
		w.assigns = true
	case "join":
		w.join = true
	case "rest":
		w.rest = true
	case "text":
		w.text = true
	case "alone":
		w.alone = true
	case "script":
		w.script = true
	case "fold":
		w.fold = true
	default:
		return w.readList(what, names, set)
	}
	return 0
}

func (w *wrapper) readList(what string, names []string, set func() map[string]bool) int {
	switch what {
	case "skip":
		w.skip, _ = strconv.Atoi(names[0])
	case "flag":
		w.flag = set()
	case "value":
		w.value = set()
	case "shell":
		w.shell = set()
	case "split":
		w.split = set()
	case "none":
		w.none = set()
	case "hidden":
		w.hide = set()
	case "replace":
		w.swap = set()
	case "optional":
		w.optional = set()
	case "exec":
		w.exec = names
	case "only":
		w.only = names
	case "marker":
		w.marker = names
	}
	return 1
}

// programName is the name by which the tables know a program: without its
// folder and without the endings of Windows.
func programName(program string) string {
	name := path.Base(program)
	if i := strings.LastIndexByte(name, '\\'); i >= 0 {
		name = name[i+1:]
	}
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		switch strings.ToLower(name[dot:]) {
		case ".exe", ".cmd", ".bat", ".com":
			name = strings.ToLower(name[:dot])
		}
	}
	return name
}
