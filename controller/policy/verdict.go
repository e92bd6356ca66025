package policy

// verdict is the answer of a rule that forbids: what might match is not let
// through either. The order counts.
type verdict uint8

const (
	no verdict = iota
	maybe
	yes
)
