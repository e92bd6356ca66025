package policy

import "fmt"

// RuleError says what is wrong with one rule. [Compile] joins all of them.
type RuleError struct {
	// At is where the rule stands, such as "recipe.yaml:12"; empty when unknown.
	At string
	// Rule is the rule's text.
	Rule string
	// Message is the fault, with a hint where one can be given.
	Message string
	// Offset is the byte in Rule where the fault was seen, from 0.
	Offset int
}

// Error returns place, fault and rule on one line.
func (e *RuleError) Error() string {
	place := ""
	if e.At != "" {
		place = e.At + ": "
	}
	return fmt.Sprintf("%srule %s, offset %d: %s", place, preview(e.Rule), e.Offset, e.Message)
}

// preview quotes a value for a message and cuts it to 64 bytes.
func preview(s string) string {
	if len(s) > 64 {
		cut := 61
		for cut > 0 && s[cut]&0xC0 == 0x80 {
			cut--
		}
		s = s[:cut] + "..."
	}
	return fmt.Sprintf("%q", s)
}
