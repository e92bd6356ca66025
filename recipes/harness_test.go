package recipes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/acpctl/acpctl/controller/event"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file, or rewrites the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	diffText(t, file, string(want), got)
}

func diffText(t *testing.T, what, want, got string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

// archive is a golden case: a recipe, what surrounds it, and what is expected.
type archive struct {
	path string
	ar   *txtar.Archive
}

// archives are the cases of a folder of testdata, by name.
func archives(tb testing.TB, folder string) map[string]*archive {
	tb.Helper()
	paths, err := filepath.Glob("testdata/" + folder + "/*.txtar")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no cases in %s: %v", folder, err)
	}
	cases := make(map[string]*archive, len(paths))
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		cases[strings.TrimSuffix(filepath.Base(path), ".txtar")] = &archive{path, ar}
	}
	return cases
}

func (a *archive) file(name string) []byte {
	for _, f := range a.ar.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// expect compares a section with what came out, or rewrites it.
func (a *archive) expect(t *testing.T, name, got string) {
	t.Helper()
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	if !*update {
		diffText(t, a.path+": "+name, string(a.file(name)), got)
		return
	}
	for i := range a.ar.Files {
		if a.ar.Files[i].Name == name {
			a.ar.Files[i].Data = []byte(got)
			got = ""
		}
	}
	if got != "" {
		a.ar.Files = append(a.ar.Files, txtar.File{Name: name, Data: []byte(got)})
	}
	if err := os.WriteFile(a.path, txtar.Format(a.ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

// around is the section around.json: what the recipe is given.
type around struct {
	Inputs map[string]string
	Env    map[string]string
	Secret bool // --allow-secret-in-prompt
}

func (a *archive) around(t *testing.T) around {
	t.Helper()
	var out around
	if text := a.file("around.json"); text != nil {
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// load are options for a recipe in /r, called in /w, whose files are the sections.
func (a *archive) load(t *testing.T) *LoadOptions {
	t.Helper()
	with := a.around(t)
	return &LoadOptions{
		RecipeDir: "/r", Cwd: "/w",
		ReadFile: func(path string) ([]byte, error) {
			if text := a.file(strings.TrimPrefix(path, "/r/")); text != nil {
				return text, nil
			}
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		},
		Getenv:   func(name string) (string, bool) { v, ok := with.Env[name]; return v, ok },
		Override: &Override{AllowSecretInPrompt: with.Secret},
	}
}

// plan parses and resolves the recipe of the case.
func (a *archive) plan(t *testing.T) (*Plan, error) {
	t.Helper()
	r, err := Parse(a.file("recipe.yaml"), "recipe.yaml")
	if err != nil {
		return nil, err
	}
	return r.Resolve(Inputs{Flags: a.around(t).Inputs}, a.load(t))
}

// scriptedTurn is one turn or failure of the fake agent.
type scriptedTurn struct {
	Turn
	Failure *event.Failure
	// Signal ends the run in this turn, by the reason of the signal.
	Signal string
}

// scriptedCommand is the result of one command.
type scriptedCommand struct {
	Exit           int
	Stdout, Stderr string
	Truncated      bool
	Failure        *event.Failure
	Signal         string
}

// fake plays turns and commands and writes down what it is asked for.
type fake struct {
	turns    []scriptedTurn
	commands []scriptedCommand
	calls    bytes.Buffer
	events   bytes.Buffer
	seq      int64
	sessions int
	signal   context.CancelCauseFunc
	// block, if set, is waited for in every turn and command, or for the end of
	// the context.
	block <-chan struct{}
	// stopAfter is when SIGTERM comes; 0 is never.
	stopAfter time.Duration
	now       func() time.Time
}

func newFake(t *testing.T, a *archive) *fake {
	t.Helper()
	f := &fake{now: func() time.Time { return time.Unix(0, 0) }}
	for name, to := range map[string]any{"turns.json": &f.turns, "commands.json": &f.commands} {
		if text := a.file(name); text != nil {
			if err := json.Unmarshal(text, to); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	return f
}

// run carries a plan out on the fake and returns its result.
func (f *fake) run(t *testing.T, p *Plan) *event.Result {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	f.signal = cancel
	if f.stopAfter > 0 {
		timer := time.AfterFunc(f.stopAfter, func() {
			cancel(&event.Failure{Class: event.ClassSignal, Reason: event.ReasonTerminated, Message: "SIGTERM"})
		})
		defer timer.Stop()
	}
	result := p.Run(ctx, &RunOptions{Driver: f, Commander: f, Emit: f.emit, Clock: f.now, RunID: "run_1"})
	f.emit(event.Event{Body: *result})
	return result
}

func (f *fake) emit(e event.Event) {
	f.seq++
	e.Seq, e.Time = f.seq, f.now()
	line, err := e.AppendJSON(nil)
	if err != nil {
		line = fmt.Appendf(nil, "error: %v", err)
	}
	line = bytes.Replace(line, []byte(`,"time":"1970-01-01T00:00:00.000Z"`), nil, 1)
	f.events.Write(append(line, '\n'))
}

func (f *fake) note(format string, args ...any) { fmt.Fprintf(&f.calls, format+"\n", args...) }

func (f *fake) Open(_ context.Context, spec SessionSpec) (Session, error) {
	f.sessions++
	f.note("open %s", asJSON(spec))
	return &fakeSession{f, fmt.Sprintf("s%d", f.sessions)}, nil
}

func (f *fake) Close(context.Context) error { return nil }

type fakeSession struct {
	*fake
	id string
}

func (s *fakeSession) ID() string { return s.id }

func (s *fakeSession) Select(_ context.Context, sel Selection) error {
	s.note("%s select %s", s.id, asJSON(sel))
	return nil
}

func (s *fakeSession) Close(context.Context) error {
	s.note("%s close", s.id)
	return nil
}

func (s *fakeSession) Prompt(ctx context.Context, p Prompt) (Turn, error) {
	s.note("%s prompt %s", s.id, bytes.Join(asBytes(p.Blocks), []byte(" ")))
	s.note("   idle %v toolCalls %d onUncovered %s onDeny %s", p.Idle, p.ToolCalls, p.OnUncovered, p.OnDeny)
	if err := s.wait(ctx); err != nil {
		return Turn{}, err
	}
	if len(s.turns) == 0 {
		return Turn{}, &event.Failure{Class: event.ClassAgent, Reason: "provider_error", Message: "no turn is left"}
	}
	t := s.turns[0]
	s.turns = s.turns[1:]
	if t.Signal != "" {
		s.signal(&event.Failure{Class: event.ClassSignal, Reason: t.Signal, Message: t.Signal})
		return t.Turn, context.Cause(ctx)
	}
	if t.Failure != nil {
		return t.Turn, t.Failure
	}
	return t.Turn, nil
}

func (f *fake) Run(ctx context.Context, cmd Command) (CommandResult, error) {
	f.note("run %s", asJSON(cmd))
	if err := f.wait(ctx); err != nil {
		return CommandResult{}, err
	}
	if len(f.commands) == 0 {
		return CommandResult{}, nil
	}
	c := f.commands[0]
	f.commands = f.commands[1:]
	res := CommandResult{ExitCode: c.Exit, Stdout: []byte(c.Stdout), Stderr: []byte(c.Stderr), Truncated: c.Truncated}
	if c.Signal != "" {
		f.signal(&event.Failure{Class: event.ClassSignal, Reason: c.Signal, Message: c.Signal})
		return res, context.Cause(ctx)
	}
	if c.Failure != nil {
		return res, c.Failure
	}
	return res, nil
}

func (f *fake) wait(ctx context.Context) error {
	if f.block == nil {
		return nil
	}
	select {
	case <-f.block:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func asBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, e := range list {
		out[i] = e
	}
	return out
}

func asJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// mustPlan is the plan of a recipe that is right.
func mustPlan(t *testing.T, recipe string, opts *LoadOptions) *Plan {
	t.Helper()
	r, err := Parse([]byte(recipe), "recipe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Resolve(Inputs{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// problems are the messages of a parse error, with their lines and columns.
func problems(t *testing.T, err error) []string {
	t.Helper()
	var parse *ParseError
	if err == nil {
		return nil
	}
	if !errors.As(err, &parse) {
		t.Fatalf("%T is no parse error: %v", err, err)
	}
	var out []string
	for _, p := range parse.Problems {
		line := p.String()
		if p.Hint != "" {
			line += " | " + p.Hint
		}
		out = append(out, line)
	}
	return out
}
