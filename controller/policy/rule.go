package policy

import "strings"

// rule is a compiled rule. Which of the pattern fields are set depends on its
// kinds; none is when it is bare.
type rule struct {
	list, text, at, message string
	layer                   Layer
	kinds                   kindSet
	bare                    bool // every call of the kinds, whatever its facts
	whole                   bool // the pattern **
	path                    *pathPattern
	exec                    *execPattern
	fetch                   *fetchPattern
	mcp                     *mcpPattern
	name                    *glob // think, switch_mode, other, tool
	except                  *rule
}

// parseRule reads kind, kind(pattern) or kind,kind(pattern), or an alias. The
// pattern runs to the last parenthesis.
func parseRule(t ruleText) (*rule, *patternError) {
	source := t.s
	t, shift := t.trim()
	if t.s == "" {
		return nil, faultf(0, "empty rule; write a kind such as read, or kind(pattern)")
	}
	r, err := parseTrimmed(t)
	if err != nil {
		err.offset += shift
		return nil, err
	}
	r.text = source
	return r, nil
}

func parseTrimmed(t ruleText) (*rule, *patternError) {
	head, pattern, open, err := splitRule(t)
	if err != nil {
		return nil, err
	}
	r := &rule{bare: pattern == nil}
	for offset, name := range splitNames(head.s) {
		if r.kinds, pattern, err = addKind(r.kinds, name, pattern, offset); err != nil {
			return nil, err
		}
	}
	if pattern == nil {
		return r, nil
	}
	r.bare = false
	if err := r.setPattern(*pattern); err != nil {
		err.offset += open
		return nil, err
	}
	return r, nil
}

// splitRule finds the parenthesis that opens the pattern and the one that
// closes it; pattern is nil without one.
func splitRule(t ruleText) (head ruleText, pattern *ruleText, open int, err *patternError) {
	at := -1
	for i := range len(t.s) {
		if t.mark[i] != markPlain {
			return head, nil, 0, faultf(i, "a value cannot stand where the kind is named")
		}
		if t.s[i] == '(' {
			at = i
			break
		}
	}
	if at < 0 {
		return t, nil, 0, nil
	}
	if last := len(t.s) - 1; last == at || !t.plainAny(last, ")") {
		return head, nil, 0, faultf(len(t.s), "missing ) at the end")
	}
	inner := t.slice(at+1, len(t.s)-1)
	return t.slice(0, at), &inner, at + 1, nil
}

// splitNames yields the names before the parenthesis with their places.
func splitNames(head string) func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		offset := 0
		for name := range strings.SplitSeq(head, ",") {
			if !yield(offset, strings.TrimSpace(name)) {
				return
			}
			offset += len(name) + 1
		}
	}
}

// addKind adds one name to the kinds. An alias may also rewrite the pattern.
func addKind(kinds kindSet, name string, pattern *ruleText, offset int) (kindSet, *ruleText, *patternError) {
	if name == "any" {
		return kinds | allKinds, pattern, nil
	}
	if k := kindOf(name); k != 0 {
		return kinds | k, pattern, nil
	}
	if k, p, ok, err := aliasKind(name, pattern); err != nil {
		return 0, nil, err
	} else if ok {
		return kinds | k, p, nil
	}
	if name == "" {
		return 0, nil, faultf(offset, "missing kind; known are %s and any", strings.Join(kindNames[:], " "))
	}
	hint := "known are " + strings.Join(kindNames[:], " ") + " and any"
	if near := nearestKind(name); near != "" {
		hint = "did you mean \"" + near + "\"?"
	}
	return 0, nil, faultf(offset, "unknown kind %q; %s", name, hint)
}

// setPattern prepares the pattern for each group of kinds.
func (r *rule) setPattern(t ruleText) *patternError {
	t, shift := t.trim()
	err := r.preparePattern(t)
	if err != nil {
		err.offset += shift
	}
	return err
}

func (r *rule) preparePattern(t ruleText) (err *patternError) {
	if t.s == "" {
		return faultf(0, "empty pattern; leave the parentheses out for every call of the kind")
	}
	if t.plain("**") {
		r.whole = true
		return nil
	}
	if r.kinds == allKinds {
		r.kinds = pathKinds // any(pattern) is about paths
	}
	if r.kinds&pathKinds != 0 {
		if r.path, err = newPathPattern(t); err != nil {
			return err
		}
	}
	if r.kinds&kindExecute != 0 {
		if r.exec, err = newExecPattern(t); err != nil {
			return err
		}
	}
	if r.kinds&kindFetch != 0 {
		if r.fetch, err = newFetchPattern(t); err != nil {
			return err
		}
	}
	if r.kinds&kindMCP != 0 {
		if r.mcp, err = newMCPPattern(t); err != nil {
			return err
		}
	}
	if r.kinds&(textKinds|kindTool) != 0 {
		plain, err := t.unescape()
		if err != nil {
			return err
		}
		r.name = newGlob(plain, globFull)
	}
	return nil
}
