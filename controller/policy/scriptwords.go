package policy

import (
	"strings"
	"sync"
)

// analyzeWords judges a command that is given as words, which no shell reads.
func analyzeWords(w *world, parsers *sync.Pool, list []string, p place) *script {
	s := &script{ok: true}
	total := 0
	words := make([]word, len(list))
	for i, text := range list {
		words[i] = literalWord(text)
		total += len(text)
		if hasControl(text) {
			return &script{fault: "it holds a control character"}
		}
	}
	if total > maxText || len(list) > maxWords {
		return &script{fault: "it is too long to be judged"}
	}
	a := &analyzer{world: w, parsers: parsers, out: s, shared: &analysis{}}
	a.add(a.simple(words, p, nil))
	if a.shared.exhausted() {
		return &script{fault: "it has too many commands to be judged"}
	}
	// No shell is there to know its builtins.
	s.commands[0].free = false
	return s
}

// each calls f for every simple command, those behind wrappers and in texts
// included.
func (s *script) each(f func(*command)) {
	for _, c := range s.commands {
		c.each(f)
	}
}

func (c *command) each(f func(*command)) {
	f(c)
	if c.wraps != nil {
		for _, in := range c.wraps.inner {
			in.each(f)
		}
	}
	for _, n := range c.nested {
		n.each(f)
	}
}

// eachScript calls f for the script and every text within it.
func (s *script) eachScript(f func(*script)) {
	f(s)
	s.each(func(c *command) {
		for _, n := range c.nested {
			f(n)
		}
	})
}

// allWords are the words that may name files, of every command and text.
func (s *script) allWords() []placedWord {
	var out []placedWord
	s.eachScript(func(s *script) {
		out = append(out, s.words...)
		for _, c := range s.commands {
			for _, w := range c.words {
				out = append(out, placedWord{w, c.place})
			}
		}
	})
	return out
}

// wordFacts are the files that a word could name, for denies: itself, and what
// stands behind = or behind the letter of an option.
func (w *world) wordFacts(pw placedWord, lost bool) []*pathFact {
	texts := []string{pw.word.pat}
	if _, value, ok := strings.Cut(pw.word.pat, "="); ok && value != "" {
		texts = append(texts, value)
	}
	if p := pw.word.pat; len(p) > 2 && p[0] == '-' && p[1] != '-' {
		texts = append(texts, p[2:])
	}
	out := make([]*pathFact, 0, len(texts))
	for _, text := range texts {
		if text == "" || len(text) > maxPath {
			continue
		}
		out = append(out, w.textFacts(text, pw.place, lost)...)
	}
	return out
}

// textFacts are the files that a text could name from the places.
func (w *world) textFacts(text string, p place, lost bool) []*pathFact {
	if strings.IndexByte(text, anyRun) >= 0 {
		return []*pathFact{{ways: []string{string(rune(anyRun)) + "/" + text}}}
	}
	if strings.HasPrefix(text, "/") {
		return []*pathFact{w.fact(text, w.base)}
	}
	var out []*pathFact
	for _, cwd := range p.cwds {
		out = append(out, w.fact(text, cwd))
	}
	if p.unknown || lost {
		out = append(out, &pathFact{ways: []string{string(rune(anyRun)) + "/" + text}})
	}
	return out
}
