package mcp

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// check holds the rules on declarations; the error is about the first that is
// broken.
func check(servers []Server) error {
	owners := map[string]string{} // by namespace
	for i, s := range servers {
		field, message := s.problem()
		if field == "" {
			ns := namespace(s.Name)
			if other, taken := owners[ns]; taken {
				field, message = "name", fmt.Sprintf("is the same namespace %q as that of %q", ns, other)
			}
			owners[ns] = s.Name
		}
		if field != "" {
			name := s.Name
			if name == "" {
				name = fmt.Sprintf("#%d", i+1)
			}
			return &InvalidError{Server: name, Field: field, Message: message}
		}
	}
	return nil
}

// problem returns what is wrong with one server; an empty field is nothing.
func (s *Server) problem() (field, message string) {
	if s.Name == "" {
		return "name", "must not be empty"
	}
	if s.Transport == HTTP {
		return s.httpProblem()
	}
	switch bare := !strings.ContainsAny(s.Command, `/\`); {
	case s.Command == "":
		return "command", "must not be empty"
	case strings.ContainsRune(s.Command, 0):
		return "command", "must not contain NUL"
	case !bare && !filepath.IsAbs(s.Command):
		return "command", "must be an absolute path, or a bare name that is looked up on PATH"
	}
	for _, arg := range s.Args {
		if strings.ContainsRune(arg, 0) {
			return "args", "must not contain NUL"
		}
	}
	for _, v := range s.Env {
		switch {
		case v.Name == "" || strings.ContainsAny(v.Name, "=\x00"):
			return "env", "names must not be empty and must not contain = or NUL"
		case strings.ContainsRune(v.Value, 0):
			return "env", fmt.Sprintf("the value of %s must not contain NUL", v.Name)
		}
	}
	return "", ""
}

func (s *Server) httpProblem() (field, message string) {
	u, err := url.Parse(s.URL)
	switch {
	case err != nil: // the error would repeat the URL, which may hold a password
		return "url", "is not a URL"
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return "url", "must be an absolute http or https URL with a host"
	}
	for _, h := range s.Headers {
		switch {
		case !isToken(h.Name):
			return "headers", fmt.Sprintf("%q is not a header name", h.Name)
		case strings.ContainsFunc(h.Value, isControl):
			return "headers", fmt.Sprintf("the value of %s must not contain control characters", h.Name)
		}
	}
	return "", ""
}

// isToken is the rule of RFC 9110 for field names.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		isAlnum := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !isAlnum && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// isControl is what no HTTP client sends in a header value.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// namespace is the part of tool names that stands for a server: lower case, with
// every run of other characters than letters and digits as one underscore.
func namespace(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			b.WriteRune(r)
			gap = false
			continue
		}
		if !gap {
			b.WriteByte('_')
		}
		gap = true
	}
	return b.String()
}
