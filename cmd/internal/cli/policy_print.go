package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/output"
)

// checkLine is one output line of policy check.
type checkLine struct {
	Decision policy.Decision `json:"decision"`
	By       string          `json:"by,omitempty"`
	Rule     string          `json:"rule,omitempty"`
	At       string          `json:"at,omitempty"`
	Layer    policy.Layer    `json:"layer,omitempty"`
	Message  string          `json:"message,omitempty"`
	Why      string          `json:"why,omitempty"`
	Suggest  []string        `json:"suggest,omitempty"`
	Hint     string          `json:"hint,omitempty"`
}

func (d *decided) printJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	o := d.outcome
	return enc.Encode(checkLine{
		Decision: o.Decision, By: o.By, Rule: o.Rule, At: o.At, Layer: o.Layer, Message: o.Message,
		Why: o.Why, Suggest: o.Suggest, Hint: o.Hint,
	})
}

// explain writes the decision, then every rule that was looked at.
func (d *decided) explain(w io.Writer) error {
	var b strings.Builder
	o := d.outcome
	fmt.Fprintf(&b, "%s: %s\n", o.Decision, d.subject())
	switch {
	case o.Rule != "":
		fmt.Fprintf(&b, "  by %s  (%s, layer %s)\n", o.Rule, o.At, o.Layer)
	case o.By == "default":
		fmt.Fprintf(&b, "  by the default\n")
	}
	for _, line := range []struct{ label, text string }{{"message", o.Message}, {"why", o.Why}, {"hint", o.Hint}} {
		if line.text != "" {
			fmt.Fprintf(&b, "  %s: %s\n", line.label, output.EscapeControl(line.text))
		}
	}
	for _, rule := range o.Suggest {
		fmt.Fprintf(&b, "  would be covered by: allow %s\n", output.EscapeControl(rule))
	}
	for _, l := range d.policy.Explain(d.call, d.env) {
		mark := " "
		if l.Matched {
			mark = "*"
		}
		fmt.Fprintf(&b, "  %s %-5s %s  (%s, %s)", mark, l.List, output.EscapeControl(l.Rule), l.At, l.Layer)
		if l.Why != "" {
			fmt.Fprintf(&b, "  %s", output.EscapeControl(l.Why))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// subject says in a few words what the call is.
func (d *decided) subject() string {
	switch {
	case d.outcome.Command != "":
		return d.call.Kind + " " + output.EscapeControl(d.outcome.Command)
	case len(d.outcome.Paths) > 0:
		return d.call.Kind + " " + output.EscapeControl(strings.Join(d.outcome.Paths, " "))
	default:
		return d.call.Kind
	}
}
