package policy

import (
	"net/netip"
	"net/url"
	"strings"
)

// fetchPattern is host, *.host or scheme://host:port/path.
type fetchPattern struct {
	scheme string
	host   *glob  // in lower case; a wildcard in it covers nothing, it only forbids
	subs   bool   // only hosts below it
	any    bool   // every host that is no address
	port   string // "" is the scheme's own
	path   *glob  // nil is every path
}

func newFetchPattern(raw ruleText) (*fetchPattern, *patternError) {
	t, err := raw.unescape()
	if err != nil {
		return nil, err
	}
	p := &fetchPattern{scheme: "https"}
	rest, offset := t, 0
	if i := strings.Index(t.s, "://"); i >= 0 {
		p.scheme = strings.ToLower(t.s[:i])
		offset = i + len("://")
		rest = t.slice(offset, len(t.s))
	}
	host := rest
	if i := strings.IndexByte(rest.s, '/'); i >= 0 {
		host = rest.slice(0, i)
		p.path = newGlob(rest.slice(i, len(rest.s)), globStarOnly)
	}
	return p, p.setHost(host, offset)
}

func (p *fetchPattern) setHost(host ruleText, offset int) *patternError {
	if i := strings.IndexByte(host.s, '@'); i >= 0 {
		return faultf(offset+i, "a user name in a URL is never covered")
	}
	if i := strings.LastIndexByte(host.s, ':'); i >= 0 && !strings.HasSuffix(host.s, "]") {
		p.port = host.s[i+1:]
		host = host.slice(0, i)
	}
	if len(host.s) > 2 && host.slice(0, 2).plain("*.") {
		p.subs = true
		host = host.slice(2, len(host.s))
	}
	if host.s == "" {
		return faultf(offset, "missing host; write fetch(host), fetch(*.host) or fetch(https://host/path/*)")
	}
	host.s = asciiLower(host.s)
	p.host = newGlob(host, globStarOnly)
	p.any = host.plain("*")
	return nil
}

// target is a URL that a call would fetch.
type target struct {
	raw, scheme, host, port, path string
	bar                           string // why no pattern allows it
}

// newTarget takes a URL apart. A text that is none yields a target that no
// pattern allows.
func newTarget(raw string) *target {
	t := &target{raw: raw}
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" || u.Scheme == "" || u.Opaque != "" {
		t.bar = "no absolute URL"
		return t
	}
	t.scheme, t.host = asciiLower(u.Scheme), asciiLower(strings.TrimSuffix(u.Hostname(), "."))
	t.port, t.path = u.Port(), u.Path
	if t.path == "" {
		t.path = "/"
	}
	switch {
	case u.User != nil:
		t.bar = "a user name in the URL"
	case hasControl(raw) || strings.ContainsAny(raw, "\\ \t\n"):
		t.bar = "a character that URLs do not have"
	case strings.Contains(t.path, "/../") || strings.HasSuffix(t.path, "/.."):
		t.bar = "a path with .."
	}
	return t
}

// isLocal tells whether the host is an address or this machine, which has to be
// spelled.
func (t *target) isLocal() bool {
	_, err := netip.ParseAddr(t.host)
	return err == nil || t.host == "localhost" || strings.HasSuffix(t.host, ".localhost") || numericHost(t.host)
}

// numericHost tells whether a host without letters could be read as an address,
// such as 2130706433 or 0x7f.1.
func numericHost(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && (strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"))
}

// allows wants the host spelled: one that a wildcard fits may merely begin alike.
func (p *fetchPattern) allows(t *target) bool {
	if t.bar != "" || !p.match(t) || (p.subs || p.any) && t.isLocal() {
		return false
	}
	return p.host.pure || p.any
}

// forbids looks at the host whatever the scheme, unless the pattern spells one.
func (p *fetchPattern) forbids(t *target) verdict {
	if t.host == "" {
		return maybe
	}
	if p.match(t) {
		return yes
	}
	if loose := (&fetchPattern{host: p.host, subs: p.subs, scheme: t.scheme, port: p.port}); p.scheme == "https" && p.path == nil && loose.match(t) {
		return yes
	}
	if t.bar != "" && p.matchHost(t.host) {
		return maybe
	}
	return no
}

func (p *fetchPattern) match(t *target) bool {
	if p.scheme != t.scheme || !p.matchHost(t.host) || portOf(p.scheme, p.port) != portOf(t.scheme, t.port) {
		return false
	}
	return p.path == nil || p.path.match(t.path)
}

func (p *fetchPattern) matchHost(host string) bool {
	if !p.subs {
		return p.host.match(host)
	}
	for {
		_, below, ok := strings.Cut(host, ".")
		if !ok || p.host.match(below) {
			return ok
		}
		host = below
	}
}

// asciiLower leaves the length as it is, and so the marks of a pattern in place.
func asciiLower(s string) string {
	out := []byte(s)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

func portOf(scheme, port string) string {
	switch {
	case port != "":
		return port
	case scheme == "https":
		return "443"
	case scheme == "http":
		return "80"
	default:
		return ""
	}
}
