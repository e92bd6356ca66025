package recipes

import (
	"testing"

	"github.com/acpctl/acpctl/controller/event"
)

// TestRuns plays the recipes of testdata/ok and testdata/failed on scripted turns
// and commands, and compares what the agent was asked for and the events.
func TestRuns(t *testing.T) {
	t.Parallel()
	for folder, ok := range map[string]bool{"ok": true, "failed": false} {
		for name, a := range archives(t, folder) {
			t.Run(folder+"/"+name, func(t *testing.T) {
				t.Parallel()
				plan, err := a.plan(t)
				if err != nil {
					t.Fatal(err)
				}
				f := newFake(t, a)
				result := f.run(t, plan)
				if (result.ExitCode == event.ExitOK) != ok {
					t.Errorf("exit code %d", result.ExitCode)
				}
				a.expect(t, "want.calls", f.calls.String())
				a.expect(t, "want.ndjson", f.events.String())
			})
		}
	}
}

// TestRO07_InvalidRecipes prints every problem of the recipes of testdata/invalid.
func TestRO07_InvalidRecipes(t *testing.T) {
	t.Parallel()
	for name, a := range archives(t, "invalid") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := a.plan(t)
			if err == nil {
				t.Fatal("the recipe is taken")
			}
			a.expect(t, "want.txt", err.Error())
		})
	}
}
