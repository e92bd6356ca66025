package policy

import "mvdan.cc/sh/v3/syntax"

// assign works off an assignment.
func (a *analyzer) assign(x *syntax.Assign, p place) assign {
	out := assign{}
	if x.Name != nil {
		out.name = x.Name.Value
	}
	if x.Index != nil && !allElements(x.Index) {
		a.arithm(x.Index, p)
	}
	if x.Array != nil {
		for _, e := range x.Array.Elems {
			if e.Index != nil {
				a.arithm(e.Index, p)
			}
			if e.Value != nil {
				a.look(a.words([]*syntax.Word{e.Value}, p), p)
			}
		}
	}
	out.never = neverAssigned(out.name)
	if x.Value != nil {
		out = newAssign(out.name, a.word(x.Value, p))
		a.look([]word{out.value}, p)
		if evaluatesAgain(out.value.lit) {
			a.runsText("a value could be evaluated a second time: " + preview(shown(out.value.lit)))
		}
	}
	a.assigned(out)
	return out
}

// sets notes that something other than an assignment gives a variable a value.
func (a *analyzer) sets(name string) {
	if neverAssigned(name) {
		a.bar("it sets " + name + ", which can choose what runs")
	}
}

// assigned looks into the value of a variable that a shell or another program
// reads as a command. What is found there counts for denies only, since an
// allow does not cover such a variable at all.
func (a *analyzer) assigned(as assign) {
	if !as.never || as.value.lit == "" {
		return
	}
	switch as.name {
	case "BASH_ENV", "ENV", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS":
		a.out.opaque = true
	}
	if !isName(as.name) {
		a.out.opaque = true // a function, say, for the shell that env starts
	}
	if as.value.known() {
		a.out.aside = append(a.out.aside, a.nested(as.value.lit, place{unknown: true}))
	}
}

func newAssign(name string, value word) assign {
	return assign{name: name, value: value, never: neverAssigned(name) || !isName(name), bad: value.unknown}
}
