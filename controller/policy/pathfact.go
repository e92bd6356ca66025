package policy

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// pathFact is one path of a call, resolved.
type pathFact struct {
	abs  string   // absolute and cleaned, as written
	real string   // where it leads; "" when that cannot be told
	ways []string // abs, each path on the way, real
	// bar says why no pattern can allow the path; "" when one can.
	bar string
}

// fact resolves a path as a call writes it. A file URI is decoded; a tilde is an
// ordinary name, though one that a deny also reads as the home.
func (w *world) fact(written, base string) *pathFact {
	p, f := written, &pathFact{}
	if scheme := uriScheme(written); scheme != "" {
		decoded, ok := decodeURI(written)
		if !ok {
			f.bar = "a URI that is no local file"
		}
		p = decoded
	}
	f.resolve(w, p, base)
	if rest, ok := strings.CutPrefix(p, "~/"); ok && len(w.homes) > 0 {
		f.ways = append(f.ways, path.Join(w.homes[0], rest))
	}
	return f
}

// resolve fills the fact of a path that is no URI.
func (f *pathFact) resolve(w *world, p, base string) {
	f.abs = cleanAbs(p, base)
	full := p
	if !strings.HasPrefix(p, "/") {
		full = base + "/" + p
	}
	real, ways, ok := w.follow(full)
	f.ways = append(f.ways, f.abs)
	f.ways = append(f.ways, ways...)
	if ok {
		f.real = real
		if real != f.abs {
			f.ways = append(f.ways, real)
		}
	}
	f.ways = withComposed(f.ways)
	switch {
	case f.bar != "":
	case !ok:
		f.bar = "its links have no end"
	case hasControl(p):
		f.bar = "it holds a control character"
	case slices.ContainsFunc(f.ways, perProcess):
		f.bar = "what stands there depends on the process"
	}
}

// withComposed adds the composed forms of paths, which some systems take for the
// same file.
func withComposed(ways []string) []string {
	for _, way := range ways {
		if composed := norm.NFC.String(way); composed != way {
			ways = append(ways, composed)
		}
	}
	return ways
}

// perProcess tells whether a path means something else in each process.
func perProcess(p string) bool {
	if p == "/dev/fd" || strings.HasPrefix(p, "/dev/fd/") {
		return true
	}
	rest, ok := strings.CutPrefix(p, "/proc/")
	if !ok {
		return false
	}
	name, _ := cutSlash(rest)
	return name == "self" || name == "thread-self" || strings.Trim(name, "0123456789") == ""
}

// uriScheme returns the scheme of something that looks like a URI, in lower
// case, else "".
func uriScheme(s string) string {
	i := strings.Index(s, ":")
	if i < 2 {
		return ""
	}
	scheme := strings.ToLower(s[:i])
	if strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+.-") != "" || scheme[0] < 'a' {
		return ""
	}
	if scheme == "file" || strings.HasPrefix(s[i:], "://") {
		return scheme
	}
	return ""
}

// decodeURI returns the path of a file URI of this machine.
func decodeURI(s string) (string, bool) {
	if uriScheme(s) != "file" {
		return s, false
	}
	u, err := url.Parse(s)
	if err != nil || u.Host != "" && !strings.EqualFold(u.Host, "localhost") || !strings.HasPrefix(u.Path, "/") {
		return s, false
	}
	return u.Path, true
}

// hasControl tells whether a text holds a control character other than tab and
// newline.
func hasControl(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' || r >= 0x7f && r < 0xa0
	}) >= 0
}
