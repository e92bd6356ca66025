package recipes

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/controller/event"
)

// TestRO15_TimeLimits: a turn or a command that does not end is ended by the limit
// of its step or of the run, and each is told by one event.
func TestRO15_TimeLimits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		recipe string
		code   int
		want   []string // parts of the events, in order
		took   time.Duration
	}{
		"of the run": {
			`
limits: {time: 2s}
steps:
  - {id: a, prompt: x, continueOnError: true}
  - {id: b, run: never}
  - {id: c, if: always, prompt: never}
  - {id: d, if: failure, set: {x: 1}}`, event.ExitTimeout,
			[]string{
				`"step":"a","name":"time","value":2000,"max":2000`, `"step":"a","kind":"prompt","status":"failed","reason":"timeout"`,
				`"step":"b","kind":"run","status":"skipped","reason":"end"`, `"step":"c","kind":"prompt","status":"skipped","reason":"end"`,
				`"step":"d","kind":"set","status":"ok"`, `"reason":"time","exitCode":3`,
			},
			2 * time.Second,
		},
		"of a step": {
			`
steps:
  - {id: a, run: x, limits: {time: 1500ms}}
  - {id: b, if: failure, run: y, limits: {time: 3s}}`, event.ExitTimeout,
			[]string{
				`"step":"a","name":"time","value":1500,"max":1500`, `"step":"a","kind":"run","status":"failed","reason":"timeout"`,
				`"step":"b","name":"time","value":3000,"max":3000`, `step a took longer than its limit of 1.5s`,
			},
			4500 * time.Millisecond,
		},
		"a step that may fail does not end the run": {
			`
limits: {time: 1m}
steps:
  - {id: a, prompt: x, limits: {time: 1s}, continueOnError: true}
  - {id: b, set: {x: 1}}`, event.ExitOK,
			[]string{`"step":"a","name":"time"`, `"step":"b","kind":"set","status":"ok"`, `"status":"ok","exitCode":0`},
			time.Second,
		},
		"what cleans up has the grace time, together": {
			`
limits: {time: 1s, grace: 4s}
steps:
  - {id: a, prompt: x}
  - {id: b, if: always, run: y, limits: {time: 3s}}
  - {id: c, if: always, run: z}
  - {id: d, if: always, run: z}`, event.ExitTimeout,
			[]string{
				`"step":"b","name":"time","value":3000`, `"step":"c","kind":"run","status":"failed"`, `"step":"d","kind":"run","status":"failed"`,
				`the run took longer than its limit of 1s`,
			},
			5 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := mustPlan(t, "version: 1"+test.recipe, nil)
			synctest.Test(t, func(t *testing.T) {
				f := &fake{block: make(chan struct{}), now: time.Now}
				began := time.Now()
				result := f.run(t, plan)
				if result.ExitCode != test.code || time.Since(began) != test.took || result.DurationMs != test.took.Milliseconds() {
					t.Errorf("exit code %d after %v, want %d after %v", result.ExitCode, time.Since(began), test.code, test.took)
				}
				rest := f.events.String()
				for _, part := range test.want {
					_, after, found := strings.Cut(rest, part)
					if !found {
						t.Fatalf("%s is not in its place:\n%s", part, f.events.String())
					}
					rest = after
				}
			})
		})
	}
}

// TestRO15_SignalWinsOverTime: after a signal two seconds are left, and the signal
// decides.
func TestRO15_SignalWinsOverTime(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, "version: 1\nsteps:\n  - {id: a, prompt: x}\n  - {id: b, if: cancelled, run: y}\n  - {id: c, if: cancelled, run: z}", nil)
	synctest.Test(t, func(t *testing.T) {
		f := &fake{block: make(chan struct{}), stopAfter: time.Second, now: time.Now}
		began := time.Now()
		result := f.run(t, plan)
		if result.ExitCode != event.ExitTerminate || result.Status != "cancelled" || time.Since(began) != 3*time.Second {
			t.Errorf("%d %s after %v", result.ExitCode, result.Status, time.Since(began))
		}
	})
}
