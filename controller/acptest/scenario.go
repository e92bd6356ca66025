package acptest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Scenario is what an agent plays. It is not changed by playing and may be played
// any number of times.
type Scenario struct {
	name  string
	steps []step
}

// step is one instruction.
type step struct {
	line int
	verb string
	args []string // as many as the verb takes; the last one is the rest of the line
}

// verbs says how many arguments each verb takes: at least, at most. The last
// argument reaches to the end of the line.
var verbs = map[string]struct {
	least, most int
	json        int // which argument is JSON, counted from 1; 0: none
	number      int // which argument is a number
}{
	">": {1, 2, 0, 0}, "auto": {1, 2, 2, 0},
	"<": {1, 1, 1, 0}, "reply": {2, 2, 2, 0}, "fail": {3, 3, 0, 2}, "update": {1, 1, 1, 0},
	"request": {3, 3, 3, 0}, "notify": {2, 2, 2, 0}, "flood": {2, 2, 0, 2},
	"line": {1, 1, 0, 0}, "partial": {1, 1, 0, 0}, "stderr": {1, 1, 0, 0}, "noise": {1, 1, 0, 1},
	"open": {}, "polite": {0, 1, 0, 0}, "session": {1, 1, 0, 0}, "wait": {1, 1, 0, 0},
	"ignore": {1, 1, 0, 0}, "spawn": {2, 2, 0, 0}, "exit": {1, 1, 0, 1}, "hang": {},
}

// Parse reads a scenario. The name is for messages. Errors name the line.
func Parse(name string, text []byte) (*Scenario, error) {
	s := &Scenario{name: name}
	for _, l := range logicalLines(string(text)) {
		st, err := parseStep(l.text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, l.number, err)
		}
		st.line = l.number
		s.steps = append(s.steps, st)
	}
	return s, nil
}

type logicalLine struct {
	number int
	text   string
}

// logicalLines drops comments and blank lines and joins continuations.
func logicalLines(text string) []logicalLine {
	var lines []logicalLine
	for i, raw := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(raw)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case len(lines) > 0 && (raw[0] == ' ' || raw[0] == '\t'):
			lines[len(lines)-1].text += " " + trimmed
		default:
			lines = append(lines, logicalLine{i + 1, trimmed})
		}
	}
	return lines
}

func parseStep(line string) (step, error) {
	verb, rest, _ := strings.Cut(line, " ")
	form, ok := verbs[verb]
	if !ok {
		return step{}, fmt.Errorf("unknown instruction %q", verb)
	}
	if verb == ">" && (strings.HasPrefix(rest, "response ") || strings.HasPrefix(rest, "error ")) {
		form.least, form.most = 2, 3
	}
	st := step{verb: verb, args: splitArgs(rest, form.most)}
	if len(st.args) < form.least || rest != "" && form.most == 0 {
		return step{}, fmt.Errorf("%s takes %d to %d arguments", verb, form.least, form.most)
	}
	if verb == ">" {
		form.json = form.most
	}
	return st, st.check(form.json, form.number)
}

// splitArgs splits at spaces into at most n arguments.
func splitArgs(rest string, n int) []string {
	var args []string
	for rest = strings.TrimSpace(rest); rest != "" && len(args) < n; rest = strings.TrimSpace(rest) {
		if len(args) == n-1 {
			return append(args, rest)
		}
		var word string
		word, rest, _ = strings.Cut(rest, " ")
		args = append(args, word)
	}
	return args
}

// check finds mistakes of the scenario before it is played.
func (st *step) check(jsonArg, numberArg int) error {
	if jsonArg > 0 && len(st.args) >= jsonArg {
		doc := placeholder().ReplaceAllString(st.args[jsonArg-1], "0")
		if !json.Valid([]byte(doc)) {
			return fmt.Errorf("%s: not JSON: %s", st.verb, st.args[jsonArg-1])
		}
	}
	if numberArg > 0 {
		if _, err := strconv.Atoi(st.args[numberArg-1]); err != nil {
			return fmt.Errorf("%s: not a number: %s", st.verb, st.args[numberArg-1])
		}
	}
	switch st.verb {
	case "wait":
		_, err := time.ParseDuration(st.args[0])
		return err
	case "flood":
		_, err := strconv.Atoi(st.args[0])
		return err
	case "ignore":
		if st.args[0] != "eof" && st.args[0] != "term" {
			return fmt.Errorf("ignore takes eof or term")
		}
	case "polite":
		if len(st.args) == 1 && st.args[0] != "plain" {
			return fmt.Errorf("polite takes plain or nothing")
		}
	}
	return nil
}

// number is a checked numeric argument.
func (st *step) number(i int) int {
	n, _ := strconv.Atoi(st.args[i])
	return n
}

// placeholder is ${METHOD} or ${METHOD:path}.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^}:]+)(?::([^}]*))?\}`) })
