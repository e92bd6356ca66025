package recipes

import (
	"maps"
	"slices"

	"github.com/acpctl/acpctl/controller/policy"
)

// presets are the policies with a name. None of them allows everything: that is
// a flag whose name says so.
func presets() map[string]struct{ allow, deny []string } {
	reading := []string{"read(**)", "search(**)", "think"}
	return map[string]struct{ allow, deny []string }{
		"deny-all":      {nil, []string{"any"}},
		"read-only":     {reading, nil},
		"approve-edits": {slices.Concat(reading, []string{"edit(**)"}), nil},
	}
}

// PresetNames lists the policies with a name.
func PresetNames() []string { return slices.Sorted(maps.Keys(presets())) }

// Preset is the policy of a name, nil for an unknown one.
func Preset(name string) *Permissions {
	rules, ok := presets()[name]
	if !ok {
		return nil
	}
	spec := &policy.Spec{}
	for _, r := range rules.allow {
		spec.Allow = append(spec.Allow, policy.PlainRule(r, name, policy.LayerPolicy))
	}
	for _, r := range rules.deny {
		spec.Deny = append(spec.Deny, policy.PlainRule(r, name, policy.LayerPolicy))
	}
	return &Permissions{Spec: spec}
}
