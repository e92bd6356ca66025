package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/controller/acptest"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// chaosBound is within what a run of a misbehaving agent ends: the deadlines of
// the handshake, the longest script, the limit of the turn and the grace of its
// cancel, the calls of the end.
const chaosBound = 60*time.Second + 120*time.Second + 12*40*time.Second + 90*time.Second + 15*time.Second + 70*time.Second

// TestChaos runs turns against agents that do random wrong things, in fake time.
// CHAOS_RUNS and CHAOS_SEED choose how many and which; make chaos has many.
func TestChaos(t *testing.T) {
	runs, seed := fromEnv(t, "CHAOS_RUNS", 150), fromEnv(t, "CHAOS_SEED", 1)
	if testing.Short() {
		runs = min(runs, 20)
	}
	for i := range runs {
		synctest.Test(t, func(t *testing.T) { chaosRun(t, seed, i) })
		if t.Failed() {
			t.Fatalf("repeat with: CHAOS_SEED=%d CHAOS_RUNS=%d go test -race -run TestChaos ./controller", seed, i+1)
		}
	}
}

func fromEnv(t *testing.T, name string, usual int) int {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		return usual
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// chaosRun plays one script and holds what came out against what always holds.
func chaosRun(t *testing.T, seed, run int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(seed), uint64(run)))
	text := acptest.Chaos(rng)
	script, err := acptest.Parse("chaos", []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	w := &witness{}
	opts := w.options(rng)
	begin := time.Now()
	took := playChaos(t, rng, script, opts)
	if total := time.Since(begin); total > chaosBound {
		w.wrong("the run took %s", total)
	}
	if took > 0 {
		w.wrong("the turn ended %s behind its bound", took)
	}
	w.judge()
	if len(w.problems) > 0 {
		t.Errorf("run %d:\n  %s\nscript:\n%s", run, strings.Join(w.problems, "\n  "), text)
	}
}

// playChaos returns by how much the turn went past its limit and the time that
// an agent has to confirm the cancel.
func playChaos(t *testing.T, rng *rand.Rand, script *acptest.Scenario, opts *Options) time.Duration {
	t.Helper()
	served := make(chan error, 1)
	agent := &InProcess{Name: "chaos", Serve: func(ctx context.Context, tr jsonrpc.Transport) error {
		err := script.Serve(ctx, tr, nil)
		served <- err
		return err
	}}
	c, err := Connect(t.Context(), agent, opts)
	if err != nil {
		<-served //nolint:errcheck // what the script ended with is no matter here
		return 0
	}
	defer func() {
		_ = c.Close(context.WithoutCancel(t.Context()))
		<-served //nolint:errcheck // what the script ended with is no matter here
	}()
	s, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
	if err != nil {
		return 0
	}
	limit := time.Duration(rng.IntN(90_000)) * time.Millisecond
	ctx, cancel := context.WithTimeoutCause(t.Context(), limit, timeLimit())
	defer cancel()
	begin := time.Now()
	_, err = s.Prompt(ctx, say("go"))
	var f *event.Failure
	if err != nil && !errors.As(err, &f) {
		t.Errorf("the error is no failure: %v", err)
	}
	return time.Since(begin) - limit - 15*time.Second
}

// witness sees what leaves the controller.
type witness struct {
	mu       sync.Mutex // guards what follows
	events   []event.Event
	problems []string
}

func (w *witness) wrong(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

func (w *witness) options(rng *rand.Rand) *Options {
	return &Options{
		ClientName: "acpctl", ClientVersion: "1", Clock: time.Now, Deltas: rng.IntN(2) == 0, Remember: rng.IntN(2) == 0,
		OnUncovered: []Reaction{"", ReactCancel, ReactContinue}[rng.IntN(3)], OnDeny: []Reaction{"", ReactCancel}[rng.IntN(2)],
		Emit: func(e event.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
		},
		Decide: func(call *policy.Call) policy.Outcome {
			if strings.HasPrefix(call.Command, "ok") {
				return policy.Outcome{Decision: policy.Allow, By: "rule", Rule: "execute(ok *)"}
			}
			return policy.Outcome{Decision: policy.Deny, By: "rule", Rule: "execute(bad *)"}
		},
		Tap: w.frame,
	}
}

// frame holds the answers to permission requests against the rules: no request
// for a bad call is ever allowed.
func (w *witness) frame(dir string, frame []byte) {
	var f struct {
		ID     string `json:"id"`
		Result struct {
			Outcome struct {
				OptionID string `json:"optionId"`
			} `json:"outcome"`
		} `json:"result"`
	}
	if dir != "out" || json.Unmarshal(frame, &f) != nil || !strings.HasPrefix(f.ID, "bad-") {
		return
	}
	if id := f.Result.Outcome.OptionID; id == "yes" || id == "always" {
		w.wrong("a denied call was allowed: %s", frame)
	}
}

// judge looks at the events as a whole.
func (w *witness) judge() {
	open := map[string]int{}
	for i, e := range w.events {
		w.readable(&e)
		kind, id, begins, ends := chaosPair(&e)
		switch {
		case begins:
			open[kind+id]++
		case ends:
			open[kind+id]--
		}
		if n := open[kind+id]; n < 0 || n > 1 {
			w.wrong("event %d: %s of %q is open %d times", i, kind, id, n)
		}
		if e.Turn > 0 && e.Type() != "turn.start" && open["turn"+strconv.Itoa(e.Turn)] == 0 && e.Type() != "turn.end" {
			w.wrong("event %d: %s outside of its turn", i, e.Type())
		}
	}
	for what, n := range open {
		if n != 0 {
			w.wrong("%s is left open", what)
		}
	}
}

// chaosPair sorts the events that come in pairs.
func chaosPair(e *event.Event) (kind, id string, begins, ends bool) {
	switch b := e.Body.(type) {
	case event.ToolStart:
		return "tool ", b.ToolCallID, true, false
	case event.ToolEnd:
		return "tool ", b.ToolCallID, false, true
	case event.TurnStart:
		return "turn", strconv.Itoa(e.Turn), true, false
	case event.TurnEnd:
		return "turn", strconv.Itoa(e.Turn), false, true
	case event.SessionStart:
		return "session", "", true, false
	case event.SessionEnd:
		return "session", "", false, true
	case event.AgentStart:
		return "agent", "", true, false
	case event.AgentEnd:
		return "agent", "", false, true
	default:
		return "", "", false, false
	}
}

// readable holds an event against its own form.
func (w *witness) readable(e *event.Event) {
	line, err := e.AppendJSON(nil)
	if err == nil && !json.Valid(line) {
		err = fmt.Errorf("the line is no JSON: %s", line)
	}
	if err == nil {
		_, err = event.Parse(line)
	}
	if err != nil {
		w.wrong("%s: %v", e.Type(), err)
	}
}
