package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// mostTerminals bounds those of a session that are not released.
const mostTerminals = 64

// createTerminal prepares terminal/create.
func (s *Session) createTerminal(v *service, p *serviceCall) error {
	if strings.TrimSpace(p.Command) == "" {
		return errors.New("command is empty")
	}
	dir := s.params.Cwd
	if p.Cwd != nil && *p.Cwd != "" {
		if err := checkPath(*p.Cwd); err != nil {
			return err
		}
		dir = filepath.Clean(*p.Cwd)
	}
	line, err := ruleLine(p)
	if err != nil {
		return err
	}
	v.body.Command = line
	v.call = &policy.Call{Kind: "execute", Title: line, Command: line, Cwd: dir}
	v.do = func(v *service) (any, error) {
		root, _, err := s.within(dir)
		if err != nil {
			return nil, err
		}
		_ = root.Close()
		t, err := s.terminals.start(s.terminalCommand(p, dir), p.ByteLimit)
		if err != nil {
			return nil, err
		}
		v.body.TerminalID = t.id
		return map[string]string{"terminalId": t.id}, nil
	}
	return nil
}

// terminalCommand is the process of a terminal. A whole line without arguments is
// run by the shell, as agents mean it; with arguments nothing is split.
func (s *Session) terminalCommand(p *serviceCall, dir string) *exec.Cmd {
	var cmd *exec.Cmd
	if len(p.Args) == 0 && strings.ContainsAny(p.Command, " \t\n;&|<>()$`\\\"'*?[]#~={}!") {
		cmd = shellCommand(p.Command)
	} else {
		cmd = exec.CommandContext(context.Background(), p.Command, p.Args...) //nolint:gosec // that is what a terminal is for; the rules allowed it
	}
	cmd.Dir, cmd.Env = dir, append([]string{}, s.c.opts.Client.Environ...)
	for _, e := range p.Env {
		cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
	}
	return cmd
}

// ruleLine is what the rules decide on: the command with the variables that the
// agent sets for it in front. A line of several commands has them all, so that
// one variable that can choose what runs makes it the argument of a shell.
func ruleLine(p *serviceCall) (string, error) {
	line := commandLine(p.Command, p.Args)
	var front []string
	never := false
	for _, e := range p.Env {
		if e.Name == "" || strings.ContainsAny(e.Name+e.Value, "\x00") || strings.Contains(e.Name, "=") {
			return "", fmt.Errorf("the variable %q has a wrong name or value", e.Name)
		}
		front = append(front, e.Name+"="+shellWord(e.Value))
		never = never || policy.NeverAssigned(e.Name)
	}
	switch {
	case len(p.Args) > 0:
		return strings.Join(append(front, line), " "), nil
	case never:
		return strings.Join(append(front, "sh", "-c", shellWord(line)), " "), nil
	}
	return line, nil
}

// commandLine is a command as the rules read it: a line of shell.
func commandLine(command string, args []string) string {
	if len(args) == 0 {
		return command
	}
	words := []string{shellWord(command)}
	for _, a := range args {
		words = append(words, shellWord(a))
	}
	return strings.Join(words, " ")
}

// shellWord spells a word so that a shell would read exactly it.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:,@%+", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// onTerminal prepares a call about a terminal that is there.
func (s *Session) onTerminal(v *service, p *serviceCall, do func(t *terminal) (any, error)) error {
	t := s.terminals.get(p.TerminalID)
	if t == nil {
		return fmt.Errorf("unknown terminal %q", p.TerminalID)
	}
	v.body.TerminalID = t.id
	v.do = func(*service) (any, error) { return do(t) }
	return nil
}

// terminalOutput prepares terminal/output.
func (s *Session) terminalOutput(v *service, p *serviceCall) error {
	return s.onTerminal(v, p, func(t *terminal) (any, error) {
		text, cut := t.output.text()
		v.body.Bytes = len(text)
		result := map[string]any{"output": text, "truncated": cut}
		if status := t.status(); status != nil {
			result["exitStatus"] = status
		}
		return result, nil
	})
}

// waitForTerminal prepares terminal/wait_for_exit.
func (s *Session) waitForTerminal(v *service, p *serviceCall) error {
	return s.onTerminal(v, p, func(t *terminal) (any, error) {
		select {
		case <-t.exited:
		case <-v.t.halted:
			t.kill()
			<-t.exited
		case <-v.t.settled: // the turn ended without waiting for it
			return nil, jsonrpc.ErrPeerCancelled
		case <-v.o.gone():
			return nil, jsonrpc.ErrPeerCancelled
		}
		status := t.status()
		v.body.ExitCode, v.body.Signal = status.ExitCode, status.name()
		return status, nil
	})
}

// killTerminal prepares terminal/kill: the command ends, its output stays.
func (s *Session) killTerminal(v *service, p *serviceCall) error {
	return s.onTerminal(v, p, func(t *terminal) (any, error) {
		t.kill()
		<-t.exited
		return nil, nil
	})
}

// releaseTerminal prepares terminal/release: the command ends if it runs, and the
// id means nothing any more. Whoever waits for the exit gets it.
func (s *Session) releaseTerminal(v *service, p *serviceCall) error {
	return s.onTerminal(v, p, func(t *terminal) (any, error) {
		s.terminals.forget(t.id)
		t.kill()
		<-t.exited
		return nil, nil
	})
}

// exitStatus is how the command of a terminal ended.
//
// ACP: TerminalExitStatus.
type exitStatus struct {
	ExitCode *int    `json:"exitCode"`
	Signal   *string `json:"signal"`
}

func (e *exitStatus) name() string {
	if e.Signal == nil {
		return ""
	}
	return *e.Signal
}

func terminalName(n int) string { return "term-" + strconv.Itoa(n) }

// limitOf is how much output a terminal keeps, in bytes.
func limitOf(asked *int) int {
	const usual, most = 1 << 20, 16 << 20
	if asked == nil || *asked < 0 {
		return usual
	}
	return min(cmp.Or(*asked, 1), most)
}
