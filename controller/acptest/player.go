package acptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// player plays one scenario over one wire.
type player struct {
	s       *Scenario
	w       wire
	stderr  io.Writer
	wait    func(ctx context.Context, d time.Duration) error
	process *process // nil in process

	session   string
	seen      map[string]*frame // by name, the last one
	auto      map[string]string // results, "" for none
	open      *polite           // answers what open promised
	ignoreEOF bool
}

// exitError ends a scenario early.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// errMismatch is wrapped by the errors about a client that does not do what the
// scenario expects.
var errMismatch = errors.New("unexpected frame")

// play plays the scenario to its end. It returns nil, an exit, a mismatch, or the
// error of the wire.
func (p *player) play(ctx context.Context) error {
	p.session, p.seen, p.auto = "sess-1", make(map[string]*frame), make(map[string]string)
	for i := range p.s.steps {
		st := &p.s.steps[i]
		err := p.step(ctx, st)
		if err == nil {
			err = p.w.flush()
		}
		switch {
		case errors.Is(err, io.EOF):
			return p.inputEnded(ctx)
		case errors.As(err, new(exitError)):
			return err
		case err != nil:
			return fmt.Errorf("%s:%d: %w", p.s.name, st.line, err)
		}
	}
	return p.drain(ctx)
}

// inputEnded is what happens when the client closes the agent's input.
func (p *player) inputEnded(ctx context.Context) error {
	if p.ignoreEOF {
		<-ctx.Done()
	}
	return nil
}

// drain reads on behind the last instruction.
func (p *player) drain(ctx context.Context) error {
	closing := &polite{p: p, turn: (&polite{p: p}).unknown}
	for {
		f, err := p.read()
		if errors.Is(err, io.EOF) {
			return p.inputEnded(ctx)
		}
		if err == nil {
			_, err = closing.serve(f)
		}
		if err == nil {
			err = p.w.flush()
		}
		if err != nil {
			return err
		}
	}
}

// read returns the next frame that no auto takes.
func (p *player) read() (*frame, error) {
	for {
		raw, err := p.w.read()
		if err != nil {
			return nil, err
		}
		f, err := readFrame(raw)
		if err != nil {
			return nil, err
		}
		p.seen[f.name()] = f
		taken, err := p.answer(f)
		if err != nil {
			return nil, err
		}
		if !taken {
			return f, nil
		}
		if err := p.w.flush(); err != nil {
			return nil, err
		}
	}
}

// answer answers a frame that an earlier instruction takes care of.
func (p *player) answer(f *frame) (taken bool, err error) {
	if result, ok := p.auto[f.name()]; ok {
		if result != "" && f.ID != nil && f.Method != "" {
			err = p.result(f, result)
		}
		return true, err
	}
	if p.open != nil {
		return p.open.serve(f)
	}
	return false, nil
}

// step plays one instruction.
func (p *player) step(ctx context.Context, st *step) error {
	a := st.args
	switch st.verb {
	case ">":
		return p.expect(a)
	case "auto":
		p.auto[a[0]] = ""
		if len(a) == 2 {
			p.auto[a[0]] = a[1]
		}
		return nil
	case "open":
		return p.handshake()
	case "polite":
		return p.serve(&polite{p: p, plain: len(a) == 1})
	case floods:
		return p.serve(&polite{p: p, turn: func(f *frame) error {
			return errors.Join(p.flood(st.number(0), st.number(1)), p.result(f, `{"stopReason":"end_turn"}`))
		}})
	case "session":
		p.session = a[0]
		return nil
	default:
		return p.send(ctx, st)
	}
}

// send plays the instructions that send something, and the rest.
func (p *player) send(ctx context.Context, st *step) error {
	a := st.args
	switch st.verb {
	case "<":
		return p.frame("%s", a[0])
	case "reply":
		return p.frame(`{"jsonrpc":"2.0","id":${%s},"result":%s}`, a[0], a[1])
	case "fail":
		return p.frame(`{"jsonrpc":"2.0","id":${%s},"error":{"code":%s,"message":%s}}`, a[0], a[1], quote(a[2]))
	case "update":
		return p.frame(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%s,"update":%s}}`, quote(p.session), a[0])
	case "request":
		return p.frame(`{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s}`, a[0], quote(a[1]), a[2])
	case "notify":
		return p.frame(`{"jsonrpc":"2.0","method":%s,"params":%s}`, quote(a[0]), a[1])
	case "flood":
		return p.flood(st.number(0), st.number(1))
	case "line":
		return p.w.write([]byte(a[0]))
	case "partial":
		return p.w.partial([]byte(a[0]))
	default:
		return p.act(ctx, st)
	}
}

// act plays the instructions that are not about frames.
func (p *player) act(ctx context.Context, st *step) error {
	switch a := st.args; st.verb {
	case "stderr":
		_, err := fmt.Fprintln(p.stderr, a[0])
		return err
	case "noise":
		for i := range st.number(0) {
			fmt.Fprintf(p.stderr, "noise %d: nobody needs to read this line\n", i+1)
		}
		return nil
	case "wait":
		d, _ := time.ParseDuration(a[0])
		return p.wait(ctx, d)
	case "ignore":
		if a[0] == "eof" {
			p.ignoreEOF = true
			return nil
		}
		return p.process.ignoreTerm()
	case "spawn":
		return p.process.spawn(a[0], splitArgs(a[1], len(a[1])))
	case "hang":
		<-ctx.Done()
		return exitError(0)
	default:
		return exitError(st.number(0))
	}
}

// serve lets o answer everything until the input ends.
func (p *player) serve(o *polite) error {
	p.open = o
	for {
		if _, err := p.read(); err != nil {
			return err
		}
	}
}

// want reads the next frame for an instruction, which the input must not end
// before, unless its end is to be ignored.
func (p *player) want(what any) (*frame, error) {
	f, err := p.read()
	if errors.Is(err, io.EOF) && !p.ignoreEOF {
		return nil, fmt.Errorf("%w: the input ended, want %v", errMismatch, what)
	}
	return f, err
}

// expect waits for a frame.
func (p *player) expect(args []string) error {
	f, err := p.want(args)
	if err != nil {
		return err
	}
	if !f.matches(args) {
		return fmt.Errorf("%w: got %.500s, want %v", errMismatch, f.raw, args)
	}
	return nil
}

// handshake is the instruction open.
func (p *player) handshake() error {
	o := &polite{p: p}
	for _, method := range []string{"initialize", "session/new"} {
		f, err := p.want(method)
		if err != nil {
			return err
		}
		if f.Method != method {
			return fmt.Errorf("%w: got %.500s, want %s", errMismatch, f.raw, method)
		}
		if _, err := o.serve(f); err != nil {
			return err
		}
		if err := p.w.flush(); err != nil {
			return err
		}
	}
	o.only = []string{"session/set_config_option", "session/set_mode", "session/close"}
	p.open = o
	return nil
}

// frame sends a frame with its placeholders filled in.
func (p *player) frame(format string, args ...any) error {
	var missing error
	text := fmt.Sprintf(format, args...)
	pattern := placeholder()
	line := pattern.ReplaceAllStringFunc(text, func(m string) string {
		g := pattern.FindStringSubmatch(m)
		f := p.seen[g[1]]
		if f == nil {
			missing = errors.Join(missing, fmt.Errorf("the client sent no %s", g[1]))
			return "null"
		}
		if g[2] == "" {
			return string(f.ID)
		}
		value, err := f.lookup(g[2])
		missing = errors.Join(missing, err)
		return string(value)
	})
	if missing != nil {
		return missing
	}
	return p.w.write([]byte(line))
}

// result answers a request.
func (p *player) result(f *frame, result string) error {
	return p.w.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, f.ID, result))
}

// quote is a JSON string.
func quote(s string) string {
	doc, _ := json.Marshal(s)
	return string(doc)
}
