package output

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// place names the step that an event belongs to: id:, id[index]: or #item id:.
func place(e *event.Event) string {
	name := e.Step
	if e.Index != nil {
		name += "[" + strconv.Itoa(*e.Index) + "]"
	}
	if e.Item != nil {
		name = strings.TrimSpace("#" + strconv.Itoa(*e.Item) + " " + name)
	}
	if name == "" {
		return ""
	}
	return name + ":"
}

// target says in a few words what a call is about.
func target(command string, paths []string) string {
	return cmp.Or(command, strings.Join(paths, " "))
}

// decidedBy says what rule decided, and where it stands.
func decidedBy(by, rule, at string) string {
	switch {
	case rule != "" && at != "":
		return "by " + rule + " (" + at + ")"
	case rule != "":
		return "by " + rule
	default:
		return prefixed("by ", by)
	}
}

// prefixed is empty for an empty text.
func prefixed(prefix, said string) string {
	if said == "" {
		return ""
	}
	return prefix + said
}

func limitText(b *event.Limit) string {
	if b.Name == "time" || b.Name == "idle" {
		return fmt.Sprintf("%s: %s of %s", b.Name, duration(int64(b.Value)), duration(int64(b.Max)))
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return fmt.Sprintf("%s: %s of %s", b.Name, number(b.Value), number(b.Max))
}

// took is empty for a time that nobody measured.
func took(ms int64) string {
	if ms == 0 {
		return ""
	}
	return duration(ms)
}

// duration prints milliseconds as people do: 340ms, 1.2s, 2m3s.
func duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Second:
		return d.String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	default:
		return d.Round(time.Second).String()
	}
}
