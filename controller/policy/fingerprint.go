package policy

import "strings"

// same tells whether two readings of a text would run the same: the same words
// in the same commands, the same files.
func (s *script) same(t *script) bool {
	return s.ok && t.ok && s.fingerprint() == t.fingerprint()
}

func (s *script) fingerprint() string {
	var b strings.Builder
	s.eachScript(func(s *script) {
		for _, c := range s.commands {
			b.WriteString("\ncommand")
			for _, a := range c.assigns {
				b.WriteString("\x00" + a.name + "=" + a.value.pat)
			}
			for _, w := range c.words {
				b.WriteString("\x00" + w.pat)
			}
		}
		for _, d := range s.redirs {
			b.WriteString("\nfile\x00" + d.kind.label() + "\x00" + d.target.pat)
		}
		for _, w := range s.words {
			b.WriteString("\nword\x00" + w.word.pat)
		}
		b.WriteString("\n" + strings.Join(s.bars, "\n") + strings.Join(s.functions, "\n"))
	})
	return b.String()
}
