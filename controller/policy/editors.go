package policy

import (
	"slices"
	"strings"
)

// sedNeeds looks at what a sed script does. The commands e, w and W run or
// write; so do the flags e and w of s.
func sedNeeds(e *escapeEntry, words []word, need []int) {
	needScripts(words, need, e.scripts(words, "--expression"), sedEscapes)
}

// awkNeeds looks at what an awk program does.
func awkNeeds(e *escapeEntry, words []word, need []int) {
	needScripts(words, need, e.scripts(words, "--source"), awkEscapes)
}

func needScripts(words []word, need []int, found []scriptText, escapes func(string) bool) {
	for _, s := range found {
		if !words[s.word].known() || escapes(s.text) {
			need[s.word] = len(words[s.word].lit)
		}
	}
}

// scriptText is a script for a program and the word that holds it.
type scriptText struct {
	word int
	text string
}

// scripts finds the scripts among the words of a command: what belongs to -e or
// its long form, else the first operand. Behind a long option that is not known
// to stand alone, the operand may be its value and the next one the script.
func (e *escapeEntry) scripts(words []word, long string) []scriptText {
	var out []scriptText
	var rest []int
	take := func(i int) int {
		if i < len(words) {
			out = append(out, scriptText{i, words[i].lit})
		}
		return i
	}
	unsure := 0
	for i, options := 1, true; i < len(words); i++ {
		w := words[i].lit
		switch {
		case options && w == "--":
			options = false
		case !options || len(w) < 2 || w[0] != '-':
			rest = append(rest, i)
		case w == long:
			i = take(i + 1)
		case strings.HasPrefix(w, long+"="):
			out = append(out, scriptText{i, w[len(long)+1:]})
		case w[1] == '-':
			if !strings.Contains(w, "=") && !slices.Contains(e.never, w) {
				unsure++
			}
		default:
			text, own, next := bundleValue(w[1:], 'e', e.valued)
			switch {
			case own && next:
				i = take(i + 1)
			case own:
				out = append(out, scriptText{i, text})
			case next:
				i++
			}
		}
	}
	if len(out) == 0 {
		unsure++
	}
	for _, i := range rest[:min(unsure, len(rest))] {
		take(i)
	}
	return out
}

// bundleValue reads a bundle of letters up to the first that takes a value: the
// rest of the bundle, or the next word. Own says that it is the letter asked for.
func bundleValue(bundle string, letter byte, valued string) (rest string, own, next bool) {
	for i := range len(bundle) {
		if bundle[i] == letter || strings.IndexByte(valued, bundle[i]) >= 0 {
			return bundle[i+1:], bundle[i] == letter, i+1 == len(bundle)
		}
	}
	return "", false, false
}

// sedEscapes reads a script as sed does and tells whether it might run or write
// something. What it cannot read might.
func sedEscapes(s string) bool {
	for i := 0; i < len(s); {
		i = skipSedAddress(s, i)
		if i < 0 {
			return true
		}
		if i >= len(s) {
			return false
		}
		next := sedCommand(s, i)
		if next < 0 {
			return true
		}
		i = next
	}
	return false
}

// skipSedAddress passes blanks, separators and addresses; -1 when it cannot.
func skipSedAddress(s string, i int) int {
	for i < len(s) {
		switch c := s[i]; {
		case strings.IndexByte(" \t\n;{},!$+~0123456789", c) >= 0:
			i++
		case c == '/':
			if i = skipSedText(s, i+1, '/'); i < 0 {
				return -1
			}
			for i < len(s) && (s[i] == 'I' || s[i] == 'M') {
				i++
			}
		case c == '\\' && i+1 < len(s):
			if i = skipSedText(s, i+2, s[i+1]); i < 0 {
				return -1
			}
		default:
			return i
		}
	}
	return i
}

// skipSedText passes a text up to the separator and returns what follows it.
func skipSedText(s string, i int, end byte) int {
	for bracket := false; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '[' && !bracket:
			bracket = true
			if i+1 < len(s) && s[i+1] == '^' {
				i++
			}
			if i+1 < len(s) && s[i+1] == ']' {
				i++
			}
		case s[i] == ']':
			bracket = false
		case s[i] == end:
			// Within brackets implementations differ; both readings end here or
			// fail, and failing is the careful one.
			if bracket {
				return -1
			}
			return i + 1
		case s[i] == '\n':
			return -1
		}
	}
	return -1
}

// sedCommand passes one command; -1 when it runs, writes or is not understood.
func sedCommand(s string, i int) int {
	switch c := s[i]; c {
	case 'p', 'P', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'x', 'z', 'l', '=', 'F':
		return i + 1
	case 'q', 'Q':
		return i + 1
	case 'b', 't', 'T', ':':
		// Whether a semicolon or brace ends a label differs; what stands behind
		// it is read as commands.
		if end := strings.IndexAny(s[i:], ";}\n"); end >= 0 {
			return i + end
		}
		return len(s)
	case '#', 'a', 'i', 'c', 'r', 'R':
		// These run to the end of the line.
		if end := strings.IndexByte(s[i:], '\n'); end >= 0 && (c == '#' || s[i+max(end-1, 0)] != '\\') {
			return i + end + 1
		} else if end >= 0 {
			return -1
		}
		return len(s)
	case 'y':
		if i+1 >= len(s) {
			return -1
		}
		middle := skipSedText(s, i+2, s[i+1])
		if middle < 0 {
			return -1
		}
		return skipSedText(s, middle, s[i+1])
	case 's':
		return sedSubstitute(s, i)
	}
	return -1
}

func sedSubstitute(s string, i int) int {
	if i+1 >= len(s) || s[i+1] == '\\' || s[i+1] == '\n' {
		return -1
	}
	end := s[i+1]
	middle := skipSedText(s, i+2, end)
	if middle < 0 {
		return -1
	}
	flags := skipSedReplacement(s, middle, end)
	if flags < 0 {
		return -1
	}
	for flags < len(s) && strings.IndexByte("gpiImM0123456789", s[flags]) >= 0 {
		flags++
	}
	if flags < len(s) && strings.IndexByte(" \t\n;}", s[flags]) < 0 {
		return -1
	}
	return flags
}

// skipSedReplacement passes the second half of s, in which brackets are text.
func skipSedReplacement(s string, i int, end byte) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case end:
			return i + 1
		}
	}
	return -1
}

// awkEscapes tells whether a program might run something or write a file. A >
// before any print is a comparison.
func awkEscapes(s string) bool {
	for _, mark := range []string{"system", "getline", "@", "/inet"} {
		if strings.Contains(s, mark) {
			return true
		}
	}
	if strings.Contains(strings.ReplaceAll(s, "||", ""), "|") {
		return true
	}
	printed := strings.Index(s, "print")
	return printed >= 0 && strings.Contains(s[printed:], ">")
}
