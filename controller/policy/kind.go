package policy

import (
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// kindSet is a set of kinds. Beside the tool kinds of ACP it knows two ways to
// name a call that is not about its kind: mcp and tool.
type kindSet uint16

const (
	kindRead kindSet = 1 << iota
	kindEdit
	kindDelete
	kindMove
	kindSearch
	kindExecute
	kindThink
	kindFetch
	kindSwitchMode
	kindOther
	kindMCP
	kindTool
	kindStrange // a kind that ACP may get one day; only any is about it
)

const (
	pathKinds = kindRead | kindEdit | kindDelete | kindMove | kindSearch
	textKinds = kindThink | kindSwitchMode | kindOther
	acpKinds  = pathKinds | textKinds | kindExecute | kindFetch
	allKinds  = acpKinds | kindMCP | kindTool | kindStrange
)

// kindNames are in the order of the bits.
var kindNames = [...]string{
	"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other", "mcp", "tool",
}

// kindOf returns the kind of a name as it stands in a rule or a tool call, zero
// when there is none of that name.
func kindOf(name string) kindSet {
	if i := slices.Index(kindNames[:], name); i >= 0 {
		return 1 << i
	}
	return 0
}

// names lists the kinds of the set in alphabetical order.
func (k kindSet) names() []string {
	out := make([]string, 0, bits.OnesCount16(uint16(k)))
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// otherWords are what people write for a kind, beside typing errors.
var otherWords = map[string]string{
	"exec": "execute", "run": "execute", "shell": "execute", "command": "execute", "cmd": "execute", "bash": "execute",
	"write": "edit", "create": "edit", "modify": "edit", "remove": "delete", "rm": "delete", "rename": "move",
	"grep": "search", "glob": "search", "find": "search", "web": "fetch", "http": "fetch", "url": "fetch",
	"mode": "switch_mode", "all": "any", "*": "any",
}

// nearestKind is the kind that was probably meant by a name that is none, or "".
func nearestKind(name string) string {
	lower := strings.ToLower(name)
	if meant, ok := otherWords[lower]; ok {
		return meant
	}
	best, distance := "", 3
	for _, k := range append(kindNames[:], "any") {
		if d := editDistance(lower, k); d < distance {
			best, distance = k, d
		}
	}
	for _, word := range slices.Sorted(maps.Keys(otherWords)) {
		if d := editDistance(lower, word); d < distance && len(word) > 3 {
			best, distance = otherWords[word], d
		}
	}
	return best
}

// editDistance counts the letters to insert, remove or replace.
func editDistance(a, b string) int {
	if len(a) > 32 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
