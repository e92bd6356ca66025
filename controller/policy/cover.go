package policy

import (
	"fmt"
	"slices"
)

// cover is the search for allow rules that cover a call.
type cover struct {
	facts *facts
	rules []*rule
	asks  []*rule // a person answers for what one of these meets
	used  *rule   // the first rule that covered something
	why   string  // the first thing that was not covered
}

func (c *cover) use(r *rule) bool {
	if c.used == nil {
		c.used = r
	}
	return true
}

// fail notes what is not covered.
func (c *cover) fail(format string, args ...any) bool {
	if c.why == "" {
		c.why = fmt.Sprintf(format, args...)
	}
	return false
}

// answered tells whether a person is asked about a fact.
func (c *cover) answered(met func(*rule) verdict) bool {
	return slices.ContainsFunc(c.asks, func(r *rule) bool { return met(r) == yes })
}

// part tells whether the rules cover one part of the call.
func (c *cover) part(x *part) bool {
	if c.answered(func(r *rule) verdict {
		if (r.bare || r.whole || x.script == nil) && r.kinds&x.kinds != 0 {
			return r.forbidsFact(c.facts, x)
		}
		return no
	}) {
		return true
	}
	for _, r := range c.rules {
		if r.bare && r.kinds&x.kinds != 0 && r.except == nil {
			return c.use(r)
		}
	}
	switch {
	case x.path != nil:
		return c.path(x.kinds, x.path)
	case x.script != nil:
		return c.scriptFact(x.script)
	case x.url != nil:
		return c.url(x.url)
	case x.name != "" || x.sure:
		return c.name(x)
	}
	return c.fail("kind %s: the call gives nothing that a pattern could match", x.kinds.label())
}

// label names the kinds for people.
func (k kindSet) label() string {
	if names := (k & acpKinds).names(); len(names) > 0 {
		return names[0]
	}
	if k&kindMCP != 0 {
		return "mcp"
	}
	return "unknown"
}

func (c *cover) path(kinds kindSet, p *pathFact) bool {
	if freeDevice(p.abs) || freeDevice(p.real) && p.bar == "" {
		return true
	}
	if c.answered(func(r *rule) verdict {
		if r.kinds&kinds&pathKinds == 0 {
			return no
		}
		return r.forbidsPath(c.facts, p)
	}) {
		return true
	}
	for _, r := range c.rules {
		if r.kinds&kinds&pathKinds == 0 || c.excepted(r, func(e *rule) verdict { return e.forbidsPath(c.facts, p) }) {
			continue
		}
		if r.bare || p.bar == "" && r.coversPath(c.facts.world, p) {
			return c.use(r)
		}
	}
	if p.bar != "" {
		return c.fail("%s %s: no pattern allows it, since %s", (kinds & pathKinds).label(), preview(p.abs), p.bar)
	}
	return c.fail("%s %s: no rule", (kinds & pathKinds).label(), preview(p.abs))
}

// excepted tells whether the exception of an allow rule takes the fact out: as a
// deny it is met when it only might be.
func (c *cover) excepted(r *rule, met func(*rule) verdict) bool {
	return r.except != nil && met(r.except) != no
}

func (r *rule) coversPath(w *world, p *pathFact) bool {
	switch {
	case r.bare:
		return true
	case p.real == "":
		return false
	case r.whole:
		return w.inside(p.real)
	}
	return r.path != nil && r.path.allows(w, p)
}

func (c *cover) url(t *target) bool {
	for _, r := range c.rules {
		if r.kinds&kindFetch != 0 && !c.excepted(r, func(e *rule) verdict { return e.forbidsURL(t) }) && r.coversURL(t) {
			return c.use(r)
		}
	}
	if t.bar != "" {
		return c.fail("fetch %s: no pattern allows it, since it is %s", preview(t.raw), t.bar)
	}
	return c.fail("fetch %s: no rule", preview(t.raw))
}

// coversURL judges a URL. any(**) is about what is inside the roots, which a URL
// is not.
func (r *rule) coversURL(t *target) bool {
	switch {
	case r.bare:
		return true
	case r.whole:
		return r.kinds != allKinds && t.bar == "" && !t.isLocal()
	}
	return r.fetch != nil && r.fetch.allows(t)
}

func (c *cover) name(x *part) bool {
	for _, r := range c.rules {
		if r.kinds&x.kinds == 0 || c.excepted(r, func(e *rule) verdict {
			return max(e.forbidsName(x.name), e.forbidsMCP(c.facts, x.mcp))
		}) {
			continue
		}
		if r.coversName(c.facts.world, x) {
			return c.use(r)
		}
	}
	if x.sure {
		return c.fail("mcp %s: no rule", preview(x.mcp[0].server+"/"+x.mcp[0].tool))
	}
	return c.fail("%s %s: no rule", x.kinds.label(), preview(x.name))
}

func (r *rule) coversName(w *world, x *part) bool {
	if hasControl(x.name) {
		return r.bare
	}
	switch {
	case r.bare:
		return true
	case x.sure && r.mcp != nil && r.mcp.allows(w, x.mcp[0]):
		return true
	case r.whole:
		return r.kinds != allKinds && x.name != ""
	}
	return r.name != nil && x.name != "" && r.name.match(x.name)
}
