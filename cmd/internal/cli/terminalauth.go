package cli

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/acpctl/acpctl/controller"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/output"
)

// terminalLogin is a person's login in the agent's own program.
type terminalLogin struct {
	env    *Env
	argv   []string // the agent's command
	method string   // that was consented to; empty: none
}

// usable says whether a login may be offered to the agent: it was consented to,
// there is a terminal, and the agent is a program.
func (l *terminalLogin) usable() bool {
	return l.method != "" && len(l.argv) > 0 && terminal(l.env.Stdin)
}

// run runs the program of the connection with the method's arguments behind its
// own and the method's environment over it. The descriptor cannot change what is
// run. It has the terminal until it ends.
func (l *terminalLogin) run(ctx context.Context, methods []controller.AuthMethod, environ []string) error {
	i := slices.IndexFunc(methods, func(m controller.AuthMethod) bool { return m.ID == l.method && m.Type == controller.AuthTerminal })
	if i < 0 {
		return &event.Failure{Class: event.ClassAuth, Reason: "auth_method", Message: fmt.Sprintf("the agent has no terminal login %q", l.method)}
	}
	m := &methods[i]
	argv := append(slices.Clone(l.argv), m.Args...)
	fmt.Fprintf(l.env.Stderr, "acpctl: logging in: %s\n", output.EscapeControl(strings.Join(argv, " ")))
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // the program that the user named, with consent
	cmd.Dir = l.env.Dir
	cmd.Env = slices.Clone(environ)
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		cmd.Env = append(cmd.Env, name+"="+m.Env[name])
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = l.env.Stdin, l.env.Stderr, l.env.Stderr
	inForeground(cmd, l.env.Stdin)
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return &event.Failure{Class: event.ClassAuth, Reason: "login_failed", Message: fmt.Sprintf("the login %q failed: %v", l.method, err)}
	}
	return nil
}

// loginAndReconnect is for an agent that asks for a login in a terminal: it ends
// the connection, logs in, and connects again, once.
func (d *driver) loginAndReconnect(ctx context.Context, f *event.Failure) (*controller.Conn, bool, error) {
	if f == nil || f.Class != event.ClassAuth || f.Reason != "auth_required" || d.login == nil || !d.login.usable() || d.loggedIn {
		return nil, false, nil
	}
	d.loggedIn = true
	d.mu.Lock()
	conn := d.conn
	d.conn = nil
	d.mu.Unlock()
	methods := conn.AuthMethods()
	_ = conn.Close(ctx)
	if err := d.login.run(ctx, methods, d.login.env.Environ); err != nil {
		return nil, false, err
	}
	again, err := d.connect(ctx)
	return again, err == nil, err
}
