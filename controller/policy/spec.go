package policy

// Decision is what becomes of a tool call.
type Decision string

// The decisions, from the mildest to the strictest but for [Uncovered], which
// stands between Ask and Deny: no rule decided, or it cannot be known that none
// forbids.
const (
	Allow     Decision = "allow"
	Ask       Decision = "ask"
	Uncovered Decision = "uncovered"
	Deny      Decision = "deny"
)

// Layer is where a rule comes from.
type Layer string

// The layers. Rules of the user's and the project's configuration may only
// tighten: an allow there is an error.
const (
	LayerBuiltin Layer = "builtin"
	LayerUser    Layer = "user"
	LayerProject Layer = "project"
	LayerRecipe  Layer = "recipe"
	LayerPolicy  Layer = "policy"
	LayerFlag    Layer = "flag"
)

// Segment is a piece of a rule's text. In a literal one, an interpolated value,
// every character stands for itself: it holds no wildcard, ends no word and
// closes no rule.
type Segment struct {
	Text    string
	Literal bool
}

// RuleSpec is one rule as written.
type RuleSpec struct {
	// Rule is the text, in pieces where values were put in. Required.
	Rule []Segment
	// Except takes calls out of the rule again; none when empty.
	Except []Segment
	// Message is shown with a denial. Optional.
	Message string
	// At is the rule's place, file and line, or the flag. Recommended.
	At string
	// Layer is where the rule comes from. Recommended.
	Layer Layer
}

// PlainRule is a rule without interpolated values.
func PlainRule(text, at string, layer Layer) RuleSpec {
	return RuleSpec{Rule: []Segment{{Text: text}}, At: at, Layer: layer}
}

// Spec is a set of rules and what applies when none of them decides.
type Spec struct {
	// Default is deny, ask or allow; empty is deny.
	Default Decision
	// Allow, Ask and Deny are the rules; their order has no meaning.
	Allow, Ask, Deny []RuleSpec
}

// Merge adds up the rules of all specs. The last default that is set wins. Nil
// specs are skipped; the result is never nil and shares no memory.
func Merge(specs ...*Spec) *Spec {
	out := &Spec{}
	for _, s := range specs {
		if s == nil {
			continue
		}
		if s.Default != "" {
			out.Default = s.Default
		}
		out.Allow = append(out.Allow, s.Allow...)
		out.Ask = append(out.Ask, s.Ask...)
		out.Deny = append(out.Deny, s.Deny...)
	}
	return out
}
