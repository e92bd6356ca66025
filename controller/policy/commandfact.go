package policy

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// commandFact is one command of a call: a line for a shell, or the words of one
// command, or something that is neither.
type commandFact struct {
	text  string   // the line; for words, the same quoted
	words []string // set when no shell splits them
	bar   string   // why it cannot be judged
}

// commandKeys are the members of a raw input that hold a command.
var commandKeys = []string{"command", "cmd", "script", "commandLine", "commandline", "shell_command"}

// commands finds every command of a call.
func (c *Call) commands() []commandFact {
	var out []commandFact
	add := func(f commandFact) {
		if f.text != "" && !slices.ContainsFunc(out, func(o commandFact) bool { return o.text == f.text }) {
			out = append(out, f)
		}
	}
	raw := rawObject(c.RawInput)
	args := raw["args"]
	if c.Command != "" {
		add(withArgs(commandFact{text: c.Command}, args))
	}
	for _, key := range commandKeys {
		if value := raw[key]; !emptyJSON(value) {
			add(withArgs(readCommand(value), args))
		}
	}
	return out
}

func readCommand(raw json.RawMessage) commandFact {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return commandFact{text: text}
	}
	var words []string
	if json.Unmarshal(raw, &words) != nil || len(words) == 0 {
		return commandFact{text: string(raw), bar: "it is no text"}
	}
	if len(words) == 3 && transport(words[0], words[1]) {
		return commandFact{text: words[2]}
	}
	return wordFact(words)
}

func wordFact(words []string) commandFact {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quoteWord(w)
	}
	return commandFact{text: strings.Join(quoted, " "), words: words}
}

// transport tells whether a list is the agent's way to hand a line to a shell.
func transport(program, option string) bool {
	switch path.Base(program) {
	case "sh", "bash", "zsh", "dash", "ash", "ksh", "fish":
	default:
		return false
	}
	letters, ok := strings.CutPrefix(option, "-")
	return ok && strings.Contains(letters, "c") && strings.Trim(letters, "celiux") == ""
}

// withArgs appends a list of arguments, each one word.
func withArgs(f commandFact, raw json.RawMessage) commandFact {
	var args []string
	if emptyJSON(raw) || json.Unmarshal(raw, &args) != nil || len(args) == 0 {
		return f
	}
	if f.words != nil {
		return wordFact(slices.Concat(f.words, args))
	}
	if strings.ContainsAny(f.text, "\n;|&#<>(){}") {
		f.bar = "it is no single command, yet it has arguments"
	}
	f.text += " " + wordFact(args).text
	return f
}

// cwd is the folder that a call names for its command.
func (c *Call) cwd() string {
	if c.Cwd != "" {
		return c.Cwd
	}
	raw := rawObject(c.RawInput)
	keys := []string{"cwd", "workdir", "workingDirectory", "working_directory", "workDir"}
	if kindOf(c.Kind) == kindExecute {
		keys = append(keys, "directory", "dir", "dir_path")
	}
	for _, key := range keys {
		var s string
		if json.Unmarshal(raw[key], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}
