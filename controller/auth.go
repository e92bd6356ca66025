package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
)

// Types of an [AuthMethod].
const (
	AuthAgent    = "agent"    // the agent does it when it is told to
	AuthTerminal = "terminal" // a person does it in the agent's own program
	AuthEnvVar   = "env_var"  // variables have to be set before the agent starts
)

// AuthMethod is a way to log in, as the agent announced it. It never changes what
// is run: Args and Env are for the agent's own command.
//
// ACP: AuthMethod; terminal and env_var are drafts.
type AuthMethod struct {
	ID          string
	Name        string
	Description string
	Type        string // agent when the agent named none
	Args        []string
	Env         map[string]string
	Vars        []string // names of the variables of an env_var method
}

// AuthMethods returns the ways to log in that the agent announced.
func (c *Conn) AuthMethods() []AuthMethod { return readAuthMethods(c.info.AuthMethods) }

// readAuthMethods reads them leniently; entries without id are left out.
func readAuthMethods(raw json.RawMessage) []AuthMethod {
	var list []json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var methods []AuthMethod
	for _, entry := range list {
		m := members(entry)
		a := AuthMethod{
			ID: jsonString(m["id"]), Name: jsonString(m["name"]), Description: jsonString(m["description"]),
			Type: cmp.Or(jsonString(m["type"]), AuthAgent), Args: stringList(m["args"]),
		}
		if a.ID == "" {
			continue
		}
		if json.Unmarshal(m["env"], &a.Env) != nil {
			a.Env = nil
		}
		var vars []json.RawMessage
		if json.Unmarshal(m["vars"], &vars) == nil {
			for _, v := range vars {
				a.Vars = append(a.Vars, cmp.Or(jsonString(v), jsonString(members(v)["name"])))
			}
		}
		methods = append(methods, a)
	}
	return methods
}

// hint says what a person can do about a method.
func (a *AuthMethod) hint() string {
	what := strings.TrimSuffix(fmt.Sprintf("authentication method %s: %s", a.ID, cmp.Or(a.Description, a.Name)), ": ")
	switch a.Type {
	case AuthEnvVar:
		return what + " (set these variables: " + strings.Join(a.Vars, ", ") + ")"
	case AuthTerminal:
		return what + " (in a terminal: --allow-terminal-auth " + a.ID + ")"
	default:
		return what + " (--auth " + a.ID + ")"
	}
}

// authHints name the ways to log in that the agent announced.
func (c *Conn) authHints() []string {
	var hints []string
	for _, m := range c.AuthMethods() {
		hints = append(hints, m.hint())
	}
	return hints
}

// Authenticate logs in by one of the agent's methods. Only those of type agent
// are ever sent; a method that the agent did not announce is refused before
// anything is sent.
//
// ACP: authenticate.
func (c *Conn) Authenticate(ctx context.Context, id string) error {
	return asError(c.authenticate(ctx, id))
}

func (c *Conn) authenticate(ctx context.Context, id string) *event.Failure {
	for _, m := range c.AuthMethods() {
		if m.ID != id {
			continue
		}
		if m.Type != AuthAgent {
			f := failf(event.ClassAuth, "auth_method", "authentication method %q is of type %s, which the agent cannot carry out", id, m.Type)
			f.Hints = []string{m.hint()}
			return f
		}
		_, f := c.call(ctx, "authenticate", map[string]any{"methodId": id}, c.opts.Deadlines.NewSession, nil)
		if f != nil && f.Class == event.ClassAgent {
			f.Class = event.ClassAuth
		}
		return f
	}
	f := failf(event.ClassAuth, "auth_method", "the agent has no authentication method %q", id)
	f.Hints = c.authHints()
	return f
}

// loggedIn says whether a call that failed is worth one more try: the agent asked
// for a login, one is named, and it worked. A login is tried once a connection,
// so nothing loops. f becomes the failure of the login if that failed.
func (c *Conn) loggedIn(ctx context.Context, f *event.Failure) bool {
	if f == nil || f.Class != event.ClassAuth || f.Reason != "auth_required" || c.opts.AuthMethod == "" {
		return false
	}
	c.mu.Lock()
	tried := c.triedAuth
	c.triedAuth = true
	c.mu.Unlock()
	if tried {
		return false
	}
	if failed := c.authenticate(ctx, c.opts.AuthMethod); failed != nil {
		*f = *failed
		return false
	}
	return true
}

// Logout makes the agent forget a login.
//
// ACP: logout, where announced.
func (c *Conn) Logout(ctx context.Context) error {
	if !c.info.Capabilities.Logout {
		return unsupported("logging out", "auth.logout")
	}
	_, f := c.call(ctx, "logout", map[string]any{}, c.opts.Deadlines.Call, nil)
	return asError(f)
}
