package controller

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/acpctl/acpctl/controller/acptest"
	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/policy"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

var updateGolden = flag.Bool("update", false, "rewrite the expected events of the scenarios")

// TestScenarios plays one prompt against each scenario of testdata: the file
// agent is what the agent does, allow holds the rules of the policy, want the
// events. They have the shapes of agents in the field.
func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scenario/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			part := func(name string) *txtar.File {
				for i := range archive.Files {
					if archive.Files[i].Name == name {
						return &archive.Files[i]
					}
				}
				t.Fatalf("%s has no file %s", file, name)
				return nil
			}
			got := playScenario(t, file, part("agent").Data, part("allow").Data)
			want := part("want")
			if *updateGolden {
				want.Data = got
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(want.Data), string(got)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// playScenario returns the events of one run, one line each.
func playScenario(t *testing.T, name string, agent, allow []byte) []byte {
	t.Helper()
	scenario, err := acptest.Parse(name, agent)
	if err != nil {
		t.Fatal(err)
	}
	spec := &policy.Spec{}
	for rule := range strings.Lines(string(allow)) {
		spec.Allow = append(spec.Allow, policy.PlainRule(strings.TrimSpace(rule), "allow", policy.LayerRecipe))
	}
	rules, err := policy.Compile(spec)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	seq := int64(0)
	opts := &Options{
		ClientName: "acpctl", ClientVersion: "1", Clock: func() time.Time { return time.Unix(0, 0) },
		Decide: func(call *policy.Call) policy.Outcome {
			return rules.Decide(call, &policy.Env{Cwd: "/work", Roots: []string{"/work"}})
		},
		Emit: func(e event.Event) {
			seq++
			e.Seq, e.Run, e.Time = seq, "r", time.Unix(0, 0)
			line, err := e.AppendJSON(nil)
			if err != nil {
				t.Error(err)
			}
			out.Write(append(line, '\n'))
		},
	}
	served := make(chan error, 1)
	c, err := Connect(t.Context(), &InProcess{Name: name, Serve: func(ctx context.Context, tr jsonrpc.Transport) error {
		err := scenario.Serve(ctx, tr, nil)
		served <- err
		return err
	}}, opts)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.NewSession(t.Context(), SessionParams{Cwd: "/work"})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = s.Prompt(t.Context(), say("do it")) // how it ended is in turn.end
	_ = c.Close(t.Context())
	if err := <-served; err != nil {
		t.Error(err)
	}
	return out.Bytes()
}
