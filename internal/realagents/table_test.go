//go:build unix

package realagents

import (
	"fmt"
	"slices"
	"strings"
)

// table is what each agent honours.
type table struct {
	cells map[string]map[string]string
	seen  []*agent
}

func newTable() *table { return &table{cells: map[string]map[string]string{}} }

func (t *table) set(row string, a *agent, value string) {
	if t.cells[row] == nil {
		t.cells[row] = map[string]string{}
	}
	t.cells[row][a.name] = value
	if !slices.Contains(t.seen, a) {
		t.seen = append(t.seen, a)
	}
}

// String is the page of the documentation.
func (t *table) String() string {
	var out strings.Builder
	out.WriteString("# What agents honour\n\nMade by `make realagents`, which installs each agent from npm and runs it through recipes, against a model server on the\n" +
		"same machine. \"Yes\" means that acpctl asked for it and saw it done. For every run acpctl owes the same, and the test fails\nwithout it: one result, " +
		"last; the exit code that it says; an end for each start; no process left.\n\n|")
	for _, a := range t.seen {
		fmt.Fprintf(&out, " | [%s](%s.md)", a.name, a.name)
	}
	out.WriteString(" |\n|---" + strings.Repeat("|---", len(t.seen)) + "|\n| version")
	for _, a := range t.seen {
		fmt.Fprintf(&out, " | %s", a.version)
	}
	out.WriteString(" |\n")
	for _, c := range cases {
		fmt.Fprintf(&out, "| %s", c.name)
		for _, a := range t.seen {
			fmt.Fprintf(&out, " | %s", t.cells[c.name][a.name])
		}
		out.WriteString(" |\n")
	}
	return out.String()
}
